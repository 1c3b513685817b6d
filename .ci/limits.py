#!/usr/bin/env python3
"""Limits guard: each row of the table under `## Limits` in docs/architecture.md shows what its constants are.

The last cell of a row names them: `MAX_TURNS` in `generate/run/limits.rs`. Fails on a constant that is
not there, on a value that the second cell does not show, and on a table that is cut in pieces.
"""
import os
import re
import sys

DOCUMENT, SOURCE = "docs/architecture.md", "genkit/src"
SECONDS = {"nanos": 1e-9, "micros": 1e-6, "millis": 1e-3, "secs": 1}


def shown(value, kind):
    """Every way in which the table may write a value."""
    if kind == "Duration":
        units = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}
    else:
        units = {"": 1, " KiB": 1024, " MiB": 1024**2}
        if kind.startswith("f"):
            return {f"{value:g}"}
    ways = set()
    for unit, size in units.items():
        count = round(value / size, 6)
        if count >= 1 and count == int(count):
            ways.add(f"{int(count):,} {unit.strip()}".strip())
        elif unit == "s" and count > 0:
            ways.add(f"{count:g} s")
    return ways


def constants(path):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    for name, kind, value in re.findall(r"\bconst (\w+): ([\w:]+) = ([^;]+);", text):
        kind = kind.rpartition("::")[2]
        made = re.fullmatch(r"Duration::from_(\w+)\((.+)\)", value.strip(), re.S)
        number = made[2] if made else value
        if kind == "Duration" and value.strip() == "Duration::ZERO":
            made, number = ["", "secs"], "0"
        if not re.fullmatch(r"[\d_.\s*+()-]+", number):
            continue
        yield name, shown(eval(number.replace("_", "")) * (SECONDS[made[1]] if made else 1), kind)


def main():
    with open(DOCUMENT, encoding="utf-8") as document:
        section = document.read().partition("\n## Limits")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    wrong, checked = [], 0
    if len(re.findall(r"\n\n\|", section)) != 1:
        wrong.append("the table of limits is not in one piece")
    for row in rows:
        if len(row) != 4:
            wrong.append(f"`{row[0].strip()}` has {len(row)} cells, not 4")
            continue
        what, default, _, where = (cell.strip() for cell in row)
        named = re.findall(r"`(\w+)`(?:, `(\w+)`)* in `([^`]+)`", where)
        if not named:
            wrong.append(f"`{what}` names no constant")
        for group in re.findall(r"((?:`\w+`, )*`\w+`) in `([^`]+)`", where):
            path = group[1] if group[1].startswith("crates/") else os.path.join(SOURCE, group[1])
            known = dict(constants(path)) if os.path.exists(path) else {}
            for name in re.findall(r"`(\w+)`", group[0]):
                checked += 1
                if name not in known:
                    wrong.append(f"`{what}`: there is no constant `{name}` in {group[1]}")
                elif not any(re.search(rf"(?<![\d.,]){re.escape(way)}(?![\w,.]*\d)", default) for way in known[name]):
                    wrong.append(f"`{what}` says \"{default}\", `{name}` is {' or '.join(sorted(known[name]))}")
    print(f"{len(rows)} limits, {checked} constants")
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


main()
