//! Disks that are full or read-only: system calls of a store fail for a while, or until the process gives up.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::calls::{Fault, Points, is_strace_available, strace};
use super::process::ROLE;
use super::trials::survives_faults;
use super::{CHILD, Temp};

/// The files of a SQLite store.
const FILES: &[&str] = &["runs.db", "runs.db-wal"];

/// Calls that only a store in a folder makes in the program.
const FULL_FOLDER: [Fault; 2] = [
    Fault { call: "fsync", error: "ENOSPC", files: &[] },
    Fault { call: "linkat", error: "ENOSPC", files: &[] },
];

const FULL_SQLITE: [Fault; 2] = [
    Fault { call: "pwrite64", error: "ENOSPC", files: FILES },
    Fault { call: "fsync", error: "ENOSPC", files: FILES },
];

/// Runs a process of the program, with these options of `strace` if there are any.
fn run(store: &str, folder: &Path, options: Option<&[String]>) -> Output {
    let program = std::env::current_exe().unwrap();
    let mut command = match options {
        Some(options) => strace(program.as_os_str(), options),
        None => Command::new(program),
    };
    command
        .args(["--exact", CHILD])
        .env(ROLE, format!("{store} before 0 {}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

/// Lets a process fail from one of the calls on: early, in the middle or late. Its error contains one of `causes` and
/// names the store. Another process continues without the fault, and repeats no result that was saved.
fn is_continued(store: &str, fault: &Fault, causes: &[&str]) {
    if !is_strace_available() {
        return;
    }
    let name = format!("{store}-{}-{}", fault.call, fault.error);
    let temp = Temp::new(&format!("recorded-{name}"));
    let record = temp.0.join("calls");
    let options = Points::recording(&record, fault.files(&temp.0));
    assert!(run(store, &temp.0, Some(&options)).status.success());
    let points = Points::read(&record);
    let numbers = points.numbers(fault.call);
    let mut failures = 0;
    for at in [0, numbers.len() / 3, numbers.len() / 2, numbers.len() * 3 / 4] {
        let temp = Temp::new(&format!("faulty-{name}-{at}"));
        let lines = || std::fs::read_to_string(temp.0.join("log")).unwrap_or_default();
        let faulty = fault.options(&temp.0, &format!("{}+", numbers[at]));
        let ended = run(store, &temp.0, Some(&faulty));
        let text = String::from_utf8_lossy(&ended.stdout);
        if !ended.status.success() {
            failures += 1;
            assert!(causes.iter().any(|cause| text.contains(cause)), "{name} {at}: {text}");
            assert!(text.contains("run folder") || text.contains("SQLite run store"), "{text}");
        }
        let before = lines();
        let ended = run(store, &temp.0, None);
        assert!(ended.status.success(), "{name} {at}: {}", String::from_utf8_lossy(&ended.stdout));
        let all = lines();
        let after = all.strip_prefix(&before).unwrap();
        let story = format!("{name} {at}: {before}-- continued\n{after}");
        // The question is saved with the result of `once`, so later steps begin after it.
        let was_saved = before.contains("tell begins");
        assert!(!was_saved || !after.contains("charge"), "{story}");
        let charges = all.matches("charge order-1/1/0/charge").count();
        assert_eq!(all.matches("charge ").count(), charges, "one key: {story}");
        assert!((1..=2).contains(&charges), "{story}");
        assert!(all.lines().filter(|line| *line == "model").count() <= 3, "{story}");
        assert!(all.ends_with("done\n"), "{story}");
    }
    assert!(failures > 0, "{name}: the fault has no effect");
}

#[test]
fn run_on_a_full_disk_is_continued_with_a_folder() {
    for fault in FULL_FOLDER {
        is_continued("folder", &fault, &["No space left on device"]);
    }
}

#[test]
fn run_on_a_full_disk_is_continued_with_sqlite() {
    for fault in FULL_SQLITE {
        is_continued("sqlite", &fault, &["database or disk is full", "disk I/O error"]);
    }
}

#[test]
fn run_on_a_read_only_disk_is_continued_with_a_folder() {
    for call in ["mkdir", "linkat"] {
        let fault = Fault { call, error: "EROFS", files: &[] };
        is_continued("folder", &fault, &["Read-only file system"]);
    }
}

#[test]
fn run_on_a_read_only_disk_is_continued_with_sqlite() {
    for call in ["openat", "pwrite64"] {
        let fault = Fault { call, error: "EROFS", files: FILES };
        let causes = ["Read-only file system", "unable to open database file", "disk I/O error"];
        is_continued("sqlite", &fault, &causes);
    }
}

#[tokio::test]
async fn worker_continues_after_a_full_disk_with_a_folder() {
    survives_faults("folder", &FULL_FOLDER).await;
}

#[tokio::test]
async fn worker_continues_after_a_full_disk_with_sqlite() {
    survives_faults("sqlite", &FULL_SQLITE).await;
}
