//! The CLI as a process, in a separate folder and with a separate home.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::packages;
use crate::program::{self, Heard, Ran};
use crate::server;

/// The time limit of a command: far longer than any should take, for a machine under load.
const PATIENCE: Duration = Duration::from_secs(60);

/// The CLI searches for free ports itself, so two at once may find the same ones.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A protocol of the tools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Protocol {
    /// The program listens, and writes a file.
    Http,
    /// The program dials.
    WebSocket,
}

/// A project: the folder in which the CLI and the program are started.
pub(super) struct Project {
    folder: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Project {
    pub(super) fn new(test: &str) -> Self {
        packages::genkit_cli(); // before the time limit of a command starts
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = packages::scratch(&format!("dev-{test}"));
        // Makes this folder the root for the CLI and for the program, regardless of its parents.
        std::fs::write(folder.join("package.json"), "{}").unwrap();
        Self { folder, _alone: alone }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file into the folder. Returns its name.
    pub(super) fn write<'n>(&self, name: &'n str, value: &Value) -> &'n str {
        std::fs::write(self.folder.join(name), value.to_string()).unwrap();
        name
    }

    /// Returns the files that contain the addresses of programs.
    pub(super) fn runtime_files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.join(".genkit/runtimes"));
        files.into_iter().flatten().flatten().map(|file| file.path()).collect()
    }

    /// Runs a command of the CLI to its end. Returns its output on both streams.
    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.cli();
        program::run(command.args(arguments), PATIENCE).unwrap_or_else(|story| panic!("{story}"))
    }

    fn cli(&self) -> Command {
        let mut command = packages::tool(Path::new("node"));
        self.prepare(&mut command);
        command
            .arg(packages::genkit_cli())
            .args(["--non-interactive", "--no-update-notification"])
            .env("GENKIT_CLI_DISABLE_UPDATE_NOTIFICATIONS", "true")
            .env("NO_COLOR", "1");
        command
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(&self.folder).env_remove("GENKIT_ENV").env_remove("GENKIT_MODEL");
        for key in ["GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "PORT"] {
            command.env_remove(key);
        }
    }

    /// Starts an example as the CLI would, without the CLI.
    pub(super) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(server::example(name));
        self.prepare(&mut command);
        command.env("GENKIT_ENV", "dev").stdin(Stdio::null());
        command
    }

    /// Starts `genkit start -- EXAMPLE ARGUMENTS`, which is killed on drop.
    pub(super) fn start(&self, protocol: Protocol, example: &str, arguments: &[&str]) -> Started {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = self.cli();
        command.args(["start", "--port", &port.to_string()]);
        if protocol == Protocol::WebSocket {
            command.arg("--experimental-reflection-v2");
        }
        command.arg("--").arg(server::example(example)).args(arguments);
        let mut child = group(&mut command);
        let stdout = Heard::listen(child.stdout.take().expect("a pipe"));
        let stderr = Heard::listen(child.stderr.take().expect("a pipe"));
        let started = Started { child, port, said: [stdout, stderr] };
        started.wait_for("a program", || {
            let runtimes = started.ask("getActiveRuntimes", None)?;
            runtimes["result"]["data"].as_array().is_some_and(|all| !all.is_empty()).then_some(())
        });
        started
    }
}

/// Starts a command whose process group can be ended.
fn group(command: &mut Command) -> Child {
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// A program without the tools, killed on drop.
pub(super) struct Alone(Child);

impl Alone {
    pub(super) fn start(mut command: Command) -> Self {
        Self(group(command.stdout(Stdio::null())))
    }

    /// Ends the program with a signal, and waits until it has ended.
    pub(super) fn signal(&mut self, name: &str) {
        assert!(signal(name, self.0.id()));
        assert!(self.wait().is_none_or(|code| code == 0));
    }

    /// Waits for the exit code. Returns `None` if a signal ended the program.
    pub(super) fn wait(&mut self) -> Option<i32> {
        program::wait(&mut self.0, PATIENCE)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal to a group; `0` checks whether it exists.
fn signal(signal: &str, group: u32) -> bool {
    let group = format!("-{group}");
    let kill =
        Command::new("kill").args(["-s", signal, "--", &group]).stderr(Stdio::null()).status();
    kill.is_ok_and(|status| status.success())
}

/// Tools that run with a program.
pub(super) struct Started {
    child: Child,
    port: u16,
    said: [Heard; 2],
}

impl Started {
    /// Sends a query to the server of the Developer UI.
    pub(super) fn ask(&self, what: &str, input: Option<Value>) -> Option<Value> {
        let url = format!("http://127.0.0.1:{}/api/{what}", self.port);
        let mut request = agent().get(&url);
        if let Some(input) = input {
            request = request.query("input", input.to_string());
        }
        let text = request.call().ok()?.body_mut().read_to_string().ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Posts to the server of the Developer UI. Returns its response.
    pub(super) fn post(&self, what: &str, body: Value) -> String {
        post(self.port, what, &body)
            .unwrap_or_else(|story| panic!("{what}: {story}\n{}", self.story()))
    }

    /// Posts without waiting.
    pub(super) fn post_meanwhile(
        &self,
        what: &'static str,
        body: Value,
    ) -> std::thread::JoinHandle<String> {
        let port = self.port;
        std::thread::spawn(move || {
            post(port, what, &body).unwrap_or_else(|story| panic!("{story}"))
        })
    }

    /// Runs an action by its key, and returns its result.
    pub(super) fn run(&self, request: Value) -> Value {
        serde_json::from_str(&self.post("runAction", request)).expect("JSON")
    }

    /// Waits until `look` returns something.
    pub(super) fn wait_for<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(seen) = look() {
                return seen;
            }
            assert!(Instant::now() < deadline, "no {what}:\n{}", self.story());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn story(&self) -> String {
        let [stdout, stderr] = &self.said;
        format!("--- stdout\n{}\n--- stderr\n{}", stdout.so_far(), stderr.so_far())
    }

    /// Ends the tools and the program, as Ctrl-C does, and checks that no process is left.
    pub(super) fn end(mut self) {
        let group = self.child.id();
        let deadline = Instant::now() + PATIENCE;
        while signal("INT", group) && Instant::now() < deadline {
            let _ = self.child.try_wait();
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(!signal("0", group), "a process is left:\n{}", self.story());
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        signal("KILL", self.child.id());
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("{}", self.story());
        }
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(PATIENCE))
        .build()
        .into()
}

fn post(port: u16, what: &str, body: &Value) -> Result<String, String> {
    let url = format!("http://127.0.0.1:{port}/api/{what}");
    let request = agent().post(&url).header("content-type", "application/json");
    let mut response = request.send(body.to_string()).map_err(|error| error.to_string())?;
    response.body_mut().read_to_string().map_err(|error| error.to_string())
}
