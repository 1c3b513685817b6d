//! Cases of flows over HTTP, as bytes: those of this repository, and unchanged ones next to the repository or in a
//! folder of `GENKIT_SPEC_DIRS`. `fixtures/specs/flows_http.yaml` documents the format.

use std::time::Duration;

use genkit::flows::FlowRequest;
use genkit::{Chunks, Context, Error, ErrorKind, Result, flow, flows};
use genkit_tests::{case_folders, print_uncaptured};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Answer, Listening, Sent, post, serving, stream};

/// Counts.
#[flow]
async fn streamy(chunks: &Chunks<Value>, #[input] n: u64) -> Result<String> {
    for count in 0..n {
        chunks.send(json!({ "count": count })).await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(format!("done {n}, streamed: {n} times"))
}

/// Returns its input.
#[flow]
async fn echo(#[input] any: Value) -> Value {
    any
}

/// Does nothing.
#[flow]
async fn unit() {}

/// Streams what it gets.
#[flow(name = "chunks")]
async fn chunked(chunks: &Chunks<Value>, #[input] items: Vec<Value>) -> Result<usize> {
    let count = items.len();
    for item in items {
        chunks.send(item).await?;
    }
    Ok(count)
}

/// Fails in public.
#[flow]
async fn fail(
    chunks: &Chunks<Value>,
    kind: String,
    text: String,
    after: Option<u32>,
) -> Result<()> {
    for n in 0..after.unwrap_or_default() {
        chunks.send(json!({ "n": n })).await?;
    }
    let kind = match kind.as_str() {
        "CANCELLED" => ErrorKind::Cancelled,
        "UNKNOWN" => ErrorKind::Unknown,
        "INVALID_ARGUMENT" => ErrorKind::InvalidArgument,
        "DEADLINE_EXCEEDED" => ErrorKind::DeadlineExceeded,
        "NOT_FOUND" => ErrorKind::NotFound,
        "ALREADY_EXISTS" => ErrorKind::AlreadyExists,
        "PERMISSION_DENIED" => ErrorKind::PermissionDenied,
        "UNAUTHENTICATED" => ErrorKind::Unauthenticated,
        "RESOURCE_EXHAUSTED" => ErrorKind::ResourceExhausted,
        "FAILED_PRECONDITION" => ErrorKind::FailedPrecondition,
        "ABORTED" => ErrorKind::Aborted,
        "OUT_OF_RANGE" => ErrorKind::OutOfRange,
        "UNIMPLEMENTED" => ErrorKind::Unimplemented,
        "UNAVAILABLE" => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    };
    Err(Error::new(kind, text))
}

/// Fails with an error that no client must receive.
#[flow]
async fn secret() -> Result<(), std::io::Error> {
    Err(std::io::Error::new(std::io::ErrorKind::NotFound, "password=hunter2"))
}

/// Panics.
#[flow(name = "panic")]
async fn panics() {
    panic!("boom")
}

/// Who calls.
#[flow]
async fn whoami(ctx: &Context) -> Map<String, Value> {
    ctx.action_context().clone()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    cases: Vec<SpecCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecCase {
    name: String,
    request: SpecRequest,
    expect: SpecExpect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecRequest {
    #[serde(default = "post_method")]
    method: String,
    path: String,
    #[serde(default)]
    headers: Map<String, Value>,
    json: Option<Value>,
    raw: Option<String>,
}

fn post_method() -> String {
    "POST".to_owned()
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecExpect {
    status: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    json: Option<Value>,
    json_has: Option<Map<String, Value>>,
    frames: Option<Vec<Value>>,
    frame_statuses: Option<Vec<String>>,
    #[serde(default)]
    body_lacks: Vec<String>,
    body: Option<String>,
}

impl SpecRequest {
    fn sent(&self) -> Sent {
        let mut sent = Sent::new(&self.method, &self.path);
        for (name, value) in &self.headers {
            sent = sent.header(name, value.as_str().expect("a text"));
        }
        match (&self.json, &self.raw) {
            (Some(json), _) => {
                sent.header("content-type", "application/json").body(json.to_string())
            }
            (None, Some(raw)) => sent.body(raw.as_str()),
            (None, None) => sent,
        }
    }
}

impl SpecExpect {
    /// Returns the differences from the expected response.
    fn differences(&self, answer: &Answer) -> Vec<String> {
        let mut found = Vec::new();
        let mut same = |what: &str, is: Value, wanted: Value| {
            if is != wanted {
                found.push(format!("{what}\n  is     {is}\n  wanted {wanted}"));
            }
        };
        same("status", answer.status.into(), self.status.into());
        for (name, wanted) in &self.headers {
            let is = answer.header(&name.to_ascii_lowercase()).map(Value::from);
            match (wanted.as_str(), is) {
                (Some("*"), Some(_)) => {}
                (_, is) => same(name, is.unwrap_or_default(), wanted.clone()),
            }
        }
        if let Some(wanted) = &self.json {
            same("body", answer.json(), wanted.clone());
        }
        for (key, wanted) in self.json_has.iter().flatten() {
            same(key, answer.json()[key].clone(), wanted.clone());
        }
        if let Some(wanted) = &self.frames {
            // An error may contain more than its status and message.
            let frames = answer.frames().into_iter().map(|mut frame| {
                if let Some(error) = frame.get_mut("error").and_then(Value::as_object_mut) {
                    error.retain(|key, _| key == "status" || key == "message");
                }
                frame
            });
            same("frames", frames.collect(), json!(wanted));
        }
        if let Some(wanted) = &self.frame_statuses {
            let is = answer.frames().into_iter().map(|frame| frame["error"]["status"].clone());
            same("statuses", is.collect(), json!(wanted));
        }
        for word in &self.body_lacks {
            same(word, answer.text().contains(word).into(), false.into());
        }
        if let Some(wanted) = &self.body {
            same("text", answer.text().into(), wanted.as_str().into());
        }
        found
    }
}

async fn harness() -> Listening {
    let actions = flows![streamy, echo, unit, chunked, fail, secret, panics, whoami];
    // Only `whoami` needs the caller.
    let key = |request: FlowRequest| async move {
        if request.flow() != "whoami" {
            return Ok(json!({}));
        }
        match request.header("authorization") {
            None => Err(Error::new(ErrorKind::Unauthenticated, "Unauthenticated").into()),
            Some("k") => Ok(json!({"auth": {"apiKey": "k"}})),
            Some(_) => Err(Error::new(ErrorKind::PermissionDenied, "Permission Denied").into()),
        }
    };
    Listening::start(serving(actions).context_provider(key).expose_errors(false)).await
}

#[tokio::test]
async fn cases_of_flows_over_http_pass_unchanged() {
    let server = harness().await;
    let (mut failed, mut lines) = (Vec::new(), String::new());
    for folder in case_folders::find("specs", "GENKIT_SPEC_DIRS", "genkit-specs") {
        let (mut passed, before) = (0, failed.len());
        for (name, path) in folder.files("yaml") {
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !file.starts_with("flows_http") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let spec: Spec =
                serde_yaml_ng::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            for case in spec.cases {
                let answer = server.send(case.request.sent()).await;
                let differences = case.expect.differences(&answer);
                match differences.is_empty() {
                    true => passed += 1,
                    false => {
                        failed.push(format!("{name}: {}: {}", case.name, differences.join("\n")))
                    }
                }
            }
        }
        let failures = failed.len() - before;
        lines +=
            &format!("flows over HTTP in {}: {passed} passed, {failures} failed\n", folder.name);
        let is_own = folder.name.starts_with("tests/");
        assert!(!is_own || passed + failures >= 20, "only {passed} cases of our own were found");
    }
    print_uncaptured(&lines);
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}

/// Genkit's own file of test cases for flow servers.
#[derive(Deserialize)]
struct AppSpec {
    tests: Vec<AppCase>,
}

#[derive(Deserialize)]
struct AppCase {
    path: String,
    post: Value,
    response: AppResponse,
}

#[derive(Deserialize)]
struct AppResponse {
    message: String,
    result: String,
}

#[tokio::test]
async fn genkits_own_cases_of_flow_servers_pass() {
    let server = harness().await;
    for folder in case_folders::find("specs", "GENKIT_SPEC_DIRS", "genkit-specs") {
        for (name, path) in folder.files("yaml") {
            if path.file_name().is_none_or(|file| file != "flow_server_tests.yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let spec: AppSpec = serde_yaml_ng::from_str(&text).unwrap();
            for case in spec.tests {
                let answer = server.send(stream(&format!("/{}", case.path), &case.post)).await;
                let mut frames = answer.frames();
                let result = frames.pop().expect("a result");
                let count = frames.len();
                let with = |text: &str, count: usize| text.replace("{count}", &count.to_string());
                assert_eq!(result, json!({"result": with(&case.response.result, count)}), "{name}");
                for (index, frame) in frames.iter().enumerate() {
                    assert_eq!(
                        frame["message"].to_string(),
                        with(&case.response.message, index),
                        "{name}"
                    );
                }
                assert_eq!(Value::from(count), case.post["data"], "{name}");
            }
        }
    }
}

#[tokio::test]
async fn trace_is_named_in_every_answer_of_a_flow() {
    let server = harness().await;
    let mut seen = std::collections::HashSet::new();
    for sent in [
        post("/unit", &json!({})),
        stream("/unit", &json!({})),
        post("/panic", &json!({})),
        post("/secret", &json!({})),
    ] {
        let answer = server.send(sent).await;
        let (trace, span) = (answer.header("x-genkit-trace-id"), answer.header("x-genkit-span-id"));
        let is_hex = |id: &str| id.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(trace.is_some_and(|id| id.len() == 32 && is_hex(id)), "{answer:?}");
        assert!(span.is_some_and(|id| id.len() == 16 && is_hex(id)), "{answer:?}");
        assert!(seen.insert(trace.unwrap().to_owned()), "each run has its own trace");
    }
    assert!(server.send(post("/nope", &json!({}))).await.header("x-genkit-trace-id").is_none());
}

#[tokio::test]
async fn errors_are_whole_where_they_are_exposed() {
    let server = Listening::start(serving(flows![secret]).expose_errors(true)).await;
    let answer = server.send(post("/secret", &json!({}))).await;
    assert_eq!((answer.status, answer.status_name().as_str()), (500, "INTERNAL"));
    assert!(answer.text().contains("hunter2"), "{answer:?}");
}
