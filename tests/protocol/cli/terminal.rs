//! A server started by a user in a terminal.

use std::path::Path;

use super::run;
use crate::{packages, server};

/// Python's pseudo-terminal runs the program and copies its output.
const PTY: &str =
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

#[cfg(unix)]
#[test]
fn terminal_start_prints_usage() {
    let scratch = packages::scratch("cli-terminal");
    let mut python = packages::tool(Path::new("python3"));
    let ran = run(python.current_dir(&scratch).args(["-c", PTY]).arg(server::example("notes")));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    for said in ["Notes 0.1.0 is an MCP server", "notes --install claude-desktop", "notes --help"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.story());
    }
    // The descriptions of the commands are in one column.
    let abouts = ["add it to", "try it in", "list tools", "serve over", "all flags"];
    let columns = abouts.map(|about| ran.stdout.lines().find_map(|line| line.find(about)));
    assert!(columns[0].is_some() && columns.iter().all(|at| *at == columns[0]), "{}", ran.story());
    // It did not even open its database.
    assert!(!scratch.join("notes.db").exists());
}

/// A pipe is a client, which is served until it closes.
#[test]
fn pipe_is_served() {
    let database = server::database("cli-pipe");
    let mut pipe = crate::pipe::Pipe::start("notes", &[&database]);
    pipe.hello();
    pipe.hang_up();
    assert_eq!(pipe.rest(), [] as [serde_json::Value; 0]);
    assert_eq!(pipe.exit_code(super::PATIENCE), Some(0), "{}", pipe.stderr());
}
