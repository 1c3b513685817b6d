//! A server with one tool in a release build: its stripped size, and its memory.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::Program;
use crate::sources::Way;

/// The messages that a client sends until it receives the list of tools.
const ASKED: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
);

pub(crate) fn print() {
    println!(
        "a server of one tool, first release build, stripped: s, MB, peak MiB after `tools/list`"
    );
    for way in Way::ALL {
        let program = Program::new(way, 1, "release");
        program.clean();
        let seconds = program.cargo(&["build", "--release"]);
        let path = program.released();
        let size = fs::metadata(&path).unwrap().len() as f64 / 1e6;
        println!("  {:<8}{seconds:>10.1}{size:>10.2}{:>10}", way.name(), memory(way, &path));
    }
    println!();
}

fn memory(way: Way, path: &Path) -> String {
    if way == Way::Hand {
        return "no server".to_owned();
    }
    let mut server = Command::new(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.stdin.as_mut().unwrap().write_all(ASKED.as_bytes()).unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("inputSchema")), "no list of tools");
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: f64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    format!("{:.1}", peak / 1024.0)
}
