//! Stops the program at a question and starts it again.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program with this input, and returns its exit code and its output.
fn approval(folder: &Path, arguments: &[&str], typed: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_approval"))
        .args(["--model", "offline", "--state"])
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cargo built it");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(typed.as_bytes()).expect("it reads what it asks for");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), text.concat())
}

#[test]
fn transfer_continues_after_a_restart() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("approval-restart");
    let _ = std::fs::remove_dir_all(&folder);

    let first = approval(&folder, &["--stop-at-question", "Transfer 50 euros to Ada"], "");
    assert_eq!(first.0, Some(0), "{}", first.1);
    assert!(first.1.contains("start again to answer"), "{}", first.1);
    let stored = std::fs::read_to_string(folder.join("question.json")).unwrap();
    assert!(stored.contains(r#""finishReason": "interrupted""#), "{stored}");

    let (code, shown) = approval(&folder, &["What is my balance?"], "y\nlunch\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("Transfer 1 is done: 50 euros to Ada for lunch"), "{shown}");
    assert!(shown.contains("The balance is 950 euros"), "the request came after it: {shown}");
    assert!(!folder.join("question.json").exists());
}

#[test]
fn usage_error_is_printed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("approval-wrong");
    let _ = std::fs::remove_dir_all(&folder);
    let (code, shown) = approval(&folder, &["--sate", "x"], "");
    assert_eq!(code, Some(1));
    assert!(shown.contains("unknown option --sate") && shown.contains("usage: "), "{shown}");

    let (code, shown) = approval(&folder, &["Delete Linus"], "");
    assert_eq!(code, Some(1), "no answer: {shown}");
    std::fs::write(folder.join("question.json"), "{").unwrap();
    let (code, shown) = approval(&folder, &[], "");
    assert_eq!(code, Some(1));
    assert!(shown.contains("question.json does not contain a question"), "{shown}");
}
