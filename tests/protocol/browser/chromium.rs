//! The browser, and the scripts that drive it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{packages, program};

/// The time limit of a script.
const PATIENCE: Duration = Duration::from_secs(600);

/// The scripts, which import the first two.
const SCRIPTS: [(&str, &str); 7] = [
    ("chromium.mjs", include_str!("chromium.mjs")),
    ("visits.mjs", include_str!("visits.mjs")),
    ("login.mjs", include_str!("login.mjs")),
    ("inspector.mjs", include_str!("inspector.mjs")),
    ("chat.mjs", include_str!("chat.mjs")),
    ("inspector_apps.mjs", include_str!("inspector_apps.mjs")),
    ("inspector_login.mjs", include_str!("inspector_login.mjs")),
];

/// Returns a command for a script with its browser, or prints that there is no browser and returns `None`.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn browser() -> Option<(Command, PathBuf)> {
    let folder = packages::chromium();
    let mut node = packages::tool(Path::new("node"));
    node.env("LD_LIBRARY_PATH", folder.join("lib")).env("FONTCONFIG_PATH", &folder);
    Some((node, folder.join("chromium")))
}

/// The system's browser, if npm has none.
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

/// Returns whether there is a browser. Without one, a test is skipped.
pub(super) fn is_there() -> bool {
    browser().is_some()
}

/// The exit code of a script whose page crashed or no longer responds.
const DEAD: i32 = 75;

/// The number of attempts, of which all but the last may end with a dead page.
const ATTEMPTS: usize = 3;

/// Starts what a script needs, runs the script, and returns what it read. `start` returns what must live while the
/// script runs, and the arguments of the script.
pub(super) fn drive<T>(test: &str, script: &str, start: impl Fn() -> (T, Vec<String>)) -> Value {
    for _ in 1..ATTEMPTS {
        let (_started, arguments) = start();
        match run_script(test, script, &arguments) {
            Ok(read) => return read,
            Err(story) => eprintln!("the browser died and is started again\n{story}"),
        }
    }
    let (_started, arguments) = start();
    run_script(test, script, &arguments).unwrap_or_else(|story| panic!("{story}"))
}

/// Runs a script, and returns what it read, or an error if its page died.
fn run_script(test: &str, script: &str, arguments: &[String]) -> Result<Value, String> {
    let (mut node, chromium) = browser().expect("a test asks first whether it is there");
    let folder = packages::scratch(test);
    for (name, source) in SCRIPTS {
        fs::write(folder.join(name), source).expect("our scripts are written");
    }
    node.current_dir(&folder).arg(script).arg(chromium).arg(&folder).args(arguments);
    let ran = program::run(&mut node, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    if ran.code == Some(DEAD) {
        return Err(ran.story());
    }
    assert_eq!(ran.code, Some(0), "{}\npictures: {}", ran.story(), folder.display());
    Ok(serde_json::from_str(&ran.stdout).expect("a document"))
}
