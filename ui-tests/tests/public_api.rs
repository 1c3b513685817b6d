//! Compares the public API of `genkit` with `docs/public-api.txt`, item by item. Every change is visible in review, and
//! no type of a dependency gets into a signature unnoticed.
//!
//! `PUBLIC_API=overwrite cargo test -p ui-tests --test public_api` rewrites the list. Read its diff, and describe
//! breaking changes in `CHANGELOG.md`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use genkit_tests::cargo::cargo;

/// The JSON of rustdoc changes with the compiler, so the test runs only on the version that `public-api` supports.
const REVIEWED_ON: &str = "rustc 1.95.";

/// Crates that signatures may use in addition to the standard library and `genkit`. rmcp is used only in `mcp` and in
/// the raw calls of the testing client, clap only where a program adds its own arguments, tokio where a socket is one
/// of its streams, and tracing where telemetry is about its spans.
const PART_OF_THE_DEAL: [&str; 14] = [
    "alloc",
    "axum",
    "clap_builder",
    "core",
    "futures_core",
    "genkit",
    "rmcp",
    "schemars",
    "serde_core",
    "serde_json",
    "std",
    "str",
    "tokio",
    "tracing",
];

#[test]
fn the_public_api_is_the_one_that_is_listed() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&rustc.stdout).into_owned();
    if !version.starts_with(REVIEWED_ON) {
        eprintln!("the public API is not compared: read on {REVIEWED_ON}*, this is {version}");
        return;
    }
    let found = items();
    let file = repository().join("docs/public-api.txt");
    if std::env::var_os("PUBLIC_API").is_some_and(|how| how == "overwrite") {
        std::fs::write(&file, found.join("\n") + "\n").expect("the list is written");
    }
    let listed = std::fs::read_to_string(&file).expect("docs/public-api.txt is there");
    let listed: Vec<_> = listed.lines().map(str::to_owned).collect();
    let changes = changes(&listed, &found);
    assert!(
        changes.is_empty(),
        "the public API changed. If that is wanted, write docs/public-api.txt anew with \
         `PUBLIC_API=overwrite cargo test -p ui-tests --test public_api`, and say in CHANGELOG.md \
         what is breaking:\n{changes}"
    );
    let foreign: Vec<_> = found.iter().filter(|item| names_a_foreign_type(item)).collect();
    assert!(foreign.is_empty(), "a type of a dependency is in a signature: {foreign:#?}");
    let root = found.iter().filter(|item| is_type_of_the_root(item)).count();
    assert!((20..=32).contains(&root), "the root has {root} types; about 30 are what fits a page");
}

/// Returns one line for each item, in rustdoc's order, without derived impls.
fn items() -> Vec<String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let target = target.join("public-api");
    std::fs::create_dir_all(&target).expect("a folder for the wrapper");
    // Set the variable only for rustdoc. If cargo had it in its environment, every build script that depends on it
    // would run again.
    let wrapper = target.join("rustdoc");
    let script = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";
    std::fs::write(&wrapper, script).expect("the wrapper is written");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&wrapper, runs).expect("the wrapper runs");
    let built = cargo()
        // The same command as `cargo doc` of the workspace, so that its dependencies are checked once.
        .args(["doc", "-q", "--workspace", "--all-features", "--no-deps", "--lib"])
        .current_dir(repository())
        .env("RUSTDOC", &wrapper)
        .env("CARGO_TARGET_DIR", target.parent().expect("a target folder"))
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json --cap-lints allow")
        .status()
        .expect("cargo runs");
    assert!(built.success(), "rustdoc failed");
    let json = target.parent().expect("a target folder").join("doc/genkit.json");
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .expect("public-api reads the JSON of this rustdoc");
    let mut seen = HashSet::new();
    let mut lines: Vec<_> = api.items().map(ToString::to_string).collect();
    // An item that is visible at two paths is listed once.
    lines.retain(|line| seen.insert(line.clone()));
    lines
}

fn changes(listed: &[String], found: &[String]) -> String {
    let (was, is): (HashSet<_>, HashSet<_>) = (listed.iter().collect(), found.iter().collect());
    let mut changes = String::new();
    for gone in listed.iter().filter(|line| !is.contains(line)) {
        writeln!(changes, "- {gone}").expect("a string");
    }
    for new in found.iter().filter(|line| !was.contains(line)) {
        writeln!(changes, "+ {new}").expect("a string");
    }
    changes
}

/// Returns whether a path begins with a crate that is not allowed. Paths begin with the crate that defines the type.
fn names_a_foreign_type(item: &str) -> bool {
    let mut last = ' ';
    let mut start = 0;
    for (at, letter) in item.char_indices() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        let was_word = last.is_alphanumeric() || last == '_';
        if is_word && !was_word {
            start = at;
        }
        if !is_word && was_word && item[at..].starts_with("::") && !item[..start].ends_with("::") {
            let name = &item[start..at];
            let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
            if lower && !PART_OF_THE_DEAL.contains(&name) {
                return true;
            }
            if name == "rmcp" && !item.contains("genkit::mcp::") && !item.contains("::testing::") {
                return true;
            }
        }
        last = letter;
    }
    false
}

/// Returns whether an item such as `pub struct genkit::Tool(_)` is a type or trait at the root.
fn is_type_of_the_root(item: &str) -> bool {
    let mut words = item.split(' ').skip_while(|word| matches!(*word, "pub" | "#[non_exhaustive]"));
    let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type"));
    let path = words.next().unwrap_or_default();
    is_type && path.starts_with("genkit::") && path.matches("::").count() == 1
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
