//! The cases in `cases/<topic>`: code that must not compile, with the compiler's messages, and for each case a
//! corrected version that compiles. The fixtures in `fixtures` are crates with special settings.
//!
//! `TRYBUILD=overwrite cargo test -p ui-tests` rewrites the messages. Read them from a newcomer's point of view before
//! you commit them.

#[path = "ui/fixtures.rs"]
mod fixtures;
#[path = "ui/order.rs"]
mod order;
#[path = "ui/prompt_folders.rs"]
mod prompt_folders;
#[path = "ui/published.rs"]
mod published;
#[path = "ui/templates.rs"]
mod templates;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Messages change between compilers, so they are compared only on the version for which they were reviewed, and by
/// `.ci/msrv.sh` on the oldest version that is supported.
const REVIEWED_ON: &str = "rustc 1.95.";

#[test]
fn compile_fail_cases_match_their_messages() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&rustc.stdout).into_owned();
    if version.starts_with(REVIEWED_ON) || std::env::var_os("UI_MSRV").is_some() {
        trybuild::TestCases::new().compile_fail("cases/*/fail/*.rs");
    } else {
        eprintln!("messages are not compared: reviewed on {REVIEWED_ON}*, this is {version}");
    }
}

#[test]
fn compile_pass_cases_compile() {
    trybuild::TestCases::new().pass("cases/*/pass/*.rs");
}

/// Returns the files of all topics in a folder `fail` or `pass`.
fn cases(outcome: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for topic in list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")) {
        files.extend(list(&topic.join(outcome)));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(!files.is_empty(), "no case found");
    files
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
