//! The browser, and our scripts that drive it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{packages, program};

/// How long a person may take for everything.
const PATIENCE: Duration = Duration::from_secs(180);

/// Our scripts, which import the first two.
const SCRIPTS: [(&str, &str); 5] = [
    ("chromium.mjs", include_str!("chromium.mjs")),
    ("visits.mjs", include_str!("visits.mjs")),
    ("login.mjs", include_str!("login.mjs")),
    ("inspector.mjs", include_str!("inspector.mjs")),
    ("inspector_login.mjs", include_str!("inspector_login.mjs")),
];

/// A command for a script with its browser; none where there is no browser, which is said.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn browser() -> Option<(Command, PathBuf)> {
    let folder = packages::chromium();
    let mut node = packages::tool(Path::new("node"));
    node.env("LD_LIBRARY_PATH", folder.join("lib")).env("FONTCONFIG_PATH", &folder);
    Some((node, folder.join("chromium")))
}

/// The system's, where npm has none.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn browser() -> Option<(Command, PathBuf)> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        genkit_tests::print_uncaptured("== no browser: install Chromium for the tests of pages\n");
    }
    Some((packages::tool(Path::new("node")), found?))
}

/// Whether there is a browser; a test goes no further without one.
pub(super) fn is_there() -> bool {
    browser().is_some()
}

/// What a script read.
pub(super) fn drive(test: &str, script: &str, arguments: &[&str]) -> Value {
    let (mut node, chromium) = browser().expect("a test asks first whether it is there");
    let folder = packages::scratch(test);
    for (name, source) in SCRIPTS {
        fs::write(folder.join(name), source).expect("our scripts are written");
    }
    node.current_dir(&folder).arg(script).arg(chromium).arg(&folder).args(arguments);
    let ran = program::run(&mut node, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{}\npictures: {}", ran.story(), folder.display());
    serde_json::from_str(&ran.stdout).expect("a document")
}
