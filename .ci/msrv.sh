#!/usr/bin/env bash
# Checks the libraries with the oldest compiler and the oldest dependencies that their manifests allow, then compares the
# messages of this compiler for the cases of `ui-tests`, with the newest dependencies. A case whose messages differ
# there has a second file, `<case>.msrv.stderr`. `UPDATE=1 .ci/msrv.sh` writes these files again.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)
if ! rustup toolchain install "$version" --profile minimal --no-self-update; then
    echo "Rust $version is not checked: rustup cannot install it"
    # On other machines, the toolchain's server may be out of reach.
    exit "$([[ -n ${GITHUB_ACTIONS:-} ]] && echo 1 || echo 0)"
fi
root=$PWD
# The program of the ui tests, built with the current compiler and the features of the test command. Its cases are
# compiled with the oldest one.
ui=$(cargo test --workspace --all-features --test ui --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\/ui-[^"]*\)".*/\1/p')
copy=${CARGO_TARGET_DIR:-$root/target}/msrv
mkdir -p "$copy"
trap 'find "$copy" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +' EXIT
git ls-files -z | xargs -0 cp --parents -t "$copy"
cd "$copy"
export CARGO_TARGET_DIR=$copy/target RUSTUP_TOOLCHAIN=$version

# The oldest dependencies. Packages with a newer `rust-version` are left out: their dependencies require newer versions of
# those that genkit uses, too. The resolution needs an unstable flag.
newer=$(grep -l '^rust-version = "' crates/*/Cargo.toml | xargs dirname)
(
    mkdir lowest && cp -r Cargo.toml genkit genkit-macros crates lowest && cd lowest
    for crate in $newer; do
        rm -r "$crate"
        sed -i "/^$(basename "$crate") = /d" Cargo.toml
    done
    sed -i 's/^members = .*/members = ["genkit", "genkit-macros", "crates\/*"]/' Cargo.toml
    # Development dependencies do not need a lowest version.
    find . -name Cargo.toml -exec sed -i '/^\[dev-dependencies\]/,/^\[/{/^\[dev-dependencies\]/d;/^\[/!d}' {} +
    export RUSTC_BOOTSTRAP=1
    cargo -Z direct-minimal-versions generate-lockfile
    cargo check --workspace --lib --all-features
)

# The compiler's messages.
cd ui-tests
export UI_MSRV=1 CARGO_MANIFEST_DIR=$PWD CARGO
CARGO=$(rustup which cargo)
if [[ -z ${UPDATE:-} ]]; then
    find cases -name '*.msrv.stderr' | while read -r messages; do
        cp "$messages" "${messages%.msrv.stderr}.stderr"
    done
    "$ui" _cases_
    exit
fi
TRYBUILD=overwrite "$ui" _cases_
find cases -name '*.stderr' ! -name '*.msrv.stderr' | while read -r messages; do
    reviewed=$root/ui-tests/$messages
    if cmp -s "$messages" "$reviewed"; then
        rm -f "${reviewed%.stderr}.msrv.stderr"
    else
        cp "$messages" "${reviewed%.stderr}.msrv.stderr"
    fi
done
