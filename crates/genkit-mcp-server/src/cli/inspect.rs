//! `--inspect`: opens the MCP Inspector on this program.

use std::process::Stdio;

use tokio::process::Command;

use super::error::Error as E;
use super::install::program_path;
use genkit_core::Result;

/// The package of the MCP Inspector, in the version that our tests use.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";

pub(super) async fn run_inspector(args: Vec<String>) -> Result<()> {
    let npx = if cfg!(windows) { "npx.cmd" } else { "npx" };
    let mut command = Command::new(npx);
    command
        .args(["--yes", INSPECTOR, "--web", "--transport", "stdio"])
        .arg("--cwd")
        .arg(std::env::current_dir().map_err(|source| E::CurrentDirUnknown { source })?)
        .arg("--")
        .arg(program_path()?)
        .args(args)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let mut inspector = command.spawn().map_err(|source| E::NpxNotFound { source })?;
    // Ctrl-C also reaches the Inspector, so wait for it to exit.
    let ended = tokio::select! {
        ended = inspector.wait() => ended,
        _ = genkit_core::internal::shutdown::wait_for_signal() => inspector.wait().await,
    };
    let status = ended.map_err(|source| E::NpxNotFound { source })?;
    // 130 means Ctrl-C.
    match status.code() {
        Some(0 | 130) | None => Ok(()),
        Some(code) => Err(E::InspectorFailed { code }.into()),
    }
}
