//! The commands of the CLI.

use serde_json::{Value, json};

use super::tools::{Project, Protocol, Started};
use crate::server;

/// Starts `flows` on any port with `genkit start`.
fn start(project: &Project) -> Started {
    project.start(Protocol::Http, "flows", &["--http", "127.0.0.1:0"])
}

#[test]
fn flows_are_run_plain_streamed_failing_and_in_batches() {
    let project = Project::new("flow-run");
    let tools = start(&project);
    let plain = project.run(&["flow:run", "greet", r#"{"who":"Ann"}"#]);
    assert!(plain.stdout.contains("Result:\nhello Ann"), "{}", plain.story());
    assert!(plain.stdout.contains("Trace ID: "), "{}", plain.story());

    let streamed = project.run(&["flow:run", "count", r#"{"n":2}"#, "-s", "--output", "out.json"]);
    let chunks = "{\n  \"i\": 1\n}\n{\n  \"i\": 2\n}\n";
    assert!(streamed.stdout.contains(chunks), "{}", streamed.story());
    let written = std::fs::read_to_string(project.folder().join("out.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), json!({"total": 2}));

    for arguments in [&["flow:run", "fail"][..], &["flow:run", "fail", "{}", "-s"]] {
        let failed = project.run(arguments);
        let said = format!("{}{}", failed.stdout, failed.stderr);
        assert!(said.contains("this flow always fails"), "{}", failed.story());
        assert!(said.contains("Code: 9"), "{}", failed.story());
    }
    let unknown = project.run(&["flow:run", "nosuch"]);
    let said = format!("{}{}", unknown.stdout, unknown.stderr);
    assert!(said.contains("action /flow/nosuch not found"), "{}", unknown.story());

    let inputs = json!([{"who": "Ann"}, {"who": "Bo"}]);
    let inputs = project.write("inputs.json", &inputs);
    let batch = ["flow:batchRun", "greet", inputs, "--label", "lab1", "--output", "batch.json"];
    let batch = project.run(&batch);
    let written = std::fs::read_to_string(project.folder().join("batch.json"));
    let written = written.unwrap_or_else(|error| panic!("{error}: {}", batch.story()));
    for answer in ["hello Ann", "hello Bo"] {
        assert!(written.contains(answer), "{written}\n{}", batch.story());
    }
    tools.end();
}

#[test]
fn flow_is_run_in_a_program_that_is_started_for_it() {
    let project = Project::new("flow-run-command");
    let program = server::example("flows").to_str().unwrap();
    for (arguments, expected) in [
        (&["flow:run", "greet", r#"{"who":"Ann"}"#][..], "Result:\nhello Ann"),
        (&["flow:run", "count", r#"{"n":2}"#, "-s"], "Result:\n{\n  \"total\": 2\n}"),
    ] {
        let command = ["--", program, "--http", "127.0.0.1:0"];
        let ran = project.run(&[arguments, &command].concat());
        assert!(ran.stdout.contains(expected), "{}", ran.story());
    }
    // The program ends with the command.
    let folder = project.folder();
    let of_project =
        |pid: &std::path::Path| std::fs::read_link(pid.join("cwd")).is_ok_and(|cwd| cwd == folder);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while std::fs::read_dir("/proc").unwrap().flatten().any(|process| of_project(&process.path())) {
        assert!(std::time::Instant::now() < deadline, "a program is left");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn model_is_tested_for_what_it_supports() {
    let project = Project::new("test-model");
    let tools = start(&project);
    let supports = "multiturn,tool-request,structured-output,streaming-tool-request,streaming-structured-output";
    let tested = project.run(&["dev:test-model", "--supports", supports, "offline"]);
    assert_eq!(tested.code, Some(0), "{}", tested.story());
    let said = format!("{}{}", tested.stdout, tested.stderr);
    assert!(said.contains("Tests Completed: 5 Passed, 0 Failed"), "{}", tested.story());
    tools.end();
}
