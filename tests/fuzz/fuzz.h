/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzz target is one function over one input. Built by clang with -Dfuzz=true it searches for inputs that crash; in any
 * other build fuzz_main.c runs it over the inputs kept in testdata/fuzz/, as a test.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput - read @data as the target does; returns 0, or -1 for an input not worth keeping */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * fuzz_file - the path of a file that holds @data, for what reads files only
 * The file is the same one each time, and gone with the process. Aborts when the system gives no such file.
 */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
