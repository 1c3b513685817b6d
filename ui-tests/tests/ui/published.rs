//! Programs that depend on the package under the name of its release.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The name of the release, see `docs/decisions/package-name.md`.
const NAME: &str = "genkit-rs";

/// Copies the files of the repository.
fn copy_repository(to: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .expect("git runs");
    assert!(listing.status.success(), "{}", String::from_utf8_lossy(&listing.stderr));
    let names = String::from_utf8(listing.stdout).expect("UTF-8");
    for name in names.split_terminator('\0').filter(|name| root.join(name).is_file()) {
        let copy = to.join(name);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(root.join(name), copy).expect("a copy");
    }
}

#[test]
fn programs_under_the_published_name_compile() {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let copy = temporary.join("published");
    let _ = fs::remove_dir_all(&copy);
    copy_repository(&copy);
    let renamed = Command::new(copy.join(".ci/rename-package.sh")).arg(NAME).status();
    assert!(renamed.expect("bash runs").success());

    // Next to programs that rename it: one that depends on the published name, and imports `genkit`.
    let fixtures = copy.join("ui-tests/fixtures");
    let manifest = fixtures.join("only-genkit/Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let plain =
        text.replace(&format!("genkit = {{ package = \"{NAME}\","), &format!("{NAME} = {{"));
    assert_ne!(text, plain, "the manifest was not renamed");
    fs::write(manifest, plain).expect("a manifest");

    let checked = Command::new(env!("CARGO"))
        .args(["check", "--quiet"])
        .args(
            ["only-genkit", "renamed", "renamed-by-workspace", "edition-2021"]
                .map(|it| format!("-p{it}")),
        )
        .current_dir(fixtures)
        .env("CARGO_TARGET_DIR", temporary.join("fixtures"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
