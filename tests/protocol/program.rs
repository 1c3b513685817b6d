//! Programs that are run to their end.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The output of a program.
pub(crate) struct Ran {
    /// The command line, for messages.
    pub(crate) line: String,
    /// `None` if it was killed, at its time limit or by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Returns the whole output, for a failure message.
    pub(crate) fn story(&self) -> String {
        let Self { line, code, stdout, stderr } = self;
        let code = code.map_or_else(|| "killed".to_owned(), |code| format!("exit code {code}"));
        format!("$ {line}\n{code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}")
    }
}

/// Runs a program, for at most `limit`. Returns an error if it could not be started.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Ran, String> {
    run_typing(command, "", limit)
}

/// Runs a program with input on stdin.
pub(crate) fn run_typing(
    command: &mut Command,
    typed: &str,
    limit: Duration,
) -> Result<Ran, String> {
    let line = line(command);
    let stdin = if typed.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("$ {line}\ncannot start: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read may have ended before.
        let _ = stdin.write_all(typed.as_bytes());
    }
    let stdout = child.stdout.take().map(Heard::listen);
    let stderr = child.stderr.take().map(Heard::listen);
    let code = wait(&mut child, limit);
    if code.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    // Children of a killed program may keep its pipes open, so the output so far must suffice.
    let end = |heard: Option<Heard>| heard.map(|h| h.end(code.is_some())).unwrap_or_default();
    Ok(Ran { line, code, stdout: end(stdout), stderr: end(stderr) })
}

/// Returns the exit code, or `None` if the time is over or a signal ended the program.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> Option<i32> {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return None,
        }
    }
    None
}

/// The text of a stream, read in the background.
pub(crate) struct Heard {
    text: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Heard {
    pub(crate) fn listen(mut stream: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                sink.lock().unwrap_or_else(PoisonError::into_inner).extend(&piece[..count]);
            }
        });
        Self { text, reader }
    }

    /// Returns the text so far.
    pub(crate) fn so_far(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the whole text, if the stream has an end.
    fn end(self, has_end: bool) -> String {
        let Self { text, reader } = self;
        if has_end {
            let _ = reader.join();
        }
        let text = text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
