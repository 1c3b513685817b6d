//! The example servers, as programs.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use genkit_tests::cargo::cargo;
use serde_json::Value;

use crate::packages;
use crate::program::{self, Heard};

/// The time limit until a server reports its address.
const START: Duration = Duration::from_secs(120);

/// The time limit for building the examples.
const BUILD: Duration = Duration::from_secs(1800);

/// Returns the path of an example's program. They are built on first use, because programs of another package are not
/// part of `cargo test`.
pub(crate) fn example(name: &str) -> &'static Path {
    built(name, false)
}

/// Returns the path of a program of the guide.
pub(crate) fn guide_program(name: &str) -> &'static Path {
    built(name, true)
}

fn built(name: &str, is_of_guide: bool) -> &'static Path {
    static BUILT: OnceLock<Result<Vec<PathBuf>, String>> = OnceLock::new();
    let built = match BUILT.get_or_init(build) {
        Ok(built) => built,
        Err(story) => panic!("{story}"),
    };
    let is_it = |path: &&PathBuf| {
        let folder = path.parent().and_then(Path::file_name);
        let is_ours = folder.is_some_and(|folder| folder == "examples") == is_of_guide;
        is_ours && path.file_stem().is_some_and(|stem| stem == name)
    };
    let found = built.iter().find(is_it);
    found.unwrap_or_else(|| panic!("cargo built no `{name}`, only {built:?}"))
}

fn build() -> Result<Vec<PathBuf>, String> {
    let target = packages::root();
    let mut command = cargo();
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // The same command as in the README, so that nothing is built a second time.
        .args(["build", "--workspace", "--all-features", "--bins", "--tests", "--examples"])
        .args(["--message-format=json-render-diagnostics", "--target-dir"])
        .arg(target.parent().unwrap_or(&target));
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let ran = program::run(&mut command, BUILD)?;
    if ran.code != Some(0) {
        return Err(format!("$ {}\nthe examples cannot be built:\n{}", ran.line, ran.stderr));
    }
    let artifacts = ran.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = artifacts.filter(|artifact| artifact["profile"]["test"] == false);
    Ok(programs.filter_map(|a| Some(PathBuf::from(a["executable"].as_str()?))).collect())
}

/// An example that serves HTTP, stopped on drop.
pub(crate) struct Server {
    child: Child,
    stderr: Heard,
    url: String,
}

impl Server {
    /// Starts an example on a free port.
    pub(crate) fn start(name: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(example(name));
        command.args(arguments).args(["--http", "127.0.0.1:0"]).env_remove("RUST_LOG");
        Self::spawn(&mut command)
    }

    /// Starts an example with a limit on open files and connections.
    pub(crate) fn start_with_few_files(name: &str, files: u32) -> Self {
        let limited = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.arg("-c").arg(limited).arg(example(name)).args(["--http", "127.0.0.1:0"]);
        Self::spawn(command.env_remove("RUST_LOG"))
    }

    /// Starts a program that reports its address.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stderr = Heard::listen(child.stderr.take().expect("a pipe"));
        let mut server = Self { child, stderr, url: String::new() };
        server.url = server.address();
        server
    }

    /// Starts `notes` with an empty database for this test.
    pub(crate) fn notes(test: &str) -> Self {
        Self::start("notes", &[&database(test)])
    }

    /// Returns the URL, `http://ADDRESS/mcp`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its stderr so far.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.so_far()
    }

    /// Returns the address that it reports.
    fn address(&mut self) -> String {
        let deadline = Instant::now() + START;
        loop {
            let said = self.stderr.so_far();
            // Only a complete line: the rest of the address may not have arrived yet.
            let whole = said.rfind('\n').map_or("", |end| &said[..end]);
            if let Some((_, rest)) = whole.split_once("listening on ") {
                return rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
            let alive = matches!(self.child.try_wait(), Ok(None));
            assert!(alive && Instant::now() < deadline, "the server does not listen:\n{said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- what the server said\n{}", self.stderr.so_far());
        }
    }
}

/// Returns the path of a database that does not exist yet.
pub(crate) fn database(test: &str) -> String {
    packages::scratch(test).join("notes.db").to_string_lossy().into_owned()
}
