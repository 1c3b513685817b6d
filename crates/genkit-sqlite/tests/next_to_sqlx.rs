//! A program can use this store together with the SQLite driver of sqlx: both link the same native library, which cargo
//! allows only once.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn program_can_also_depend_on_sqlx() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("next-to-sqlx");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::write(folder.join("src/lib.rs"), "").expect("a file");
    let manifest = format!(
        "[package]\nname = \"both\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         genkit-sqlite = {{ path = {:?} }}\n\
         sqlx = {{ version = \"0.9\", default-features = false, features = [\"runtime-tokio\", \"sqlite\"] }}\n",
        env!("CARGO_MANIFEST_DIR")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    let resolved = Command::new(env!("CARGO"))
        .args(["generate-lockfile", "--quiet"])
        .current_dir(&folder)
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&resolved.stderr);
    assert!(resolved.status.success(), "{said}");
    let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("a lock file");
    assert!(lock.contains("name = \"sqlx-sqlite\""), "{lock}");
}
