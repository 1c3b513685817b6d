#!/usr/bin/env python3
"""Limits guard: figures of limits in documents are those of the constants.

- Each row of the table under `## Limits` in docs/architecture.md names its constants in the last cell
  (`MAX_TURNS` in `generate/run/limits.rs`) and shows their values in the second.
- A comment that says `Default is 8` stands above a constant that is 8.
- docs/limits.md lists every constant that bounds something, with its value and its comment, and is
  written by this program: `python3 .ci/limits.py --write`.
"""
import os
import re
import sys

DOCUMENT, LIST, SOURCE = "docs/architecture.md", "docs/limits.md", "genkit/src"
SECONDS = {"nanos": 1e-9, "micros": 1e-6, "millis": 1e-3, "secs": 1}
TIMES = {"ms": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3, "s": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60,
         "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400}
NUMBERS = {"": 1, "KiB": 1024, "MiB": 1024**2}
CONSTANT = re.compile(
    r"((?:^[ \t]*(?://[^\n]*|#\[[^\n]*)\n)*)^[ \t]*(?:pub(?:\([^)]*\))? )?const (\w+): ([\w:]+) = ([^;]+);", re.M
)


class Constant:
    def __init__(self, path, comment, name, kind, value):
        self.path, self.name, self.kind = path, name, kind.rpartition("::")[2]
        lines = [line.strip()[3:].strip() for line in comment.splitlines() if line.strip().startswith("///")]
        self.comment = " ".join(lines).partition("```")[0]
        self.value = self.evaluate(value.strip())

    def evaluate(self, text):
        made = re.fullmatch(r"Duration::from_(\w+)\((.+)\)", text, re.S)
        if self.kind == "Duration" and text == "Duration::ZERO":
            return 0.0
        number = made[2] if made else text
        if not re.fullmatch(r"[\d_.\s*+()-]+", number):
            return None
        return eval(number.replace("_", "")) * (SECONDS.get(made[1], 1) if made else 1)

    def ways(self):
        """Every way in which a text may write the value."""
        if self.kind.startswith("f"):
            return {f"{self.value:g}"}
        ways = set()
        for unit, size in (TIMES if self.kind == "Duration" else NUMBERS).items():
            count = round(self.value / size, 6)
            if count >= 1 and count == int(count):
                ways.add(f"{int(count):,} {unit}".strip())
            elif unit in ("s", "second", "seconds") and count > 0:
                ways.add(f"{count:g} {unit}")
        return ways | self.as_a_time() or {"0"}

    def as_a_time(self):
        """The time that its comment says, where that is its value as whole seconds or milliseconds."""
        said = re.search(r"Default is ([\d,]+) (\w+)", self.comment)
        if self.kind == "Duration" or not said or said[2] not in TIMES:
            return set()
        seconds = int(said[1].replace(",", "")) * TIMES[said[2]]
        return {f"{said[1]} {said[2]}"} if self.value in (seconds, seconds * 1000) else set()

    def shown(self):
        """The way in which its comment writes it, else the shortest."""
        said = [way for way in self.ways() if says(self.comment, way)]
        if said:
            return max(said, key=lambda way: (len(way), way))
        if self.kind == "Duration":
            short = [way for way in self.ways() if way.split()[-1] in ("ms", "s", "min", "h")]
            return min(short, key=lambda way: (len(way), way)) if short else "0"
        is_bytes = re.search(r"\bbytes?\b|\blarge\b|\bBytes\b", self.comment) or "BYTES" in self.name
        return min(self.ways(), key=lambda way: (len(way), way)) if is_bytes else f"{self.value:,}"

    def bounds(self):
        """Whether it is a bound that a reader may want to know."""
        named = re.match(r"MAX_|DEFAULT_MAX", self.name) or re.search(r"TIMEOUT|GRACE|_TTL$", self.name)
        return self.value is not None and bool(self.comment) and (named or "Default is" in self.comment)

    def fault(self):
        """What is wrong with its comment."""
        said = re.search(r"Default is ((?:\d[\d,.]*\d|\d)(?: \w+)?)", self.comment)
        if self.value is None or not said or any(says(said[1] + ".", way) for way in self.ways()):
            return None
        return f"`{self.name}` in {self.path} is {' or '.join(sorted(self.ways()))}, its comment says {said[1]}"


def says(text, way):
    return re.search(rf"(?<![\d.,]){re.escape(way)}(?![\w,.]*\d)(?!\w)", text)


def constants(path):
    with open(path, encoding="utf-8") as source:
        text = re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", source.read())[0]
    shown = os.path.relpath(path, SOURCE) if path.startswith(SOURCE) else path
    return [Constant(shown, *found) for found in CONSTANT.findall(text)]


def all_constants():
    folders = [SOURCE] + sorted(os.path.join("crates", crate, "src") for crate in os.listdir("crates"))
    for folder in folders:
        for inner, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                if file.endswith(".rs") and "tests" not in inner.split("/") and not file.startswith("tests"):
                    yield from constants(os.path.join(inner, file))


def check_table(section, wrong):
    """Returns what sets each constant, as the table says."""
    setters, checked = {}, 0
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    if len(re.findall(r"\n\n\|", section)) != 1:
        wrong.append("the table of limits is not in one piece")
    for row in rows:
        if len(row) != 4:
            wrong.append(f"`{row[0].strip()}` has {len(row)} cells, not 4")
            continue
        what, default, by, where = (cell.strip() for cell in row)
        groups = re.findall(r"((?:`\w+`, )*`\w+`) in `([^`]+)`", where)
        if not groups:
            wrong.append(f"`{what}` names no constant")
        for names, file in groups:
            path = file if file.startswith("crates/") else os.path.join(SOURCE, file)
            known = {it.name: it for it in constants(path)} if os.path.exists(path) else {}
            for name in re.findall(r"`(\w+)`", names):
                checked += 1
                setters[file, name] = by
                found = known.get(name)
                if found is None or found.value is None:
                    wrong.append(f"`{what}`: there is no constant `{name}` in {file}")
                elif not any(says(default, way) for way in found.ways()):
                    wrong.append(f"`{what}` says \"{default}\", `{name}` is {' or '.join(sorted(found.ways()))}")
    print(f"{len(rows)} limits, {checked} constants")
    return setters


def listed(bounds, setters):
    lines = [
        "# Limits",
        "",
        "Every constant that bounds something, with its value and what the source says of it. Written from the",
        "constants by `python3 .ci/limits.py --write`; CI fails where a figure here or in a comment is not the",
        "constant's. Paths without a crate are in `genkit/src`.",
    ]
    room = None
    for bound in bounds:
        parts = bound.path.split("/")
        is_crate = parts[0] == "crates"
        here = parts[1] if is_crate else "/".join(parts[: 2 if parts[0] == "mcp" else 1]).removesuffix(".rs")
        if here != room:
            room = here
            lines += ["", f"## `{here}`", "", "| bound | value | set by | constant |", "|---|---|---|---|"]
        # The value stands in its own column.
        said = re.search(r"Default is [^:;]*?(?:[:;]|\.(?=\s|$)|, (?=\w))", bound.comment)
        pieces = (bound.comment[: said.start()], bound.comment[said.end() :]) if said else (bound.comment,)
        pieces = [piece.strip() for piece in pieces if piece.strip()]
        what = " ".join(piece[0].upper() + piece[1:] for piece in pieces).replace("|", "\\|")
        # Links of rustdoc lead nowhere here.
        what = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", what)
        by = setters.get((bound.path, bound.name), "–")
        lines.append(f"| {what} | {bound.shown()} | {by} | `{bound.name}` in `{bound.path}` |")
    return "\n".join(lines) + "\n"


def main():
    wrong = []
    with open(DOCUMENT, encoding="utf-8") as document:
        section = document.read().partition("\n## Limits")[2].partition("\n## ")[0]
    setters = check_table(section, wrong)
    known = list(all_constants())
    wrong += [fault for fault in (it.fault() for it in known) if fault]
    text = listed([it for it in known if it.bounds()], setters)
    if "--write" in sys.argv:
        with open(LIST, "w", encoding="utf-8") as document:
            document.write(text)
    elif not os.path.exists(LIST) or open(LIST, encoding="utf-8").read() != text:
        wrong.append(f"{LIST} is not what the constants say: `python3 .ci/limits.py --write`")
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


main()
