/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for the governors' own gov.h where the source comes without one. */
#ifndef SHIM_GOV_H
#define SHIM_GOV_H

#define RESIDENCY_THRESHOLD_NS (15 * NSEC_PER_USEC)

#endif
