/* SPDX-License-Identifier: GPL-2.0-only */
/* A governor compiled from its source, as a policy. */
#ifndef POLICY_KERNEL_POLICY_H
#define POLICY_KERNEL_POLICY_H

#include "policy/policy.h"

/**
 * kernel_policy_parse - make the policy that a spec with src:, git: or patch: names (kernel_source.h)
 * @kernel: release of the idle loop around it when the source does not belong to a tree that tells; NULL unknown
 * Errors: those of kernel_source_read() and kernel_build(); -EINVAL (registers no governor, crashes while doing so)
 */
int kernel_policy_parse(const char *spec, const char *kernel, struct cpir_policy **ret_policy,
			struct cpir_error *err);

#endif
