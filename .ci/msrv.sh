#!/usr/bin/env bash
# Checks the packages and the compiler's messages with the oldest compiler that the workspace supports. A case whose
# messages differ there has a second file, `<case>.msrv.stderr`. `UPDATE=1 .ci/msrv.sh` writes these files again.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)
if ! rustup toolchain install "$version" --profile minimal --no-self-update; then
    echo "Rust $version is not checked: rustup cannot install it"
    # On other machines, the toolchain's server may be out of reach.
    exit "$([[ -n ${GITHUB_ACTIONS:-} ]] && echo 1 || echo 0)"
fi
root=$PWD
copy=${CARGO_TARGET_DIR:-$root/target}/msrv
mkdir -p "$copy"
trap 'find "$copy" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +' EXIT
git ls-files -z | xargs -0 cp --parents -t "$copy"
cd "$copy"
export CARGO_TARGET_DIR=$copy/target RUSTUP_TOOLCHAIN=$version

# Packages with a newer `rust-version` are left out.
excluded=()
for manifest in $(git -C "$root" ls-files '*/Cargo.toml'); do
    if grep -q '^rust-version = "' "$manifest"; then
        excluded+=(--exclude "$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -1)")
    fi
done
cargo check --workspace --all-features "${excluded[@]}"

cd ui-tests
if [[ -z ${UPDATE:-} ]]; then
    find cases -name '*.msrv.stderr' | while read -r messages; do
        cp "$messages" "${messages%.msrv.stderr}.stderr"
    done
    UI_MSRV=1 cargo test -p ui-tests --test ui _cases_
    exit
fi
UI_MSRV=1 TRYBUILD=overwrite cargo test -p ui-tests --test ui _cases_
find cases -name '*.stderr' ! -name '*.msrv.stderr' | while read -r messages; do
    reviewed=$root/ui-tests/$messages
    if cmp -s "$messages" "$reviewed"; then
        rm -f "${reviewed%.stderr}.msrv.stderr"
    else
        cp "$messages" "${reviewed%.stderr}.msrv.stderr"
    fi
done
