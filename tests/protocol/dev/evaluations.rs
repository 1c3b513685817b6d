//! Evaluations: the CLI runs a flow over a data set, and evaluates its outputs.

use serde_json::{Value, json};

use super::tools::{Project, Protocol};

#[test]
fn flows_and_their_answers_are_judged() {
    let project = Project::new("evaluations");
    let tools = project.start(Protocol::Http, "playground", &[]);
    let cases = json!([
        {"testCaseId": "one", "input": {"text": "hi"}, "reference": "HI"},
        {"testCaseId": "two", "input": {"text": "ho"}, "reference": "HI"},
    ]);
    let cases = project.write("cases.json", &cases);
    let arguments = ["eval:flow", "shout", "--input", cases, "--force", "--output", "flow.json"];
    let judged = judged(&project, &arguments, "flow.json");
    assert_eq!(
        judged,
        [("one".into(), "HI".into(), "PASS".into()), ("two".into(), "HO".into(), "FAIL".into())]
    );

    let answers = json!([
        {"testCaseId": "one", "input": "q", "output": "a", "reference": "a", "context": [], "traceIds": []},
    ]);
    let answers = project.write("answers.json", &answers);
    let arguments = ["eval:run", answers, "--force", "--output", "run.json"];
    let judged = self::judged(&project, &arguments, "run.json");
    assert_eq!(judged, [("one".into(), "a".into(), "PASS".into())]);
    tools.end();
}

#[test]
fn retrieved_documents_are_the_context_of_a_case() {
    let project = Project::new("retrieval");
    let tools = project.start(Protocol::Http, "playground", &[]);
    let cases = json!([
        {"testCaseId": "one", "input": {"question": "When are the opens and closes"}, "reference": "x"},
    ]);
    let cases = project.write("cases.json", &cases);
    let arguments = ["eval:flow", "answer", "--input", cases, "--force", "--output", "judged.json"];
    let ran = project.run(&arguments);
    let written = std::fs::read(project.folder().join("judged.json"));
    let written = written.unwrap_or_else(|error| panic!("{error}: {}", ran.story()));
    let cases: Vec<Value> = serde_json::from_slice(&written).unwrap();
    let context = json!(["The shop opens at nine.", "The shop closes at six."]);
    assert_eq!(cases[0]["context"], context, "{cases:?}");
    tools.end();
}

/// Returns each case with its output and the evaluator's result.
fn judged(project: &Project, arguments: &[&str], file: &str) -> Vec<(String, String, String)> {
    let ran = project.run(arguments);
    let written = std::fs::read(project.folder().join(file));
    let written = written.unwrap_or_else(|error| panic!("{error}: {}", ran.story()));
    let cases: Vec<Value> = serde_json::from_slice(&written).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{cases:?}")).to_owned();
    let mut judged: Vec<_> = cases
        .iter()
        .map(|case| {
            let metric = &case["metrics"][0];
            assert_eq!(metric["evaluator"], "/evaluator/genkitEval/deep_equal", "{case}");
            (text(&case["testCaseId"]), text(&case["output"]), text(&metric["status"]))
        })
        .collect();
    judged.sort();
    judged
}
