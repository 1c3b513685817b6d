#!/usr/bin/env python3
"""A preprocessor of mdBook: labels whose target is no page of the book become their text.

`[`Tool`]` leads to the source on a code host and to the item in rustdoc; a book has neither.
"""
import json
import re
import sys

DEFINITION = re.compile(r"^\[([^\]\n]+)\]: (\.\./\S+)\n", re.M)


def in_book(text):
    for label, _ in DEFINITION.findall(text):
        text = text.replace(f"[{label}]", label)
    # What a definition has become.
    return re.sub(r"^\S.*?: \.\./\S+\n", "", text, flags=re.M)


def walk(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            chapter["content"] = in_book(chapter["content"])
            walk(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    walk(book.get("sections") or book.get("items") or [])
    json.dump(book, sys.stdout)


main()
