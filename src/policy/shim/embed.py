#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write the shim as C data: embed.py OUTPUT.c FILE…

The library needs it wherever it runs, from the build tree as well as installed, so it carries its text.
"""
import os
import sys


def main(output, paths):
    rows = []
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by embed.py from the files of src/policy/shim. */\n")
        out.write('#include "policy/kernel_build.h"\n\n')
        for i, path in enumerate(paths):
            with open(path, "rb") as file:
                data = file.read() + b"\0"
            lines = [", ".join(str(byte) for byte in data[at:at + 20]) for at in range(0, len(data), 20)]
            out.write(f"static const char text_{i}[] = {{\n\t" + ",\n\t".join(lines) + "};\n")
            rows.append(f'\t{{"{os.path.basename(path)}", text_{i}}},\n')
        out.write("\nconst struct kernel_shim kernel_shims[] = {\n" + "".join(rows) + "};\n")
        out.write(f"const size_t kernel_shim_count = {len(rows)};\n")


main(sys.argv[1], sys.argv[2:])
