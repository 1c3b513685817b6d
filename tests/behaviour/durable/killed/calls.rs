//! System calls of a process. `strace` records them, kills other processes at one of them, or lets some of them fail.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The system calls that write, flush, link, rename, remove, send or receive. The names that an architecture lacks are
/// ignored.
const CALLS: [&str; 25] = [
    "close",
    "connect",
    "fdatasync",
    "fsync",
    "ftruncate",
    "link",
    "linkat",
    "mkdir",
    "mkdirat",
    "openat",
    "pwrite64",
    "pwritev",
    "recvfrom",
    "recvmsg",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "sendmsg",
    "sendto",
    "shutdown",
    "unlink",
    "unlinkat",
    "write",
    "writev",
];

/// Returns whether `strace` can be used. It exists only on Linux; on other systems, the reason is printed.
///
/// # Panics
/// If `strace` is missing on Linux, so that its tests are never skipped silently.
pub(super) fn is_strace_available() -> bool {
    use std::io::Write as _;
    if !cfg!(target_os = "linux") {
        let text = "not run: tests that kill at system calls use `strace`, which needs Linux\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return false;
    }
    let found = Command::new("strace").arg("--version").output();
    assert!(
        found.is_ok_and(|it| it.status.success()),
        "this test needs `strace`; install the package `strace`"
    );
    true
}

/// Returns a command that runs `program` under `strace` with these options. The command ends in the same way as the
/// program.
pub(super) fn strace(program: &OsStr, options: &[String]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg("--").arg(program);
    command
}

/// The system calls of a process at which it can be killed. `strace` counts the calls of each thread, so a point is the
/// name of a call and a number that a thread of the process reaches.
pub(super) struct Points(Vec<(String, Vec<usize>)>);

impl Points {
    /// Returns the options that record calls in a file: those on `files`, or all if it is empty.
    pub(super) fn recording(record: &Path, files: Vec<String>) -> Vec<String> {
        let calls = CALLS.map(|call| format!("?{call}")).join(",");
        let options = ["-o", &record.display().to_string(), "-e", &format!("trace=execve,{calls}")];
        let mut options = options.map(str::to_owned).to_vec();
        if !files.is_empty() {
            let program = std::env::current_exe().unwrap().display().to_string();
            options.extend(["-P".to_owned(), program].into_iter().chain(files));
        }
        options
    }

    /// Reads the record. The thread that starts the program is ignored, with all points that it reaches first.
    pub(super) fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let (mut main, mut seen) = (None, HashMap::<(&str, &str), usize>::new());
        let mut points = BTreeMap::<&str, (usize, Vec<usize>)>::new();
        for line in text.lines() {
            let Some((thread, rest)) = line.split_once(char::is_whitespace) else { continue };
            let main = *main.get_or_insert(thread); // the first call is `execve`
            let name = rest.trim_start().split_once('(').map(|(name, _)| name);
            let Some(call) = name.filter(|name| CALLS.contains(name)) else { continue };
            let count = seen.entry((thread, call)).or_default();
            *count += 1;
            let (highest, of_call) = points.entry(call).or_default();
            if *count > *highest {
                *highest = *count;
                of_call.extend((thread != main).then_some(*count));
            }
        }
        let points = points.into_iter().filter(|(_, (_, points))| !points.is_empty());
        Self(points.map(|(call, (_, points))| (call.to_owned(), points)).collect())
    }

    /// Returns the number of different calls.
    pub(super) fn calls(&self) -> usize {
        self.0.len()
    }

    /// Returns the numbers of a call.
    ///
    /// # Panics
    /// If the process does not make the call.
    pub(super) fn numbers(&self, call: &str) -> &[usize] {
        let of_call = self.0.iter().find(|(name, _)| name == call);
        &of_call.unwrap_or_else(|| panic!("the process does not call `{call}`")).1
    }

    /// Returns the kill of this number: each call in turn, at one of its points.
    pub(super) fn kill(&self, number: usize, random: u64) -> CallKill {
        let (call, points) = &self.0[number % self.0.len()];
        CallKill { call: call.clone(), at: points[random as usize % points.len()] }
    }
}

/// A kill at the start of a system call, which is not performed.
#[derive(Clone, Debug)]
pub(super) struct CallKill {
    pub(super) call: String,
    /// The number of the call in its thread.
    at: usize,
}

impl CallKill {
    /// Returns the options that kill the process.
    pub(super) fn options(&self) -> Vec<String> {
        let Self { call, at } = self;
        let inject = format!("inject={call}:signal=KILL:when={at}");
        ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject].map(str::to_owned).into()
    }
}

/// System calls of a store that fail.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) call: &'static str,
    /// The name of the error, such as `ENOSPC`.
    pub(super) error: &'static str,
    /// The files on which the calls fail, in the folder of the test. If empty, all calls fail.
    pub(super) files: &'static [&'static str],
}

impl Fault {
    /// Returns the options with which the calls with these numbers fail, such as `3+` or `3..5`.
    pub(super) fn options(&self, folder: &Path, numbers: &str) -> Vec<String> {
        let Self { call, error, .. } = self;
        let inject = format!("inject={call}:error={error}:when={numbers}");
        let options = ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject];
        options.map(str::to_owned).into_iter().chain(self.files(folder)).collect()
    }

    /// Returns the options that select the files.
    pub(super) fn files(&self, folder: &Path) -> Vec<String> {
        let files = self.files.iter().map(|file| folder.join(file).display().to_string());
        files.flat_map(|file| ["-P".to_owned(), file]).collect()
    }
}
