//! The command line that `serve_mcp().cli()` adds to a program.

mod flags;
mod install;
mod publish;
mod terminal;

use std::process::Command;
use std::time::Duration;

use crate::program::{self, Ran};
use crate::server;

/// The time limit of a program with one task.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `notes` with these arguments to its end.
fn notes(arguments: &[&str]) -> Ran {
    let mut command = Command::new(server::example("notes"));
    run(command.args(arguments).env_remove("RUST_LOG"))
}

fn run(command: &mut Command) -> Ran {
    program::run(command, PATIENCE).unwrap_or_else(|story| panic!("{story}"))
}
