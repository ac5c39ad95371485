// SPDX-License-Identifier: GPL-2.0-only
/* The machine this runs on as a platform. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "model/platform_build.h"

int cpir_platform_capture(const char *sysfs, struct cpir_platform **ret_platform,
			  struct cpir_error *err)
{
	const char *path = sysfs ? sysfs : "/sys/devices/system/cpu";
	_cleanup_free_ char *source = NULL;
	struct cpir_platform *platform;
	int r;

	if (access(path, R_OK | X_OK))
		return error_set(err, -errno, "%s: cannot be read: %s", path, strerror(errno));
	if (asprintf(&source, "captured from %s", path) < 0) {
		source = NULL;
		return error_oom(err);
	}
	r = platform_read_sysfs(path, &platform, err);
	if (r == -ENODEV)
		return error_set(err, r,
				 "%s: no idle states here, because no cpuidle driver is active; "
				 "capture on a machine that has one",
				 path);
	if (r)
		return r;
	free(platform->source);
	platform->source = take_ptr(source);
	*ret_platform = platform;
	return 0;
}
