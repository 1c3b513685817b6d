#!/usr/bin/env python3
"""Crate guard: docs/architecture.md says what each feature brings, and why.

Counts with `cargo tree`, which builds nothing, on one target, and fails on a feature without a row, on
a crate that a feature names and its row does not, and on a feature that brings more crates than its
row says. `--update` writes the counts.
"""
import re
import subprocess
import sys
import tomllib

PAGE = "docs/architecture.md"
TITLE = "## Crates of each feature, and why"
TARGET = "x86_64-unknown-linux-gnu"
# On by default, so counted everywhere; the row `none` is this one alone.
BASE = "inventory"
# Sets of features, not features.
SETS = {"default", BASE}


def crates(feature):
    command = ["cargo", "tree", "-p", "genkit", "--edges", "normal,build", "--prefix", "none",
               "--target", TARGET, "--no-default-features", "--features", f"{BASE},{feature}"]
    # The index is asked only where something is not on this machine.
    for offline in (["--offline"], []):
        result = subprocess.run(command + offline, capture_output=True, text=True)
        if not result.returncode:
            return {line.removesuffix(" (*)") for line in result.stdout.splitlines()}
    sys.exit(f"$ {' '.join(command)}\n{result.stderr}")


def rows(text):
    """What the table says: of each feature the number and the rest of its row."""
    start = text.find(f"{TITLE}\n")
    if start < 0:
        sys.exit(f"{PAGE}: no `{TITLE}`")
    section = text[start:].split("\n## ", 2)[0]
    found = re.findall(r"^\| (?:`([\w-]+)`|none) \| (\d+) \| (.*) \|$", section, re.M)
    return {feature: (int(count), rest) for feature, count, rest in found}


def named(feature, features):
    """The crates that a feature switches on by name."""
    for part in features.get(feature, []):
        if part.startswith("dep:"):
            yield part.removeprefix("dep:")


def main():
    with open("genkit/Cargo.toml", "rb") as file:
        manifest = tomllib.load(file)
    features = manifest["features"]
    text = open(PAGE).read()
    told, bad = rows(text), []
    base_row = told.get("", (0, ""))[1]
    for name, dependency in manifest["dependencies"].items():
        is_optional = isinstance(dependency, dict) and dependency.get("optional")
        if not is_optional and f"`{name}`" not in base_row:
            bad.append(f"{PAGE}: the row `none` does not say what `{name}` is for")
    for feature in ["", *sorted(set(features) - SETS)]:
        called = f"`{feature}`" if feature else "none"
        if feature not in told:
            bad.append(f"{PAGE}: no row of {called} under `{TITLE.lstrip('# ')}`")
            continue
        count, rest = told[feature]
        bad += [f"{PAGE}: the row of {called} does not say what `{name}` is for"
                for name in named(feature, features) if f"`{name}`" not in rest]
        is_now = len(crates(feature))
        if "--update" in sys.argv:
            row = f"| {called} | {count} | {rest} |"
            text = text.replace(row, f"| {called} | {is_now} | {rest} |")
        elif is_now > count:
            bad.append(f"{PAGE}: {called} brings {is_now} crates, not {count}: see `cargo tree`")
    bad += [f"{PAGE}: there is no feature `{feature}`" for feature in set(told) - set(features) - {""}]
    if "--update" in sys.argv:
        with open(PAGE, "w") as file:
            file.write(text)
    print("\n".join(bad) or f"crates: {len(told)} rows hold")
    sys.exit(bool(bad))


main()
