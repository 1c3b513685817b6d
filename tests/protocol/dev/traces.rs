//! The traces of a run, as the CLI displays them.

use serde_json::{Value, json};

use super::tools::{Project, Protocol};

#[test]
fn trace_has_the_spans_of_its_run_over_http() {
    spans("traces-http", Protocol::Http);
}

#[test]
fn trace_has_the_spans_of_its_run_over_a_websocket() {
    spans("traces-websocket", Protocol::WebSocket);
}

fn spans(test: &str, protocol: Protocol) {
    let project = Project::new(test);
    let tools = project.start(protocol, "playground", &[]);
    let messages = json!([{"role": "user", "content": [{"text": "hi"}]}]);
    let input = json!({"model": "house/echo", "messages": messages});
    let request = json!({
        "key": "/util/generate", "input": input, "telemetryLabels": {"batchRun": "lab1"},
        "context": {"auth": {"token": "s3cret"}},
    });
    let answer = tools.run(request);
    let trace_id = answer["telemetry"]["traceId"].as_str().unwrap();
    let listed = project.run(&["trace:list"]);
    assert!(listed.stdout.contains(trace_id), "{}", listed.story());

    let got = project.run(&["trace:get", trace_id, "--format", "json"]);
    let json = got.stdout.find('{').map(|start| &got.stdout[start..]).unwrap_or_default();
    let trace: Value =
        serde_json::from_str(json).unwrap_or_else(|e| panic!("{e}: {}", got.story()));
    let spans: Vec<&Value> = trace["spans"].as_object().unwrap().values().collect();
    let of = |name: &str| {
        let found = spans.iter().find(|span| span["displayName"] == name);
        *found.unwrap_or_else(|| panic!("no span {name}: {trace}"))
    };
    let (root, model) = (of("generate"), of("house/echo"));
    assert_eq!(spans.len(), 2, "{trace}");
    assert_eq!(model["parentSpanId"], root["spanId"]);
    assert_eq!(root["attributes"]["batchRun"], "lab1");
    assert_eq!(root["attributes"]["genkit:type"], "util");
    assert_eq!(model["attributes"]["genkit:key"], "/model/house/echo");
    assert_eq!(model["attributes"]["genkit:state"], "success");
    assert!(!json.contains("s3cret"), "a secret is in the trace: {json}");

    let failed = tools.run(json!({"key": "/tool/delete", "input": {"id": 7}}));
    let trace_id = failed["error"]["details"]["traceId"].as_str().expect("a trace id");
    let got = project.run(&["trace:get", trace_id, "--format", "json"]);
    assert!(got.stdout.contains("\"genkit:state\": \"error\""), "{}", got.story());
    tools.end();
}
