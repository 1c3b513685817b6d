//! Tests of the format of posted spans.

use serde_json::{Value, json};

use super::server::{on, posts, trace_of};
use super::{echo, model};
use genkit::generate;
use genkit_core::Registry;
use genkit_core::internal::trace::Root;
use genkit_model::ScriptedModel;

/// Checks the fields that every span has.
fn assert_form(span: &Value) {
    for key in ["spanId", "traceId", "displayName", "spanKind"] {
        assert!(span[key].is_string(), "{key}: {span:#}");
    }
    assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
    assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(span["spanKind"], "INTERNAL");
    assert_eq!(span["links"], json!([]));
    assert_eq!(span["sameProcessAsParentSpan"], json!({"value": true}));
    assert_eq!(span["instrumentationLibrary"], json!({"name": "genkit-tracer", "version": "v1"}));
    assert!(span["startTime"].as_f64().unwrap() > 1.7e12, "milliseconds: {span:#}");
    assert!(!span.to_string().contains(":null"), "{span:#}");
}

#[tokio::test]
async fn span_is_posted_at_its_start_and_at_its_end() {
    let root = Root::new();
    let span_id = root.span_id.to_string();
    let run = generate("go").model(model([("echo", json!({"a": 1}))])).tools([echo()]);
    let (ended, trace) = trace_of(root, run.run()).await;
    ended.unwrap();
    for post in &trace.posts {
        let spans = post["spans"].as_object().unwrap();
        spans.values().for_each(assert_form);
        let has_root = spans.contains_key(&span_id);
        assert_eq!(post.get("startTime").is_some(), has_root, "{post:#}");
        assert_eq!(post.get("displayName").is_some(), has_root, "{post:#}");
    }
    let root = trace.span("generate");
    assert!(root["endTime"].as_f64() >= root["startTime"].as_f64());
    let tool = trace.span("echo");
    let expected = json!({
        "genkit:type": "action",
        "genkit:metadata:subtype": "tool",
        "genkit:key": "/tool/echo",
        "genkit:name": "echo",
        "genkit:path": "/{generate,t:util}/{echo,t:action,s:tool}",
        "genkit:input": "{\"a\":1}",
        "genkit:output": "{\"a\":1}",
        "genkit:state": "success",
    });
    let mut attributes = tool["attributes"].clone();
    attributes.sort_all_objects();
    let mut expected = expected;
    expected.sort_all_objects();
    assert_eq!(attributes, expected);
}

#[tokio::test]
async fn start_has_what_is_known_then() {
    let started = std::sync::Arc::new(tokio::sync::Notify::new());
    let begun = std::sync::Arc::clone(&started);
    let slow = genkit_model::from_fn("lab/slow", move |_, _| {
        let begun = std::sync::Arc::clone(&begun);
        async move {
            begun.notify_one();
            std::future::pending::<genkit_core::Result<genkit_core::ModelResponse>>().await
        }
    });
    let root = Root::new();
    let id = root.trace_id.to_string();
    let (_, trace) = trace_of(root, async {
        // Read before the run is dropped, because dropping it ends its spans.
        let running = tokio::select! {
            _ = generate("go").model(slow).run() => unreachable!(),
            running = async {
                started.notified().await;
                crate::export::flush().await;
                posts(|post| post["traceId"] == *id)
            } => running,
        };
        let all = format!("{running:?}");
        assert!(all.contains("/model/lab/slow"), "{all}");
        for post in &running {
            for span in post["spans"].as_object().unwrap().values() {
                assert_form(span);
                assert_eq!(span["endTime"], 0.0);
                assert!(span["attributes"].get("genkit:input").is_none(), "{span:#}");
                assert!(span["attributes"].get("genkit:state").is_none(), "{span:#}");
            }
        }
    })
    .await;
    assert_eq!(trace.tree(), "generate (util) error\n  lab/slow (model) error\n");
}

#[tokio::test]
async fn long_value_is_cut() {
    let long = "x".repeat(3 << 20);
    let (ended, trace) =
        trace_of(Root::new(), generate(long).model(ScriptedModel::text("hi")).run()).await;
    ended.unwrap();
    let cut = trace.json("generate", "genkit:input");
    let cut = cut.as_str().expect("the truncated text");
    assert!(cut.ends_with("bytes]") && cut.len() < 1 << 20, "{}", cut.len());
}

#[tokio::test]
async fn without_a_root_from_outside_each_is_a_trace_that_is_sent_at_its_end() {
    on();
    let model = ScriptedModel::text("hi").with_name("lab/alone");
    let genkit = genkit_agent::Instance::builder().registry(Registry::new()).build().unwrap();
    genkit.generate("go").model(model).await.unwrap();
    // No explicit flush: the run flushes its own root.
    let found = posts(|post| post.to_string().contains("lab/alone"));
    assert!(!found.is_empty());
}
