//! Traces in HTTP headers: used if `_meta` contains none, and sent in addition to it.

use std::cell::Cell;
use std::sync::{LazyLock, Mutex};

use genkit::mcp::McpClient;
use genkit::mcp::host::ServerConfig;
use genkit::telemetry::{Metric, Telemetry, TraceContext};
use genkit::{Context, Genkit, Registry, tool, tools};
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt as _;

use super::here::Here;
use super::wire::{Wire, in_session};

const OURS: &str = "00-11111111111111111111111111111111-2222222222222222-01";

static PARENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    /// True if requests of this thread belong to a trace.
    static IS_TRACED: Cell<bool> = const { Cell::new(false) };
}

/// The telemetry of this process.
struct Recorded;

impl Telemetry for Recorded {
    fn set_parent(&self, _: &tracing::Span, parent: &TraceContext) {
        PARENTS.lock().unwrap().push(format!("{parent} {}", parent.state()));
    }

    fn context_of(&self, _: &tracing::Span) -> Option<TraceContext> {
        IS_TRACED.get().then(|| TraceContext::parse(OURS).unwrap().with_state("ours=1"))
    }

    fn record(&self, _: Metric, _: f64, _: &[(&'static str, &str)]) {}
}

fn installed() {
    static DONE: LazyLock<()> = LazyLock::new(|| {
        genkit::telemetry::install(Recorded).unwrap();
        // Without a subscriber there are no spans.
        let subscriber = tracing_subscriber::registry();
        let subscriber = subscriber.with(tracing::level_filters::LevelFilter::INFO);
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
    LazyLock::force(&DONE);
}

/// Tells what trace was carried here.
#[tool]
async fn carried(ctx: &Context) -> Value {
    let headers = ctx.extension::<axum::http::HeaderMap>();
    let header = |name: &str| headers?.get(name)?.to_str().ok().map(str::to_owned);
    json!({
        "headers": [header("traceparent"), header("tracestate")],
        "meta": [ctx.meta().get("traceparent"), ctx.meta().get("tracestate")],
    })
}

fn here() -> Here {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![carried]));
    Here::serve(genkit.build().unwrap().serve_mcp().router().unwrap())
}

#[test]
fn http_trace_header_is_used_if_the_message_has_no_trace() {
    installed();
    let here = here();
    let wire = Wire::to(here.url());
    let trace = |digit: &str| format!("00-{}-2222222222222222-01", digit.repeat(32));
    let (header, beside, meta) = (trace("3"), trace("4"), trace("5"));
    let call = json!({ "name": "carried", "arguments": {} });
    let answer = wire.ask_alone_with(
        &[("traceparent", &header), ("tracestate", "a=1"), ("tracestate", "b=2")],
        "tools/call",
        call.clone(),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let mut with_meta = call;
    with_meta["_meta"] = json!({ "traceparent": meta });
    let session = wire.open(&[]);
    let headers = [&in_session(&session)[..], &[("traceparent", &beside)]].concat();
    let message = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": with_meta });
    assert_eq!(wire.post(&headers, &message).status, 200);
    let parents = PARENTS.lock().unwrap();
    assert!(parents.contains(&format!("{header} a=1,b=2")), "{parents:?}");
    assert!(parents.contains(&format!("{meta} ")), "{parents:?}");
    assert!(!parents.iter().any(|parent| parent.starts_with(&beside)), "{parents:?}");
}

#[test]
fn host_gives_its_trace_in_the_message_and_in_the_header() {
    installed();
    IS_TRACED.set(true);
    let here = here();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (wanted, expected) in [(true, json!([OURS, "ours=1"])), (false, json!([null, null]))] {
        let told = runtime.block_on(async {
            let config = ServerConfig::http(here.url()).trace_context(wanted);
            let client = McpClient::connect("s", config).await.unwrap();
            client.call_tool("carried", json!({})).await.unwrap()
        });
        assert_eq!(told, json!({ "headers": expected, "meta": expected }));
    }
    IS_TRACED.set(false);
}
