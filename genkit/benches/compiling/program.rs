//! A generated program in its own folder, built with cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::processor;
use crate::sources::Way;

/// Allows `-Ztime-passes` on a stable compiler, for this program only. If cargo itself had the variable in its
/// environment, it would rebuild the dependencies.
const TELLING: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec \"$@\"\n";

pub(crate) struct Program {
    way: Way,
    tools: usize,
    folder: PathBuf,
    /// A number in the body of one function, increased to change the source.
    version: usize,
}

impl Program {
    /// Creates a program. Programs with the same `purpose` share build results.
    pub(crate) fn new(way: Way, tools: usize, purpose: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiling").join(purpose);
        let folder = root.join(format!("{}-{tools}", way.name()));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("Cargo.toml"), way.manifest()).unwrap();
        let program = Self { way, tools, folder, version: 0 };
        program.write();
        program.cargo(&["fetch"]);
        program
    }

    fn write(&self) {
        let source = self.way.source(self.tools).replace("edited", &format!("v{}", self.version));
        fs::write(self.folder.join("src/main.rs"), source).unwrap();
    }

    /// Changes the body of one function.
    pub(crate) fn touch(&mut self) {
        self.version += 1;
        self.write();
    }

    pub(crate) fn clean(&self) {
        let _ = fs::remove_dir_all(self.target());
    }

    /// Returns the number of crates that are built for the program, without itself.
    pub(crate) fn crates(&self) -> usize {
        let listed = self.run(&["tree", "--edges", "normal,build", "--prefix", "none"]);
        let mut crates: Vec<_> = listed.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        crates.sort_unstable();
        crates.dedup();
        crates.len() - 1
    }

    /// Returns the processor seconds of one command.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> f64 {
        let before = processor::of_children();
        self.run(arguments);
        processor::of_children() - before
    }

    /// Returns the seconds that the compiler spends on macro expansion after a change.
    pub(crate) fn expansion(&mut self) -> f64 {
        self.touch();
        let wrapper = self.folder.join("telling");
        fs::write(&wrapper, TELLING).unwrap();
        let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&wrapper, runs).unwrap();
        let mut command = self.command(&["rustc", "--profile=check", "--", "-Ztime-passes"]);
        let output = command.env("RUSTC_WORKSPACE_WRAPPER", &wrapper).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let pass = told.lines().find(|line| line.ends_with("macro_expand_crate"));
        let pass = pass.unwrap_or_else(|| panic!("{told}"));
        pass.split_whitespace().nth(1).unwrap().trim_end_matches(';').parse().unwrap()
    }

    /// Returns the binary of `cargo build --release`.
    pub(crate) fn released(&self) -> PathBuf {
        self.target().join("release").join(self.way.name())
    }

    fn target(&self) -> PathBuf {
        self.folder.parent().unwrap().join(format!("target-{}", self.way.name()))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command.arg("--quiet").args(arguments).current_dir(&self.folder);
        command.env("CARGO_TARGET_DIR", self.target());
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}
