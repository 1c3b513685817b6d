//! Runs cargo in a test.

use std::process::Command;

/// Variables that cargo sets for a test of its package. A build script that depends on one of them, like that of
/// `ring`, would run again, and all dependent crates would be rebuilt, including the test itself.
const OF_THE_TEST: [&str; 4] = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_", "CARGO_CRATE_"];

/// Returns a command that runs cargo as in a shell, so that existing builds are reused.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| OF_THE_TEST.iter().any(|of| name.starts_with(of))) {
        cargo.env_remove(name);
    }
    cargo
}
