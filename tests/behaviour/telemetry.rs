//! Spans and metrics of requests that are served and sent, and the traces that they belong to.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use genkit::durable::{FlowOutcome, FolderStore};
use genkit::mcp::host::ServerConfig;
use genkit::mcp::{McpClient, McpServer};
use genkit::telemetry::{Metric, Telemetry, TraceContext};
use genkit::testing::Client;
use genkit::{Context, Error, Genkit, Registry, Result, flow, flows, tool, tools};
use serde_json::json;

use crate::recorded::{Fields, RecordedSpans};

type Point = (&'static str, f64, BTreeMap<&'static str, String>);

static PARENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static POINTS: Mutex<Vec<Point>> = Mutex::new(Vec::new());

/// The telemetry of this process. Tests find their own data by its name.
struct Recorded;

impl Telemetry for Recorded {
    fn set_parent(&self, _: &tracing::Span, parent: &TraceContext) {
        PARENTS.lock().unwrap().push(format!("{parent} {}", parent.state()));
    }

    fn context_of(&self, span: &tracing::Span) -> Option<TraceContext> {
        // Only durable runs have a trace in these tests.
        let is_start = span.metadata().is_some_and(|it| it.name() == "start_durable_run");
        is_start.then(|| TraceContext::new(0xd00d, 7, true).unwrap().with_state("a=1"))
    }

    fn record(&self, metric: Metric, value: f64, labels: &[(&'static str, &str)]) {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        POINTS.lock().unwrap().push((metric.name(), value, labels));
    }
}

fn installed() {
    static DONE: LazyLock<()> = LazyLock::new(|| genkit::telemetry::install(Recorded).unwrap());
    LazyLock::force(&DONE);
}

/// Returns the labels of each point of a metric that has this label.
fn points(metric: &str, name: &str, value: &str) -> Vec<BTreeMap<&'static str, String>> {
    let points = POINTS.lock().unwrap();
    let has = |point: &&Point| point.0 == metric && point.2.get(name).is_some_and(|it| it == value);
    points.iter().filter(has).map(|point| point.2.clone()).collect()
}

/// Keeps a secret.
#[tool]
async fn keep_traced(secret: String) -> Result<String> {
    match secret.as_str() {
        "wrong" => Err(Error::not_found(secret)),
        "slow" => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            Ok(secret)
        }
        _ => Ok(format!("{secret}{secret}")),
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    #[allow(dead_code, reason = "it is part of the interface")]
    name: String,
}

/// Asks.
#[tool]
async fn ask_traced(ctx: &Context) -> Result<String> {
    ctx.elicit::<Name>("Who?").await?;
    Ok("asked".to_owned())
}

fn server() -> McpServer {
    crate::serving(tools![keep_traced, ask_traced])
}

fn named<'a>(spans: &'a [Fields], name: &str) -> Vec<&'a BTreeMap<String, String>> {
    let is_it = |span: &&Fields| span.1.get("otel.name").is_some_and(|it| it == name);
    spans.iter().filter(is_it).map(|(_, fields)| fields).collect()
}

fn has(fields: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(fields.get(*name).map(String::as_str), Some(*value), "{name} of {fields:?}");
    }
}

#[tokio::test]
async fn each_request_has_a_span_with_its_outcome() {
    let spans = RecordedSpans::here();
    let client = Client::connect(server()).await.unwrap();
    client.call_tool("keep_traced", json!({"secret": "s3cr3t"})).await.unwrap();
    client.call_tool("keep_traced", json!({"secret": "wrong"})).await.unwrap();
    client.call_tool("no_such_traced", json!({})).await.unwrap_err();
    client.tools().await.unwrap();
    let spans = spans.all();
    let calls = named(&spans, "tools/call keep_traced");
    let expected = [
        ("otel.kind", "server"),
        ("mcp.method.name", "tools/call"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "keep_traced"),
        ("network.transport", "pipe"),
    ];
    has(calls[0], &expected);
    assert!(
        calls[0].contains_key("jsonrpc.request.id")
            && calls[0].contains_key("mcp.protocol.version")
    );
    assert!(!calls[0].contains_key("error.type") && !calls[0].contains_key("otel.status_code"));
    has(calls[1], &[("error.type", "tool_error"), ("otel.status_code", "ERROR")]);
    // Names that clients invent do not appear in the names of spans.
    let unknown = named(&spans, "tools/call");
    let refused = [("error.type", "-32602"), ("rpc.response.status_code", "-32602")];
    has(unknown[0], &refused);
    has(unknown[0], &[("gen_ai.tool.name", "no_such_traced")]);
    assert_eq!(named(&spans, "tools/list").len(), 1, "{spans:?}");
    assert!(!format!("{spans:?}").contains("s3cr3t"), "no contents: {spans:?}");
}

#[tokio::test]
async fn contents_are_recorded_in_spans_if_enabled() {
    let spans = RecordedSpans::here();
    let client = Client::connect(server().trace_contents(true)).await.unwrap();
    client.call_tool("keep_traced", json!({"secret": "s3cr3t"})).await.unwrap();
    client.call_tool("no_such_traced", json!({})).await.unwrap_err();
    let spans = spans.all();
    let call = named(&spans, "tools/call keep_traced")[0];
    assert!(call["gen_ai.tool.call.arguments"].contains("s3cr3t"), "{call:?}");
    assert!(call["gen_ai.tool.call.result"].contains("s3cr3ts3cr3t"), "{call:?}");
    let unknown = named(&spans, "tools/call")[0];
    assert!(unknown["otel.status_description"].contains("no_such_traced"), "{unknown:?}");
}

#[tokio::test]
async fn question_to_the_client_is_a_span() {
    let spans = RecordedSpans::here();
    let client = Client::builder().on_elicit(|_, _| Some(json!({"name": "Ada"})));
    let client = client.connect(server()).await.unwrap();
    client.call_tool("ask_traced", json!({})).await.unwrap();
    let spans = spans.all();
    let asked = named(&spans, "elicitation/create");
    has(asked[0], &[("otel.kind", "client"), ("mcp.method.name", "elicitation/create")]);
    assert!(!asked[0].contains_key("error.type"), "{asked:?}");
}

#[tokio::test]
async fn metrics_have_few_labels() {
    installed();
    let client = Client::connect(server()).await.unwrap();
    client.call_tool("keep_traced", json!({"secret": "s"})).await.unwrap();
    client.call_tool("keep_traced", json!({"secret": "wrong"})).await.unwrap();
    for n in 0..20 {
        client.call_tool(&format!("invented_traced_{n}"), json!({})).await.unwrap_err();
    }
    let duration = "mcp.server.operation.duration";
    let calls = points(duration, "gen_ai.tool.name", "keep_traced");
    assert!(calls.iter().any(|labels| !labels.contains_key("error.type")), "{calls:?}");
    let failed = points(duration, "error.type", "tool_error");
    assert!(failed.iter().any(|labels| labels["gen_ai.tool.name"] == "keep_traced"), "{failed:?}");
    let all = POINTS.lock().unwrap();
    let invented = |point: &Point| point.2.values().any(|it| it.contains("invented_traced"));
    assert!(!all.iter().any(invented), "text from a client is a label");
    let active = all.iter().filter(|point| point.0 == "genkit.mcp.server.active_requests");
    assert!(active.clone().any(|point| point.1 < 0.0) && active.clone().any(|point| point.1 > 0.0));
}

const SENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Makes a call through a host in the caller's trace `trace`.
async fn called(trace: &str, make: fn() -> McpServer) {
    let config = ServerConfig::in_process(make).trace_context(true);
    let client = McpClient::connect("s", config).await.unwrap();
    let context = Context::testing().meta("traceparent", trace).meta("tracestate", "a=1").build();
    let arguments = json!({"secret": "s"});
    client.call_tool_in(&context, "keep_traced", arguments).await.unwrap();
}

#[tokio::test]
async fn trace_of_the_caller_is_continued_if_enabled() {
    installed();
    let _spans = RecordedSpans::here();
    let goes_on = |trace: &str| PARENTS.lock().unwrap().iter().any(|it| it.starts_with(trace));
    let strange = SENT.replace("0af7", "0bf7");
    called(&strange, || server().trace_context(false)).await;
    assert!(!goes_on(&strange), "the server does not continue traces of clients");
    called("00-0-0-01", server).await;
    called(&SENT.to_uppercase(), server).await;
    assert!(!goes_on("00-0-0") && !goes_on(&SENT.to_uppercase()));
    called(SENT, server).await;
    assert!(PARENTS.lock().unwrap().contains(&format!("{SENT} a=1")));
}

#[tokio::test]
async fn disconnected_client_leaves_a_span_and_no_running_request() {
    installed();
    let spans = RecordedSpans::here();
    let client = Client::connect(server()).await.unwrap();
    let call = client.call_tool("keep_traced", json!({"secret": "slow"}));
    tokio::time::timeout(Duration::from_millis(200), call).await.unwrap_err();
    drop(client);
    let cancelled = || {
        let spans = spans.all();
        let calls = named(&spans, "tools/call keep_traced");
        calls.iter().any(|call| call.get("error.type").is_some_and(|it| it == "cancelled"))
    };
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while !cancelled() && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(cancelled(), "{:?}", spans.all());
}

/// Asks a question.
#[flow]
async fn ask_durably(ctx: &Context) -> Result<()> {
    ctx.confirm("Go on?").await
}

/// Fails.
#[flow]
async fn fail_durably() -> Result<()> {
    Err(Error::not_found("nothing"))
}

#[tokio::test]
async fn durable_runs_are_measured_and_have_one_trace() {
    installed();
    let _spans = RecordedSpans::here();
    let folder = std::env::temp_dir().join(format!("genkit-measured-{}", std::process::id()));
    let process = || {
        let genkit =
            Genkit::builder().registry(Registry::new().add(flows![ask_durably, fail_durably]));
        genkit.durable(FolderStore::open(&folder).unwrap()).build().unwrap()
    };
    let parent = format!("{} a=1", TraceContext::new(0xd00d, 7, true).unwrap());
    let continued = || PARENTS.lock().unwrap().iter().filter(|known| **known == parent).count();
    let before = continued();
    let run = process().durable_flow("asks", "ask_durably", json!({})).await.unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!("it asks") };
    // Another process continues the trace.
    let other = process().find_durable_flow("asks").await.unwrap().unwrap();
    other.answer(open[0].key(), true).await.unwrap();
    other.wait().await.unwrap();
    assert!(continued() >= before + 2);
    process().durable_flow("asks-2", "ask_durably", json!({})).await.unwrap().wait().await.unwrap();
    process()
        .durable_flow("fails", "fail_durably", json!({}))
        .await
        .unwrap()
        .wait()
        .await
        .unwrap_err();
    process().durable_flow("due", "ask_durably", json!({})).await.unwrap();
    let genkit = process();
    let measured = |state: &str| {
        let points = POINTS.lock().unwrap();
        let of_state = points.iter().filter(|point| {
            point.0 == "genkit.durable.runs"
                && point.2.get("genkit.durable.state").is_some_and(|it| it == state)
        });
        of_state.map(|point| point.1).fold(0.0, f64::max)
    };
    genkit.work().until(std::future::ready(())).await.unwrap();
    for state in ["due", "waiting", "failed"] {
        assert!(measured(state) >= 1.0, "{state}");
    }
    let saves = POINTS.lock().unwrap();
    assert!(saves.iter().any(|point| point.0 == "genkit.durable.save.duration"));
    assert!(saves.iter().any(|point| point.0 == "genkit.durable.oldest_due.age"));
    drop(saves);
    std::fs::remove_dir_all(folder).ok();
}
