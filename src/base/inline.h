/* SPDX-License-Identifier: GPL-2.0-only */
/* For code that is to be compiled once per caller: what it is called with is constant, or is not to be in memory. */
#ifndef BASE_INLINE_H
#define BASE_INLINE_H

#define force_inline inline __attribute__((always_inline))

#endif
