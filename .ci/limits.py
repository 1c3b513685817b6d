#!/usr/bin/env python3
"""Checks that limits in the documentation have the values of their constants.

- docs/limits.md begins with tables of the limits that users can change. The last cell of each row names the
  constants (`MAX_TURNS` in `crates/genkit-agent/src/run/limits.rs`), and the second shows their values.
- The rest of docs/limits.md lists every constant that bounds something. `python3 .ci/limits.py --write` writes it.
- If the comment of a constant contains `Default is 8`, the value of the constant is 8.
"""
import os
import re
import sys

DOCUMENT = "docs/limits.md"
GENERATED = "<!-- generated: everything below is written by `python3 .ci/limits.py --write` -->\n"
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
        """Returns every way to write the value."""
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
        """Returns the time in the comment, if the value is that time in whole seconds or milliseconds."""
        said = re.search(r"Default is ([\d,]+) (\w+)", self.comment)
        if self.kind == "Duration" or not said or said[2] not in TIMES:
            return set()
        seconds = int(said[1].replace(",", "")) * TIMES[said[2]]
        return {f"{said[1]} {said[2]}"} if self.value in (seconds, seconds * 1000) else set()

    def shown(self):
        """Returns the value as written in the comment, or else in the shortest way."""
        said = [way for way in self.ways() if says(self.comment, way)]
        if said:
            return max(said, key=lambda way: (len(way), way))
        if self.kind == "Duration":
            short = [way for way in self.ways() if way.split()[-1] in ("ms", "s", "min", "h")]
            return min(short, key=lambda way: (len(way), way)) if short else "0"
        is_bytes = re.search(r"\bbytes?\b|\blarge\b|\bBytes\b", self.comment) or "BYTES" in self.name
        return min(self.ways(), key=lambda way: (len(way), way)) if is_bytes else f"{self.value:,}"

    def bounds(self):
        """Returns whether the constant is listed."""
        named = re.match(r"MAX_|DEFAULT_MAX", self.name) or re.search(r"TIMEOUT|GRACE|_TTL$", self.name)
        return self.value is not None and bool(self.comment) and (named or "Default is" in self.comment)

    def error(self):
        """Returns the error of the comment, if there is one."""
        said = re.search(r"Default is ((?:\d[\d,.]*\d|\d)(?: \w+)?)", self.comment)
        if self.value is None or not said or any(says(said[1] + ".", way) for way in self.ways()):
            return None
        return f"`{self.name}` in {self.path} is {' or '.join(sorted(self.ways()))}, but its comment has {said[1]}"


def says(text, way):
    return re.search(rf"(?<![\d.,]){re.escape(way)}(?![\w,.]*\d)(?!\w)", text)


def constants(path):
    with open(path, encoding="utf-8") as source:
        text = re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", source.read())[0]
    return [Constant(path, *found) for found in CONSTANT.findall(text)]


def all_constants():
    folders = [os.path.join("crates", crate, "src") for crate in sorted(os.listdir("crates"))] + ["genkit/src"]
    for folder in folders:
        for inner, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                if file.endswith(".rs") and "tests" not in inner.split("/") and not file.startswith("tests"):
                    yield from constants(os.path.join(inner, file))


def check_tables(text, errors):
    """Checks the tables of the limits that users can change. Returns what sets each constant."""
    setters = {}
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    rows = [row for row in rows if row[0].strip("- ") not in ("", "limit")]
    for row in rows:
        if len(row) != 4:
            errors.append(f"`{row[0].strip()}` has {len(row)} cells, not 4")
            continue
        what, default, by, where = (cell.strip() for cell in row)
        groups = re.findall(r"((?:`\w+`, )*`\w+`) in `([^`]+)`", where)
        if not groups:
            errors.append(f"`{what}` names no constant")
        for names, path in groups:
            known = {it.name: it for it in constants(path)} if os.path.exists(path) else {}
            for name in re.findall(r"`(\w+)`", names):
                setters[path, name] = by
                found = known.get(name)
                if found is None or found.value is None:
                    errors.append(f"`{what}`: there is no constant `{name}` in {path}")
                elif not any(says(default, way) for way in found.ways()):
                    errors.append(f"`{what}` shows \"{default}\", but `{name}` is {' or '.join(sorted(found.ways()))}")
    print(f"{len(rows)} limits that users can change, {len(setters)} constants")
    return setters


def list_bounds(bounds, setters):
    """Returns the generated part of the document."""
    lines = [
        "",
        "## All limits",
        "",
        "One table for each crate. Paths are relative to the folder `src` of the crate.",
    ]
    crate = None
    for bound in bounds:
        here, _, path = bound.path.removeprefix("crates/").partition("/src/")
        if here != crate:
            crate = here
            lines += ["", f"### `{here}`", "", "| limit | value | set by | constant |", "|---|---|---|---|"]
        # The value has its own column.
        said = re.search(
            r"Default is [^:;]*?(?:[:;]|\.(?=\s|$)|, (?=\w)(?P<clause>.*?)(?:;|\.(?=\s|$)))", bound.comment
        )
        pieces = (bound.comment[: said.start()], bound.comment[said.end() :]) if said else (bound.comment,)
        value = f"{bound.shown()}, {said['clause']}" if said and said["clause"] else bound.shown()
        pieces = [piece.strip() for piece in pieces if piece.strip()]
        what = " ".join(piece[0].upper() + piece[1:] for piece in pieces).replace("|", "\\|")
        # Links of rustdoc lead nowhere here.
        what = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", what)
        by = setters.get((bound.path, bound.name), "–")
        lines.append(f"| {what} | {value} | {by} | `{bound.name}` in `{path}` |")
    return "\n".join(lines) + "\n"


def main():
    errors = []
    with open(DOCUMENT, encoding="utf-8") as document:
        written, marker, listed = document.read().partition(GENERATED)
    if not marker:
        sys.exit(f"{DOCUMENT}: missing line `{GENERATED.strip()}`")
    setters = check_tables(written, errors)
    known = list(all_constants())
    errors += [error for error in (it.error() for it in known) if error]
    wanted = list_bounds([it for it in known if it.bounds()], setters)
    if "--write" in sys.argv:
        with open(DOCUMENT, "w", encoding="utf-8") as document:
            document.write(written + GENERATED + wanted)
    elif listed != wanted:
        errors.append(f"{DOCUMENT} differs from the constants; run `python3 .ci/limits.py --write`")
    for error in errors:
        print(error)
    sys.exit(bool(errors))


main()
