/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the user, on standard error. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "cpuidle-replay.h"

/** message - "cpuidle-replay: …" and a newline. Control characters (names come from files) are shown as "?". */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** message_error - say why a call failed; gives the exit status for it, 1 */
int message_error(const struct cpir_error *err);

/** message_flush_stdout - write out standard output; 0, or exit status 1 after saying why (nothing on a closed pipe) */
int message_flush_stdout(void);

#endif
