#!/usr/bin/env python3
"""Writes the licences of what ships inside a program of ours or beside it to standard output.

notices.py PROGRAM BUILT CARRIED: of what is compiled into it, what ./dev setup built from source into the
folder BUILT, and of the libraries that it loads and that are below the folder CARRIED. What the system
brings has its own notices there. To be run where the program was built.
"""

import glob
import os
import sys

import sbom


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().rstrip()


def built_notices(folder):
    """Debian's copyright file of the source, and what the library itself says of what it brings."""
    own = glob.glob(os.path.join(folder, "share/licenses/*/*"))
    return "\n\n".join(text_of(path) for path in [os.path.join(folder, "copyright"), *sorted(own)])


def carried(program, folder):
    """The packages of the loaded libraries that are below the folder too."""
    names = {name for _, _, files in os.walk(folder) for name in files}
    return sbom.packages_of([path for path in sbom.loaded_libraries(program) if os.path.basename(path) in names])


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: notices.py PROGRAM BUILT CARRIED")
    program, built, folder = sys.argv[1:]
    name = os.path.basename(program)
    parts = {part: built_notices(os.path.join(built, part)) for part in sbom.FROM_SOURCE[name]}
    for package in carried(program, folder) | set(sbom.COMPILED_IN[name]):
        parts[package] = text_of(f"/usr/share/doc/{package}/copyright")
    print(f"{name} is licensed under the Apache License, Version 2.0. It contains, or brings, the following")
    print("works of others, each under its own terms:\n")
    # Packages of one source have the same text.
    texts = {}
    for part in sorted(parts):
        print(part)
        texts.setdefault(parts[part], []).append(part)
    for text, those in texts.items():
        print(f"\n{'=' * 98}\n{', '.join(those)}\n{'=' * 98}\n\n{text}")


if __name__ == "__main__":
    main()
