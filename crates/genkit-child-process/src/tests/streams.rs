//! Tests of the output of a child, on both streams.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::*;

async fn exited(script: &str) -> ChildProcess {
    let folder = Folder::new();
    let (mut child, _pipes) = spawn(&shell(&folder, script)).unwrap();
    tokio::time::timeout(PATIENCE, child.wait()).await.expect("an end");
    child
}

#[tokio::test]
async fn child_answers_over_its_pipes() {
    let folder = Folder::new();
    let (child, ChildPipes { mut stdin, stdout }) = spawn(&shell(&folder, "cat")).unwrap();
    stdin.write_all(b"ping\n").await.unwrap();
    let mut answers = BufReader::new(stdout).lines();
    assert_eq!(answers.next_line().await.unwrap().as_deref(), Some("ping"));
    drop((stdin, answers));
    let since = Instant::now();
    child.shutdown().await;
    assert!(since.elapsed() < Duration::from_millis(1900), "the child exits at the end of input");
}

#[tokio::test]
async fn exit_is_described() {
    let mut child = exited("echo first >&2; printf 'no newline' >&2; exit 3").await;
    assert_eq!(child.stderr_tail(), ["first", "no newline"]);
    let expected = "exited with code 3; its standard error ended with:\n  first\n  no newline";
    assert_eq!(child.describe_exit(), expected);
    assert_eq!(exited("exit 0").await.describe_exit(), "exited with code 0");
    assert_eq!(exited("kill -9 $$").await.describe_exit(), "was killed by signal 9 (SIGKILL)");
    assert_eq!(exited("kill -15 $$").await.describe_exit(), "was killed by signal 15 (SIGTERM)");
    let folder = Folder::new();
    let (mut child, _pipes) = spawn(&shell(&folder, "sleep 60")).unwrap();
    assert_eq!(child.describe_exit(), "has not exited");
}

#[tokio::test]
async fn wait_is_cancel_safe() {
    let folder = Folder::new();
    let (mut child, pipes) = spawn(&shell(&folder, "cat; exit 5")).unwrap();
    for _ in 0..3 {
        let waited = tokio::time::timeout(Duration::from_millis(10), child.wait()).await;
        assert!(waited.is_err());
    }
    drop(pipes);
    let status = tokio::time::timeout(PATIENCE, child.wait()).await.expect("an end").unwrap();
    assert_eq!(status.code(), Some(5));
    assert_eq!(child.wait().await.unwrap().code(), Some(5), "each wait returns the status");
}

#[tokio::test]
async fn flood_does_not_stop_the_child() {
    let folder = Folder::new();
    let script = "yes 'a line of a flood' | head -c 10000000 >&2; echo >&2; echo last >&2; exit 7";
    let log = CountingLog::default();
    let (mut child, _pipes) =
        ChildProcess::spawn(&shell(&folder, script), Some(Box::new(log.clone()))).unwrap();
    tokio::time::timeout(PATIENCE, child.wait()).await.expect("an end");
    let tail = child.stderr_tail();
    assert_eq!((tail.len(), tail.last().unwrap().as_str()), (20, "last"));
    assert!(child.describe_exit().starts_with("exited with code 7; "));
    assert!(child.describe_exit().len() < 1200);
    let lines = log.lines.load(Ordering::Relaxed);
    let left_out = log.left_out.load(Ordering::Relaxed);
    // `head` truncates the last line of the flood.
    assert_eq!(lines + left_out, 10_000_000_u64.div_ceil("a line of a flood\n".len() as u64) + 1);
    assert!(left_out > 0 && lines >= 1000, "{lines} lines, {left_out} left out");
}

#[tokio::test]
async fn standard_error_that_is_not_read_has_no_tail() {
    let folder = Folder::new();
    let (mut child, _pipes) = ChildProcess::spawn(&shell(&folder, "exit 2"), None).unwrap();
    child.wait().await;
    assert!(child.stderr_tail().is_empty());
    assert_eq!(child.exit_report().await.unwrap(), "it exited with code 2");
}

#[tokio::test]
async fn line_without_an_end_takes_no_memory() {
    let mut child =
        exited("head -c 10000000 /dev/zero | tr '\\0' x >&2; printf '\\nend\\n' >&2").await;
    let tail = child.stderr_tail();
    assert_eq!(tail.len(), 2);
    assert!(tail[0].len() < 2100 && tail[0].ends_with("x…"), "{}", tail[0].len());
    assert!(child.describe_exit().ends_with("\n  end"));
}

#[tokio::test]
async fn secrets_are_redacted() {
    let folder = Folder::new();
    let command = shell(&folder, "echo 'bad key sk-123456789 for dev' >&2");
    let (mut child, _pipes) = spawn(&command).unwrap();
    child.wait().await;
    assert_eq!(child.stderr_tail(), ["bad key ${API_KEY} for dev"]);
}

/// A secret that spans lines is redacted in the tail. In the log, only the lines from the one that completes the
/// secret are redacted.
#[tokio::test]
async fn secrets_are_redacted_across_lines() {
    let two = &["${API_KEY}", "${API_KEY}"][..];
    let three = &["one", "two ${API_KEY}", "three"][..];
    for (printed, shown, logged) in [
        // The log receives the first line before the key is complete.
        (
            "key sk-12\\n3456789 is bad",
            &["key ${API_KEY} is bad"][..],
            &["key sk-12", " is bad"][..],
        ),
        ("sk-123456789\\nsk-123456789", two, two),
        ("one\\ntwo sk-123456789\\nthree", three, three),
    ] {
        let folder = Folder::new();
        let command = shell(&folder, &format!("printf '{printed}\\n' >&2"));
        let log = CountingLog::default();
        let (mut child, _pipes) =
            ChildProcess::spawn(&command, Some(Box::new(log.clone()))).unwrap();
        child.wait().await;
        assert_eq!(child.stderr_tail(), shown, "{printed}");
        assert_eq!(*log.shown.lock().unwrap(), logged, "{printed}");
    }
}

#[tokio::test]
async fn inherited_pipe_does_not_delay_the_end_of_stream() {
    let folder = Folder::new();
    let script = "sleep 60 & echo gone >&2; exit 1";
    let (mut child, _pipes) = spawn(&shell(&folder, script)).unwrap();
    let since = Instant::now();
    child.wait().await;
    assert!(since.elapsed() < Duration::from_secs(5));
    assert!(child.describe_exit().ends_with("gone"));
}

#[tokio::test]
async fn escape_codes_reach_no_terminal() {
    let mut child = exited(r"printf '\033]0;owned\007\033[2J\tat \302\233 x\r' >&2; exit 1").await;
    let shown = r"\u{1b}]0;owned\u{7}\u{1b}[2J    at \u{9b} x";
    assert_eq!(child.stderr_tail(), [shown]);
    assert!(child.describe_exit().contains(shown), "{}", child.describe_exit());
}
