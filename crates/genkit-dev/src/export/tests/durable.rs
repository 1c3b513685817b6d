//! Tests of durable runs: one trace, even if several processes perform a run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::server::{Trace, on, posts};
use crate::export::flush;
use genkit::durable::{FlowOutcome, FolderStore};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::{Context, Genkit, Registry, Result, Role, flow, flows, tool, tools};

/// Asks a question.
#[flow]
async fn ask_in_trace(ctx: &Context) -> Result<bool> {
    ctx.confirm("Go on?").await?;
    Ok(true)
}

/// Pays.
#[tool(needs_approval)]
async fn pay_in_trace() -> &'static str {
    "paid"
}

/// A folder of runs that is removed on drop.
struct Runs(PathBuf);

impl Runs {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("genkit-dev-{name}-{}", std::process::id())))
    }

    /// Returns the instance of another process.
    fn process(&self) -> Genkit {
        let registry = Registry::new().add(flows![ask_in_trace]).add(tools![pay_in_trace]);
        let model = genkit::model::from_fn("lab/m", |request, _| {
            let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
            async move {
                match is_done {
                    true => ModelResponse::from_text("done"),
                    false => {
                        let call = ToolRequest::new("pay_in_trace", json!({}));
                        ModelResponse::from_tool_requests([call])
                    }
                }
            }
        });
        let genkit = Genkit::builder().registry(registry).default_model(model);
        genkit.durable(FolderStore::open(&self.0).unwrap()).build().unwrap()
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Returns the trace with a root of this name, which is the only trace with a span named `part`.
async fn only_trace(root: &str, part: &str) -> Trace {
    flush().await;
    let has = |post: &Value, name: &str| {
        let mut spans = post["spans"].as_object().unwrap().values();
        spans.any(|span| span["displayName"] == name)
    };
    let of_part = posts(|post| has(post, part));
    let ids: BTreeSet<String> =
        of_part.iter().map(|post| post["traceId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1, "{of_part:#?}");
    let posts = posts(|post| ids.contains(post["traceId"].as_str().unwrap()));
    assert!(posts.iter().any(|post| post["displayName"] == root), "{posts:#?}");
    Trace { posts }
}

#[tokio::test]
async fn flow_that_two_processes_perform_has_one_trace() {
    on();
    let runs = Runs::new("flow-trace");
    let run = runs.process().durable_flow("asked-1", "ask_in_trace", json!({})).await.unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!("it asks") };
    let other = runs.process().find_durable_flow("asked-1").await.unwrap().unwrap();
    other.answer(open[0].key(), true).await.unwrap();
    other.wait().await.unwrap();
    let trace = only_trace("asked-1", "ask_in_trace").await;
    let tree = "\
asked-1 (util)
  ask_in_trace (flow)
  ask_in_trace (flow)
";
    assert_eq!(trace.tree(), tree);
    let roots: Vec<&Value> =
        trace.posts.iter().filter(|post| post["displayName"] == "asked-1").collect();
    let starts: BTreeSet<String> = roots.iter().map(|post| post["startTime"].to_string()).collect();
    assert_eq!(starts.len(), 1, "the root starts when the run is created: {starts:?}");
    let outputs: Vec<&Value> = roots
        .iter()
        .filter_map(|post| {
            post["spans"].as_object()?.values().find(|it| it["parentSpanId"].is_null())
        })
        .map(|root| &root["attributes"]["genkit:output"])
        .filter(|output| !output.is_null())
        .collect();
    assert_eq!(outputs, ["\"input_required\"", "\"completed\""]);
}

#[tokio::test]
async fn loop_that_two_processes_perform_has_one_trace() {
    on();
    let runs = Runs::new("loop-trace");
    let genkit = runs.process();
    let ask = genkit.generate("go").tools(["pay_in_trace"]);
    let run = genkit.durable_run("paid-1", ask).await.unwrap();
    let response = run.wait().await.unwrap();
    assert!(response.is_interrupted());
    let other = runs.process().find_durable_run("paid-1").await.unwrap().unwrap();
    other.answer_with(|open| Some(open.approve())).await.unwrap();
    other.wait().await.unwrap();
    let trace = only_trace("paid-1", "pay_in_trace").await;
    let tree = "\
paid-1 (util)
  lab/m (model)
  pay_in_trace (tool)
  pay_in_trace (tool)
  lab/m (model)
";
    assert_eq!(trace.tree(), tree);
}
