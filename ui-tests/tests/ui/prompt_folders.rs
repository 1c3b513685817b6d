//! Programs that embed folders of prompts: the compiler's messages for each, and rebuilding after a change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{list, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("prompt-folders")
}

/// Returns the compiler's messages for a program in the crate at `path`.
fn said(path: &Path, program: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--bin", program])
        .current_dir(path)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> =
        said.lines().filter(|line| !line.starts_with("error: could not compile")).collect();
    said.join("\n").trim().to_owned()
}

/// `TRYBUILD=overwrite` rewrites the messages.
#[test]
fn errors_in_a_folder_have_positions() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    if !String::from_utf8_lossy(&rustc.stdout).starts_with(super::REVIEWED_ON) {
        eprintln!("messages are not compared: reviewed on {}*", super::REVIEWED_ON);
        return;
    }
    let mut wrong = Vec::new();
    for case in list(&folder().join("src/bin")) {
        let program = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (said, kept) = (said(&folder(), &program), case.join("said.txt"));
        if std::env::var("TRYBUILD").is_ok_and(|how| how == "overwrite") && !said.is_empty() {
            fs::write(&kept, format!("{said}\n")).expect("the file can be written");
        }
        let expected = if kept.exists() { read(&kept) } else { String::new() };
        if expected.trim() != said {
            wrong.push(format!("== {program}\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Cargo rebuilds the program if a file changes or is removed, because the program includes it.
#[test]
fn change_of_a_file_builds_again() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prompt-folder-changes");
    let prompts = scratch.join("prompts");
    fs::create_dir_all(scratch.join("src")).expect("a folder");
    let _ = fs::remove_dir_all(&prompts);
    fs::create_dir_all(&prompts).expect("a folder");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../genkit");
    let manifest = format!(
        "[package]\nname = \"changes\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         genkit = {{ path = {library:?}, features = [\"dotprompt\"] }}\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest).expect("a file");
    let program = "genkit::prompts!(\"prompts\");\nfn main() { let _ = prompts::trip(); }\n";
    fs::write(scratch.join("src/main.rs"), program).expect("a file");
    let write = |name: &str, text: &str| fs::write(prompts.join(name), text).expect("a file");

    write("trip.prompt", "{{> top}}A trip!");
    write("_top.prompt", "Hello.");
    assert_eq!(said(&scratch, "changes"), "");
    write("trip.prompt", "{{> top}}A trip! {{#if x}}");
    let broken = said(&scratch, "changes");
    assert!(broken.contains("prompts/trip.prompt:1:18: this block is never closed"), "{broken}");
    write("trip.prompt", "{{> top}}Another trip!");
    assert_eq!(said(&scratch, "changes"), "");
    fs::remove_file(prompts.join("_top.prompt")).expect("the file is there");
    let gone = said(&scratch, "changes");
    assert!(gone.contains("prompts/trip.prompt:1:1: unknown partial `top`"), "{gone}");
}
