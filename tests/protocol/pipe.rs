//! A server on the other end of two pipes, addressed with raw bytes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{self, Heard};
use crate::server;

/// The time limit of a response: far longer than any should take, for a machine under load.
const PATIENCE: Duration = Duration::from_secs(120);

/// A spawned server.
pub(crate) struct Pipe {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Heard,
    next_id: u64,
}

impl Pipe {
    /// Starts an example.
    pub(crate) fn start(name: &str, arguments: &[&str]) -> Self {
        Self::spawn(Command::new(server::example(name)).args(arguments).env_remove("RUST_LOG"))
    }

    /// Starts `quickstart`, with a handshake.
    pub(crate) fn open() -> Self {
        let mut pipe = Self::start("quickstart", &[]);
        pipe.hello();
        pipe
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = Heard::listen(child.stderr.take().expect("a pipe"));
        Self { stdin: child.stdin.take(), child, lines, stderr, next_id: 1 }
    }

    /// Performs the handshake of the era of sessions.
    pub(crate) fn hello(&mut self) -> Value {
        let answer = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "raw", "version": "1" }
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Sends a request, and returns the response.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id))
    }

    /// Sends a request, and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Calls a tool, and returns its result.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends raw bytes, which include the line end.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open input");
        let sent = stdin.write_all(bytes).and_then(|()| stdin.flush());
        sent.unwrap_or_else(|error| panic!("{error}\n{}", self.stderr.so_far()));
    }

    /// Returns the next message of any kind.
    pub(crate) fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| {
            panic!("no message ({error}); the server said:\n{}", self.stderr.so_far())
        });
        message(&line)
    }

    /// Returns the response to the request with this id. Skips earlier messages.
    pub(crate) fn answer(&self, id: &Value) -> Value {
        loop {
            let message = self.next();
            if message["id"] == *id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Checks that the server still serves.
    pub(crate) fn still_serves(&mut self) {
        let sum = self.call("add", &json!({ "a": 2, "b": 40 }));
        assert_eq!(sum["content"][0]["text"], "42", "{sum}");
    }

    /// Closes the server's input, so that there are no more requests.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Returns everything that it sends until it closes its output.
    pub(crate) fn rest(&self) -> Vec<Value> {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(message(&line)),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("its output stays open"),
            }
        }
    }

    /// Returns the exit code, within `limit`.
    pub(crate) fn exit_code(&mut self, limit: Duration) -> Option<i32> {
        program::wait(&mut self.child, limit)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its stderr so far.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.so_far()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses a line of the output, which must be one JSON-RPC message.
fn message(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {line:?}");
    message
}
