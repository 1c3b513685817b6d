//! Crates with special settings, each in a separate workspace, like the crate of a user.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{list, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Runs `cargo <command>` for one fixture. Returns its output if it fails.
fn cargo(command: &str, fixture: &str) -> Option<String> {
    // Next to the build of this test, so that `cargo clean` removes it.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    let output = Command::new(env!("CARGO"))
        .args([command, "--quiet", "--package", fixture])
        .current_dir(folder())
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn fixtures_compile() {
    let mut checked = 0;
    let mut failed = Vec::new();
    for path in list(&folder()) {
        if !path.join("Cargo.toml").exists() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        checked += 1;
        failed.extend(cargo("check", &name).map(|said| format!("{name}:\n{said}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(checked >= 10, "only {checked} fixtures found");
}

/// The generated code passes the strictest lint groups of clippy.
#[test]
fn generated_code_passes_clippy() {
    let clippy = Command::new(env!("CARGO")).args(["clippy", "--version"]).output();
    if clippy.is_ok_and(|output| output.status.success()) {
        assert_eq!(cargo("clippy", "pedantic"), None);
        assert_eq!(cargo("clippy", "prompt-folder"), None);
    } else {
        eprintln!("clippy is not installed");
    }
}

/// A fixture is only meaningful if it uses no features or dependencies beyond those in its manifest.
#[test]
fn fixtures_depend_on_one_crate() {
    for path in list(&folder()) {
        let manifest = path.join("Cargo.toml");
        if manifest.exists() {
            let text = read(&manifest);
            let (_, dependencies) = text.split_once("[dependencies]").expect("dependencies");
            let lines = dependencies.lines().filter(|line| !line.trim().is_empty()).count();
            assert_eq!(lines, 1, "{}", manifest.display());
        }
    }
}
