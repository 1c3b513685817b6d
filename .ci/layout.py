#!/usr/bin/env python3
"""Layout guard: imports between modules, folder sizes, type names, paths in the documents.

Fails on an arrow that runs up the table of rooms in docs/architecture.md, on a circle of rooms, on
more than 8 pairs of files that import each other, on a folder with more than 16 source files, on a
path in the documents that does not exist, and where over 12 % of the types share a name.
`--arrows` prints every import, `--names` every shared name.
"""
import collections
import os
import re
import subprocess
import sys

PAIRS, FOLDER, SHARED = 8, 16, 12.0
DOCUMENTS = ["docs/architecture.md", "CONTRIBUTING.md", "README.md"]
# One of each stands in a module of its own, and is read with it: `sse::Error`, `schema::Kind`.
PER_MODULE = {"Error", "Kind", "Builder"}


def listed(*patterns):
    command = ["git", "ls-files", "-co", "--exclude-standard", *patterns]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [path for path in found if os.path.exists(path)]


def is_test(path):
    return re.search(r"(^|/)tests?(/|\.rs$)|^ui-tests/|/benches/", path) is not None


def code_of(path):
    """The text without its tests, comments and literals."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    text = re.split(r"\n#\[cfg\((?:test|all\(test,[^\n]*\))\)\]\n(?:#\[[^\n]*\]\n)*mod \w+ \{", text)[0]
    text = re.sub(r"#\[cfg\(test\)\]\n(?:pub(?:\([^)]*\))? )?(?:use|mod) [^;]*;", "", text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


class Crate:
    def __init__(self, name, source):
        self.name, self.source = name, source
        self.files = {p: code_of(p) for p in listed(f"{source}/*.rs") if not is_test(p)}
        self.module_of, self.file_of = {}, {}
        for path in self.files:
            parts = path[len(source) + 1 : -3].split("/")
            module = tuple(parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts)
            self.module_of[path], self.file_of[module] = module, path
        self.uses = {path: list(uses_of(text)) for path, text in self.files.items()}
        # An exported macro is a name of the root, wherever it is written.
        exported = r"#\[macro_export\](?:\s*#\[[^\]]*\])*\s*macro_rules! (\w+)"
        self.macros = {n: p for p, text in self.files.items() for n in re.findall(exported, text)}
        self.items = {
            path: set(re.findall(
                r"\b(?:struct|enum|trait|type|fn|const|static|union|macro_rules!) (\w+)", text
            ))
            for path, text in self.files.items()
        }

    def absolute(self, path, module):
        """The segments of a path as this module writes it, from the root of the crate."""
        if path[0] == "crate":
            return path[1:]
        if path[0] == "self":
            return (*module, *path[1:])
        if path[0] == "super":
            while path and path[0] == "super":
                path, module = path[1:], module[:-1]
            return (*module, *path)
        # `use child::Item` names a module beside or below.
        return (*module, *path) if (*module, path[0]) in self.file_of else None

    def target(self, segments, seen=frozenset()):
        """The file that defines what the segments name: through re-exports."""
        if segments is None or segments in seen:
            return None
        if len(segments) == 1 and segments[0] in self.macros:
            return self.macros[segments[0]]
        end = max(i for i in range(len(segments) + 1) if segments[:i] in self.file_of)
        module, rest = segments[:end], segments[end:]
        path = self.file_of[module]
        if not rest or rest[0] in self.items[path]:
            return path
        for used, name, _ in self.uses[path]:
            if name in (rest[0], "*"):
                inner = self.absolute(used, module)
                if inner is None:
                    continue
                inner = (*inner, *rest) if name == "*" else (*inner, *rest[1:])
                found = self.target(inner, seen | {segments})
                if found and (name != "*" or rest[0] in self.items[found]):
                    return found
        return path

    def arrows(self):
        """(from, to): each import of a file, and each path that is written out."""
        found = set()
        for path, text in self.files.items():
            module = self.module_of[path]
            written = re.findall(r"(?<!\$)\b(?:crate|super|self)(?:::\w+)+", re.sub(r"\buse [^;]*;", "", text))
            named = [tuple(one.split("::")) for one in written]
            # What a module only hands on is no dependence of its own.
            named += [used for used, _, handed_on in self.uses[path] if not handed_on]
            for one in named:
                to = self.target(self.absolute(one, module))
                if to and to != path:
                    found.add((path, to))
        return found


def uses_of(text):
    """(path, name, is it handed on) of each leaf of each `use`."""
    for visibility, tree in re.findall(r"^\s*(pub(?:\([^)]*\))? )?use ([^;]*);", text, re.M):
        for path, name in leaves(re.sub(r"\s+", " ", tree.strip())):
            yield path, name, bool(visibility)


def leaves(tree, before=()):
    head, brace, body = tree.partition("{")
    if brace:
        before = (*before, *[part.strip() for part in head.split("::") if part.strip()])
        depth, start, body = 0, 0, body.rstrip()[:-1]
        for at, letter in enumerate(body + ","):
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                if body[start:at].strip():
                    yield from leaves(body[start:at].strip(), before)
                start = at + 1
        return
    path, _, alias = tree.partition(" as ")
    path = (*before, *[part.strip() for part in path.split("::") if part.strip()])
    if path[-1] == "self":
        path = path[:-1]
    if path[-1] == "*":
        yield path[:-1], "*"
    else:
        yield path, alias.strip() or path[-1]


def circles(edges):
    """The strongly connected components of more than one node."""
    graph = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    reach = {}
    for node in list(graph):
        seen, todo = set(), [node]
        while todo:
            for other in graph.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        reach[node] = seen
    groups = {frozenset([n, *(m for m in reach[n] if n in reach.get(m, ()))]) for n in reach}
    return [sorted(group) for group in groups if len(group) > 1]


def room_of(path, rooms):
    """The room of a file: the longest row of the table that it stands in."""
    within = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(within, key=len, default=None)


def table_of_rooms():
    """The rows of the table under `## Rooms`, from high to low; paths without a crate are in `genkit/src`."""
    with open("docs/architecture.md", encoding="utf-8") as text:
        section = text.read().partition("\n## Rooms")[2].partition("\n## ")[0]
    rows = [path.rstrip("/") for path in re.findall(r"^\| `([^`]+)`", section, re.M)]
    return [row if row.startswith(("genkit", "crates/")) else f"genkit/src/{row}" for row in rows]


def main():
    wrong = []
    crates = [Crate("genkit", "genkit/src"), Crate("genkit-macros", "genkit-macros/src")]
    crates += [Crate(os.path.basename(d), f"{d}/src") for d in sorted(
        os.path.join("crates", d) for d in (os.listdir("crates") if os.path.isdir("crates") else [])
    )]
    arrows = set().union(*(crate.arrows() for crate in crates))
    if "--arrows" in sys.argv:
        for a, b in sorted(arrows):
            print(f"{a} -> {b}")

    order = {room: place for place, room in enumerate(table_of_rooms())}
    room = {path: room_of(path, order) for crate in crates for path in crate.files}
    wrong += [f"{path}: in no row of the table of rooms" for path in sorted(room) if not room[path]]
    wrong += [f"{row}: a row of the table without a source" for row in order if row not in room.values()]
    between = {(room[a], room[b]) for a, b in arrows if room[a] and room[b] and room[a] != room[b]}
    for a, b in sorted(arrows):
        if order.get(room[a], 0) > order.get(room[b], 0):
            wrong.append(f"{a} imports {b}, which stands above it")
    wrong += [f"circle of rooms: {', '.join(circle)}" for circle in circles(between)]
    pairs = sorted((a, b) for a, b in arrows if a < b and (b, a) in arrows)
    for a, b in pairs:
        print(f"import each other: {a} and {b}")
    if len(pairs) > PAIRS:
        wrong.append(f"{len(pairs)} pairs of files import each other, over {PAIRS}")

    folders = collections.Counter(os.path.dirname(path) for path in listed("*.rs"))
    for folder, count in folders.items():
        if count > FOLDER and not folder.startswith("ui-tests/cases"):
            wrong.append(f"{folder}: {count} source files, over {FOLDER}")

    types = collections.defaultdict(list)
    for crate in crates:
        for path, text in crate.files.items():
            definition = r"^(\s*)(?:pub(?:\([^)]*\))? )?(struct|enum|trait|type|union) (\w+)"
            for indent, kind, name in re.findall(definition, text, re.M):
                if kind != "type" or not indent.strip("\n"):
                    types[name].append(path)
    shared = {n: paths for n, paths in types.items() if len(paths) > 1 and n not in PER_MODULE}
    count = sum(map(len, types.values()))
    share = 100 * sum(map(len, shared.values())) / count
    if "--names" in sys.argv:
        for name, paths in sorted(shared.items(), key=lambda row: -len(row[1])):
            print(f"{len(paths)} {name}: {', '.join(paths)}")
    if share > SHARED:
        wrong.append(f"{share:.1f} % of the types share a name, over {SHARED} % (`--names` lists them)")

    for document in DOCUMENTS:
        with open(document, encoding="utf-8") as text:
            for path in re.findall(r"`([\w.-]+/[\w./-]+)`", text.read()):
                bases = ("", "genkit/", "genkit/src/", "genkit-macros/src/")
                looks_like_one = re.search(r"\.(rs|md|py|json|toml)$|/$", path)
                if looks_like_one and not any(os.path.exists(base + path) for base in bases):
                    wrong.append(f"{document} names {path}, which does not exist")

    print(
        f"{len(order)} rooms, {len(arrows)} imports, {len(pairs)} pairs that import each other, "
        f"{count} types, {share:.1f} % share a name"
    )
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


main()
