#!/usr/bin/env python3
"""Lowest versions guard: the libraries build with the oldest versions that their manifests allow.

Copies the libraries without their tests and what these need into the target folder, resolves each of
our direct dependencies to its lowest version (`-Zdirect-minimal-versions`, which only this one resolution
is allowed), and checks each library with all features. Whoever has an older lock file than we have gets
what compiles. About two minutes on two cores the first time; what it built is kept.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Tables of a manifest that are for tests alone; what they name need not have a lowest version.
TESTS = re.compile(r"^\[+(?:target\..*\.)?(?:dev-dependencies|bench|test|example)\b")

# One resolution holds for all libraries: what one dependency asks for would raise the requirements of all others.
LEFT_OUT = {"genkit-restate": "`restate-sdk` asks for newer versions of what genkit needs, too"}


def run(command, folder, **variables):
    print(f"$ {' '.join(command)}", flush=True)
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def without_tests(manifest):
    kept, skips = [], False
    for line in manifest.splitlines():
        if line.startswith("["):
            skips = bool(TESTS.match(line))
        if not skips:
            kept.append(line)
    return "\n".join(kept) + "\n"


def copy(packages, root, folder):
    shutil.rmtree(folder, ignore_errors=True)
    members = []
    for package in packages:
        path = Path(package["manifest_path"]).parent
        member = path.relative_to(root)
        shutil.copytree(path, folder / member, ignore=shutil.ignore_patterns("benches", "examples", "tests"))
        manifest = folder / member / "Cargo.toml"
        manifest.write_text(without_tests(manifest.read_text()))
        members.append(str(member))
    for name in ("README.md", "LICENSE"):
        shutil.copy(root / name, folder / name)
    workspace = re.sub(r"^members = .*$", f"members = {json.dumps(members)}", (root / "Cargo.toml").read_text(), flags=re.M)
    (folder / "Cargo.toml").write_text(workspace)


def main():
    listed = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version=1"], capture_output=True, text=True, check=True)
    metadata = json.loads(listed.stdout)
    # `publish = []` is what `publish = false` becomes.
    packages = [package for package in metadata["packages"] if package["publish"] != [] and package["name"] not in LEFT_OUT]
    for name, why in LEFT_OUT.items():
        print(f"lowest: {name} is left out: {why}")
    target = Path(metadata["target_directory"]) / "lowest"
    folder = target / "src"
    copy(packages, Path(metadata["workspace_root"]), folder)
    if run(["cargo", "update", "-Zdirect-minimal-versions"], folder, RUSTC_BOOTSTRAP="1"):
        sys.exit("lowest: a requirement is below what another dependency asks for: raise it to that")
    # Each alone: in one build the features of one would help another.
    failed = [
        package["name"]
        for package in packages
        if run(["cargo", "check", "--all-features", "-p", package["name"]], folder, CARGO_TARGET_DIR=str(target / "build"))
    ]
    if failed:
        sys.exit(f"lowest: {', '.join(failed)}: raise the requirements that lack what they use")
    print(f"lowest: {len(packages)} libraries build with the lowest versions of their dependencies")


main()
