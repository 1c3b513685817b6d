//! Flows, run in process.

use std::sync::{Arc, Mutex};

use genkit::message::ToolRequest;
use genkit::model::{Model, from_fn};
use genkit::{Chunks, Context, ErrorKind, Flow, Genkit, Message, Registry, Result};
use genkit::{flow, flows, tool, tools};
use serde_json::{Value, json};

/// Counts down.
#[flow]
async fn count_down(chunks: &Chunks<u32>, from: u32) -> Result<String> {
    for n in (1..=from).rev() {
        chunks.send(n).await?;
    }
    Ok("lift off".into())
}

/// Panics.
#[flow]
async fn falls() -> u32 {
    panic!("oh")
}

fn genkit() -> Genkit {
    Genkit::builder().registry(Registry::new().add(flows![count_down, falls])).build().unwrap()
}

#[tokio::test]
async fn flows_stream_and_return() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let stream = move |chunk| sink.lock().unwrap().push(chunk);
    let result = genkit().stream_flow("count_down", json!({"from": 3}), stream).await.unwrap();
    assert_eq!(result, json!("lift off"));
    assert_eq!(*seen.lock().unwrap(), [json!(3), json!(2), json!(1)]);
    assert_eq!(Flow::of::<count_down>().chunk_schema().unwrap()["type"], "integer");
    // Without a receiver, chunks are discarded.
    assert!(genkit().run_flow("count_down", json!({"from": 3})).await.is_ok());
}

#[tokio::test]
async fn flow_errors_have_kinds() {
    let genkit = genkit();
    for (name, input, kind) in [
        ("count_dwn", json!({}), ErrorKind::NotFound),
        ("count_down", json!({"from": "3"}), ErrorKind::InvalidArgument),
        ("falls", json!({}), ErrorKind::Internal),
    ] {
        assert_eq!(genkit.run_flow(name, input).await.unwrap_err().kind(), kind, "{name}");
    }
}

struct Limit(u32);

/// Returns the caller and its limit.
#[tool]
async fn whoami(ctx: &Context, limit: &Limit) -> String {
    format!("{}, {} times", ctx.auth()["user"].as_str().unwrap_or("nobody"), limit.0)
}

/// Asks the default model of its instance.
#[flow]
async fn ask_model() -> Result<String> {
    Ok(genkit::generate("Who am I?").tools(["whoami"]).await?.text())
}

/// Runs another flow by its name.
#[flow]
async fn ask_by_name() -> Result<Value> {
    genkit::run_flow("ask_model", ()).await
}

/// Runs another flow for a user.
#[flow]
async fn ask_as(user: String) -> Result<Value> {
    let context = json!({"auth": {"user": user}}).as_object().cloned().expect("an object");
    Flow::of::<ask_by_name>().run(()).action_context(context).await
}

/// Returns a model that calls `whoami` and repeats the result.
fn repeating_model() -> impl Model {
    from_fn("house/small", |request, _| async move {
        let last = request.messages.last().expect("a message");
        match last.tool_responses().next() {
            Some(response) => Message::model(response.output.as_str().unwrap_or_default()),
            None => {
                let call = ToolRequest::new("whoami", json!({}));
                Message::new(genkit::Role::Model, [genkit::Part::from(call)])
            }
        }
    })
}

#[tokio::test]
async fn flow_uses_the_instance_that_runs_it() {
    for limit in [3, 4] {
        let registry = Registry::new().add(flows![ask_model, ask_by_name, ask_as]);
        let genkit = Genkit::builder().registry(registry.add(tools![whoami])).state(Limit(limit));
        let genkit = genkit.default_model(repeating_model()).build().unwrap();
        for (flow, input, user) in [
            ("ask_model", json!({}), "nobody"),
            ("ask_by_name", json!({}), "nobody"),
            ("ask_as", json!({"user": "ada"}), "ada"),
        ] {
            let answer = genkit.run_flow(flow, input).await.unwrap();
            assert_eq!(answer, json!(format!("{user}, {limit} times")), "{flow}");
        }
    }
    // The default instance has no model.
    let error = Flow::of::<ask_model>().run(()).await.unwrap_err();
    assert!(error.to_string().contains("no model"), "{error}");
}
