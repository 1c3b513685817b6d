#!/usr/bin/env python3
"""Prints files over 300 lines of code; fails on files over 600 and functions over 120 lines."""
import re
import subprocess
import sys

LISTED, FILE, FUNCTION = 300, 600, 120
files = subprocess.run(["git", "ls-files", "*.rs"], capture_output=True, text=True).stdout.split()
too_much = False
counts = []
for path in files:
    if "test" in path:
        continue
    with open(path, encoding="utf-8") as source:
        lines = source.read().split("\n#[cfg(test)]\nmod ")[0].splitlines()
    code = sum(1 for line in lines if line.strip() and not line.strip().startswith("//"))
    counts.append(code)
    if code > LISTED:
        print(f"{path}: {code} lines of code")
        too_much |= code > FILE
    for start, line in enumerate(lines):
        head = re.match(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:const |async )*fn (\w+)", line)
        if not head or line.rstrip().endswith(";"):
            continue
        end = next(
            (i for i in range(start + 1, len(lines)) if lines[i].rstrip() == head[1] + "}"), start
        )
        if end - start > FUNCTION:
            print(f"{path}:{start + 1}: fn {head[2]} has {end - start + 1} lines")
            too_much = True
counts.sort()
if counts:
    print(f"{len(counts)} files, median {counts[len(counts) // 2]} lines of code")
sys.exit(too_much)
