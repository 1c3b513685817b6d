#!/usr/bin/env bash
# Renames the package `genkit` in all manifests, for a release under a free name: `.ci/rename-package.sh genkit-rs`. Programs
# import it as `genkit` all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?the new name of the package}
sed -i "0,/^name = \"genkit\"\$/s//name = \"$name\"/" genkit/Cargo.toml
find . -name Cargo.toml -not -path './target/*' -print0 | xargs -0 sed -i -E \
    -e "s/package = \"genkit\"/package = \"$name\"/" \
    -e "s/^genkit = \{ path = /genkit = { package = \"$name\", path = /"
