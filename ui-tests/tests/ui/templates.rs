//! The templates for `cargo generate`, expanded into a workspace of their own, built and tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{list, read};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Copies a folder, with the placeholders of its files replaced.
fn expand(from: &Path, to: &Path, replace: &dyn Fn(&str) -> String) {
    fs::create_dir_all(to).expect("a folder under target/");
    for path in list(from) {
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            expand(&path, &target, replace);
        } else if path.file_name().is_some_and(|name| name != "cargo-generate.toml") {
            fs::write(target, replace(&read(&path))).expect("a file under target/");
        }
    }
}

#[test]
fn templates_build_and_pass_their_tests() {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates");
    let _ = fs::remove_dir_all(workspace.join("projects"));
    let genkit = fs::canonicalize(root().join("genkit")).expect("the library");
    let mut count = 0;
    for template in list(&root().join("templates")) {
        let name = template.file_name().expect("a name").to_string_lossy().into_owned();
        let replace = |text: &str| {
            text.replace("{{project-name}}", &format!("my-{name}"))
                .replace("{{authors}}", "Ada <ada@example.com>")
                .replace("{{genkit}}", &format!("path = {:?}", genkit.display().to_string()))
        };
        let readme = read(&template.join("README.md"));
        assert!(readme.lines().count() <= 30, "{name}: the README is too long");
        expand(&template, &workspace.join("projects").join(&name), &replace);
        count += 1;
    }
    assert!(count >= 4, "only {count} templates found");
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"projects/*\"]\n";
    fs::write(workspace.join("Cargo.toml"), manifest).expect("a file under target/");
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--workspace"])
        .current_dir(&workspace)
        .env("CARGO_TARGET_DIR", workspace.join("target"))
        .env("RUSTFLAGS", "-D warnings")
        .output()
        .expect("cargo runs");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
}
