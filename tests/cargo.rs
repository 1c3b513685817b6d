//! Cargo, called by a test.

use std::process::Command;

/// What cargo tells a test of its package. A build script that watches one of them, as that of `ring`
/// does, would run again, and all that depends on it would be built again, the test itself too.
const OF_THE_TEST: [&str; 4] = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_", "CARGO_CRATE_"];

/// Cargo as in a shell: nothing that is built already is built again.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| OF_THE_TEST.iter().any(|of| name.starts_with(of))) {
        cargo.env_remove(name);
    }
    cargo
}
