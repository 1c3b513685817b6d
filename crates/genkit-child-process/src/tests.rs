//! Tests of child processes, with real processes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

mod ending;
mod starting;
mod streams;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;

/// A timeout well above the duration of any step.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("genkit-child-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// Waits for a file that contains a process id.
    async fn pid(&self, name: &str) -> u32 {
        let since = Instant::now();
        loop {
            let text = std::fs::read_to_string(self.0.join(name)).unwrap_or_default();
            if let (true, Ok(pid)) = (text.ends_with('\n'), text.trim().parse()) {
                return pid;
            }
            assert!(since.elapsed() < PATIENCE, "no {name}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a command that runs this program in this folder.
fn program(program: impl Into<OsString>, folder: &Folder) -> ChildCommand {
    let mut command = ChildCommand::new(program);
    command.cwd = Some(folder.path().to_owned());
    command
}

/// Returns a command that runs this script with a shell in this folder.
fn shell(folder: &Folder, script: &str) -> ChildCommand {
    let mut command = program("sh", folder);
    command.args = vec!["-c".into(), script.into()];
    command
}

/// A log that counts its lines.
#[derive(Clone, Default)]
struct CountingLog {
    lines: Arc<AtomicU64>,
    left_out: Arc<AtomicU64>,
    /// The first lines of the log.
    shown: Arc<Mutex<Vec<String>>>,
}

/// Replaces the key, which can contain line breaks.
fn redact_key(text: &str) -> String {
    for (start, _) in text.match_indices("s") {
        let mut left = "sk-123456789".chars();
        let mut next = left.next();
        for (at, part) in text[start..].char_indices() {
            match next {
                None => {
                    let rest = redact_key(&text[start + at..]);
                    return format!("{}${{API_KEY}}{rest}", &text[..start]);
                }
                Some(wanted) if wanted == part => next = left.next(),
                Some(_) if part == '\n' => {}
                Some(_) => break,
            }
        }
        if next.is_none() {
            return format!("{}${{API_KEY}}", &text[..start]);
        }
    }
    text.to_owned()
}

impl StderrLog for CountingLog {
    fn redact<'a>(&self, line: &'a str) -> Cow<'a, str> {
        Cow::Owned(redact_key(line))
    }

    fn line(&mut self, line: &str) {
        if self.lines.fetch_add(1, Ordering::Relaxed) < 10 {
            self.shown.lock().unwrap().push(line.to_owned());
        }
    }

    fn left_out(&mut self, lines: u64) {
        self.left_out.fetch_add(lines, Ordering::Relaxed);
    }
}

/// Starts a child whose standard error is read.
fn spawn(command: &ChildCommand) -> Result<(ChildProcess, ChildPipes), SpawnError> {
    ChildProcess::spawn(command, Some(Box::new(CountingLog::default())))
}

/// Returns whether the process exists and is not a zombie.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name is in parentheses and may contain any character.
    let state = stat.rsplit(") ").next().unwrap_or_default().chars().next();
    state.is_some_and(|state| state != 'Z' && state != 'X')
}
