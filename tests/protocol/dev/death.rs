//! A program that dies leaves nothing behind that confuses the next one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::tools::{Alone, Project, Protocol};

#[test]
fn file_of_a_killed_program_is_taken_away_by_the_next() {
    let project = Project::new("death");
    let mut dying = Alone::start(project.program("playground"));
    let file = wait_for_file(&project, None);
    dying.signal("KILL");
    assert_eq!(
        project.runtime_files(),
        std::slice::from_ref(&file),
        "no program could remove the file"
    );

    let mut next = Alone::start(project.program("playground"));
    let fresh = wait_for_file(&project, Some(&file));
    assert_eq!(project.runtime_files(), [fresh]);
    next.signal("TERM");
    assert!(project.runtime_files().is_empty(), "a program that is stopped removes its own file");
}

#[test]
fn tools_list_only_running_programs() {
    let project = Project::new("death-start");
    let mut dying = Alone::start(project.program("playground"));
    wait_for_file(&project, None);
    dying.signal("KILL");
    let tools = project.start(Protocol::Http, "flows", &["--http", "127.0.0.1:0"]);
    let alive = tools.wait_for("program alone", || {
        let runtimes = tools.ask("getActiveRuntimes", None)?["result"]["data"].clone();
        (runtimes.as_array()?.len() == 1).then_some(runtimes)
    });
    assert_eq!(alive[0]["name"], "flows", "{alive}");
    let answer = tools.run(serde_json::json!({"key": "/flow/greet", "input": {"who": "Ann"}}));
    assert_eq!(answer["result"], Value::from("hello Ann"), "{answer}");
    tools.end();
}

#[test]
fn without_the_variable_nothing_is_written() {
    let project = Project::new("off");
    let mut command = project.program("playground");
    command.env_remove("GENKIT_ENV");
    assert_eq!(Alone::start(command).wait(), Some(0), "there is nothing to wait for");
    assert!(!project.folder().join(".genkit").exists());
}

/// Returns the file of a listening program other than `other`.
fn wait_for_file(project: &Project, other: Option<&PathBuf>) -> PathBuf {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let files = project.runtime_files();
        if let Some(file) = files.into_iter().find(|file| Some(file) != other) {
            return file;
        }
        assert!(Instant::now() < deadline, "no file");
        std::thread::sleep(Duration::from_millis(20));
    }
}
