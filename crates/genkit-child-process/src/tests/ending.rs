//! Tests that nothing of a child remains, however it ends.

use super::*;

/// Starts a script that writes process ids, waits for them, and checks afterwards that none of the processes remains.
async fn none_is_left(
    script: &str,
    notes: &[&str],
    end: impl AsyncFnOnce(ChildProcess),
    limit: Duration,
) {
    let folder = Folder::new();
    let (child, pipes) = spawn(&shell(&folder, script)).unwrap();
    let mut pids = vec![child.id()];
    for note in notes {
        pids.push(folder.pid(note).await);
    }
    assert!(pids[1..].iter().all(|pid| is_alive(*pid)), "{script}");
    drop(pipes);
    let since = Instant::now();
    end(child).await;
    let took = since.elapsed();
    assert!(took < limit, "{took:?}: {script}");
    // The system needs a moment to reap processes that are not our children.
    while pids.iter().any(|pid| is_alive(*pid)) {
        assert!(since.elapsed() < took + Duration::from_secs(2), "{script}: {pids:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Shutdown is faster than this only if no time limit had to elapse.
const BEFORE_TERM: Duration = Duration::from_millis(1900);
const BEFORE_KILL: Duration = Duration::from_millis(3900);

const BY_INPUT: &str = "echo $$ > pid; cat";
/// The leader exits when its input ends, but its child remains.
const CHILD_STAYS: &str = "sleep 300 & echo $! > pid; cat";
const DEAF_CHILD_STAYS: &str =
    "sh -c \"trap '' TERM; echo \\$\\$ > pid; while :; do sleep 1; done\" & cat";
const DEAF_TO_INPUT: &str = "echo $$ > pid; while :; do sleep 1; done";
const DEAF_TO_ALL: &str = "trap '' TERM; echo $$ > pid; while :; do sleep 0.2; done";
const ALL_DEAF: &str = "trap '' TERM INT HUP; sh -c 'echo $$ > pid; while :; do sleep 0.2; done' & \
                        while :; do sleep 0.2; done";
const DIES_AT_ONCE: &str = "sleep 300 & echo $! > pid; exit 1";

#[tokio::test]
async fn end_of_input_ends_the_child() {
    none_is_left(BY_INPUT, &["pid"], ChildProcess::shutdown, BEFORE_TERM).await;
}

#[tokio::test]
async fn descendants_of_a_child_are_terminated() {
    none_is_left(CHILD_STAYS, &["pid"], ChildProcess::shutdown, BEFORE_TERM).await;
    none_is_left(DIES_AT_ONCE, &["pid"], ChildProcess::shutdown, BEFORE_TERM).await;
}

#[tokio::test]
async fn descendants_that_ignore_sigterm_are_killed() {
    none_is_left(DEAF_CHILD_STAYS, &["pid"], ChildProcess::shutdown, BEFORE_TERM).await;
}

#[tokio::test]
async fn child_that_ignores_end_of_input_receives_sigterm() {
    none_is_left(DEAF_TO_INPUT, &["pid"], ChildProcess::shutdown, BEFORE_KILL).await;
}

#[tokio::test]
async fn child_that_ignores_all_signals_is_killed() {
    tokio::join!(
        none_is_left(DEAF_TO_ALL, &["pid"], ChildProcess::shutdown, Duration::from_secs(6)),
        none_is_left(ALL_DEAF, &["pid"], ChildProcess::shutdown, Duration::from_secs(6)),
    );
}

#[tokio::test]
async fn dropped_child_is_killed_immediately() {
    for script in [
        BY_INPUT,
        CHILD_STAYS,
        DEAF_CHILD_STAYS,
        DEAF_TO_INPUT,
        DEAF_TO_ALL,
        ALL_DEAF,
        DIES_AT_ONCE,
    ] {
        let dropped = async |child| drop(child);
        none_is_left(script, &["pid"], dropped, Duration::from_secs(1)).await;
    }
}

#[tokio::test]
async fn abandoned_shutdown_kills_the_child() {
    let given_up = async |child: ChildProcess| {
        let ending = tokio::time::timeout(Duration::from_millis(100), child.shutdown());
        assert!(ending.await.is_err());
    };
    none_is_left(DEAF_TO_ALL, &["pid"], given_up, Duration::from_secs(1)).await;
}

#[test]
fn runtime_that_ends_takes_the_child_with_it() {
    let folder = Folder::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (held, spawned) = runtime.block_on(async {
        let (held, _) = spawn(&shell(&folder, ALL_DEAF)).unwrap();
        let pid = folder.pid("pid").await;
        std::fs::remove_file(folder.path().join("pid")).unwrap();
        let (task, pipes) = spawn(&shell(&folder, CHILD_STAYS)).unwrap();
        let pids = [task.id(), folder.pid("pid").await, held.id(), pid];
        tokio::spawn(async move {
            let _task = (task, pipes);
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        (held, pids)
    });
    drop(runtime);
    // This works without a runtime as well.
    drop(held);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!spawned.iter().any(|pid| is_alive(*pid)), "{spawned:?}");
}

#[tokio::test]
async fn child_that_is_over_is_not_signalled_again() {
    let folder = Folder::new();
    let (mut child, _pipes) = spawn(&shell(&folder, "exit 0")).unwrap();
    child.wait().await;
    assert!(child.group.is_gone());
    child.shutdown().await;
}

/// The variable with the folder of a program that is killed.
const KILLED_IN: &str = "GENKIT_CHILD_KILLED_IN";

/// Not a test: the program that the next test kills.
#[tokio::test]
async fn program_that_is_killed() {
    let Some(folder) = std::env::var_os(KILLED_IN) else { return };
    let mut command = ChildCommand::new("sh");
    command.cwd = Some(folder.into());
    command.args = vec!["-c".into(), ALL_DEAF.into()];
    let _child = spawn(&command).unwrap();
    tokio::time::sleep(Duration::from_secs(300)).await;
}

#[tokio::test]
async fn killed_program_leaves_no_child_that_ignores_the_end_of_its_input() {
    let folder = Folder::new();
    let mut killed = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::ending::program_that_is_killed"])
        .env(KILLED_IN, folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pid = folder.pid("pid").await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    let since = Instant::now();
    while is_alive(pid) {
        assert!(since.elapsed() < PATIENCE, "{pid} remains");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
