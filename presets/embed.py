#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write presets/*.json as one C table: embed.py OUTPUT.c FILE.json…

The library needs the presets wherever it runs, from the build tree as well as installed, so it carries their text.
"""
import json
import os
import sys


def c_string(text):
    """A C string literal; bytes that are not plain ASCII become three-digit octal escapes."""
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char == "\n":
            out.append("\\n\"\n\t\t\"")
        elif char in "\"\\":
            out.append("\\" + char)
        elif 32 <= byte < 127 and char != "?":
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def main(output, paths):
    rows = []
    for path in sorted(paths, key=lambda p: os.path.basename(p)[:-len(".json")]):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        preset = json.loads(text)
        if preset["id"] + ".json" != os.path.basename(path):
            sys.exit(f"{path}: its id is {preset['id']}; name the file after it")
        names = ("id", "description", "driver", "source")
        info = ", ".join(f".{name} = {c_string(preset[name])}" for name in names)
        rows.append(f"\t{{{{{info}}},\n\t .text = {c_string(text)}}},\n")
    with open(output, "w", encoding="ascii") as file:
        file.write("/* Made by presets/embed.py from the JSON files beside it. */\n")
        file.write('#include "model/presets.h"\n\n')
        file.write("const struct preset preset_list[] = {\n" + "".join(rows) + "};\n")
        file.write(f"const size_t preset_count = {len(rows)};\n")


main(sys.argv[1], sys.argv[2:])
