#!/usr/bin/env python3
"""Package guard: each library makes a package that stands by itself.

Packs all libraries with `cargo package`, which asks a version of every dependency between them, and
fails on a package without a licence, on one whose sources reach out of it, and on a library that is
not packed. `--verify` builds each package too, as its user would, which takes some minutes.
"""
import json
import posixpath
import re
import subprocess
import sys
import tarfile

# What reads a file at compile time, from where its own file lies.
READ = re.compile(r'(?:include(?:_str|_bytes)?!\s*\(|#\[path\s*=)\s*"([^"]+)"')


def cargo(*arguments):
    # The index is asked only where something is not on this machine: that takes a minute.
    for offline in (["--offline"], []):
        command = ["cargo", *arguments, *offline]
        result = subprocess.run(command, capture_output=True, text=True)
        if not result.returncode:
            break
    else:
        sys.exit(f"$ cargo {' '.join(arguments)}\n{result.stderr}")
    return result.stdout


def problems(package, path):
    with tarfile.open(path) as archive:
        names = archive.getnames()
        root = names[0].split("/")[0]
        wanted = ["LICENSE"] + ["README.md"] * (package == "genkit")
        for name in wanted:
            if f"{root}/{name}" not in names:
                yield f"{package}: no `{name}` in the package"
        for name in (name for name in names if name.endswith(".rs")):
            text = archive.extractfile(name).read().decode().split("#[cfg(test)]\nmod tests {")[0]
            for read in READ.findall(text):
                found = posixpath.normpath(posixpath.join(posixpath.dirname(name), read))
                if found not in names:
                    yield f"{name}: `{read}` is not in the package"


def main():
    metadata = json.loads(cargo("metadata", "--no-deps", "--format-version=1"))
    # `publish = []` is what `publish = false` becomes.
    packages = [p for p in metadata["packages"] if p["publish"] != []]
    names = [p["name"] for p in packages]
    target = f"{metadata['target_directory']}/packages"
    chosen = [argument for name in names for argument in ("-p", name)]
    verify = [] if "--verify" in sys.argv else ["--no-verify"]
    cargo("package", "--allow-dirty", "--target-dir", target, *verify, *chosen)
    packed = [(p["name"], f"{target}/package/{p['name']}-{p['version']}.crate") for p in packages]
    bad = [line for name, path in packed for line in problems(name, path)]
    print("\n".join(bad) or f"packages: {len(packages)} stand by themselves")
    sys.exit(bool(bad))


main()
