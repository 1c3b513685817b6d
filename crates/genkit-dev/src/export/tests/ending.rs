//! Tests that spans end, regardless of how their work ends.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::server::trace;
use super::{echo, model};
use genkit::{generate, resume};
use genkit_agent::OnToolError;
use genkit_core::ModelResponse;
use genkit_core::ToolRequest;
use genkit_core::internal::trace::{NewSpan, SpanKind, trace_work};
use genkit_core::{Context, Tool};
use genkit_core::{Error, ErrorKind};
use genkit_model::ScriptedModel;

fn failing(why: &'static str) -> Tool {
    Tool::builder("fail", "Fails.").handler(move |_: Context, _: Value| async move {
        Err::<(), _>(
            Error::not_found(why).with_source(std::io::Error::other("disk is gone")).into(),
        )
    })
}

#[tokio::test]
async fn failure_is_recorded_on_its_span_and_all_parents() {
    let run = generate("go").model(model([("fail", json!({}))])).tools([failing("boom x")]);
    let (ended, trace) = trace(run.on_tool_error(OnToolError::Abort).run()).await;
    ended.unwrap_err();
    let tree = "generate (util) error\n  lab/m (model)\n  fail (tool) error <- source\n";
    assert_eq!(trace.tree(), tree);
    let span = trace.span("fail");
    assert_eq!(span["status"], json!({"code": 2, "message": "boom x"}));
    assert!(span["attributes"].get("genkit:output").is_none(), "{span:#}");
    let event = &span["timeEvents"]["timeEvent"][0];
    assert_eq!(event["time"], span["endTime"]);
    assert_eq!(event["annotation"]["description"], "exception");
    let exception = &event["annotation"]["attributes"];
    assert_eq!(exception["exception.type"], "NotFound");
    assert_eq!(exception["exception.message"], "boom x");
    assert_eq!(exception["exception.stacktrace"], "boom x: disk is gone");
    assert_eq!(trace.span("generate")["status"]["code"], 2);
}

#[tokio::test]
async fn failure_that_the_model_reads_ends_the_tool_alone() {
    let run = generate("go").model(model([("fail", json!({}))])).tools([failing("boom")]);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    let tree = "\
generate (util)
  lab/m (model)
  fail (tool) error <- source
  generate (util)
    lab/m (model)
";
    assert_eq!(trace.tree(), tree);
}

#[tokio::test]
async fn failure_in_a_later_turn_ends_all_of_them() {
    let call = ToolRequest::new("echo", json!({}));
    let model = ScriptedModel::new([ModelResponse::from_tool_requests([call])]).with_name("lab/m");
    let (ended, trace) = trace(generate("go").model(model).tools([echo()]).run()).await;
    ended.unwrap_err();
    let tree = "\
generate (util) error
  lab/m (model)
  echo (tool)
  generate (util) error
    lab/m (model) error <- source
";
    assert_eq!(trace.tree(), tree);
}

#[tokio::test]
async fn run_that_cannot_start_is_exported_as_failed() {
    let (ended, trace) = trace(generate("go").model("nosuch/model").run()).await;
    ended.unwrap_err();
    assert_eq!(trace.tree(), "generate (util) error <- source\n");
    assert_eq!(trace.json("generate", "genkit:input")["model"], Value::Null);
}

#[tokio::test]
async fn panic_ends_the_tool() {
    let panics =
        Tool::builder("panics", "Panics.").handler(|_: Context, input: Value| async move {
            assert!(input.is_null(), "no way");
            Ok(())
        });
    let run = generate("go").model(model([("panics", json!({}))])).tools([panics]);
    let (ended, trace) = trace(run.run()).await;
    ended.unwrap();
    assert!(trace.tree().contains("  panics (tool) error <- source\n"), "{}", trace.tree());
    assert!(!format!("{:?}", trace.posts).contains("no way"), "a panic's text is for the log");
}

#[tokio::test]
async fn uncaught_panic_ends_open_spans() {
    let panics = async {
        let work = async {
            assert!(json!(1).is_null(), "no way");
            Ok(())
        };
        let span = NewSpan { name: "f", kind: SpanKind::FlowStep, input: &|| Value::Null };
        trace_work(span, work, |()| Value::Null).await
    };
    let (caught, trace) = trace(AssertUnwindSafe(panics).catch_unwind()).await;
    caught.unwrap_err();
    assert_eq!(trace.tree(), "f (flowStep) error\n");
    assert_eq!(trace.span("f")["status"]["message"], "`f` panicked");
}

#[tokio::test]
async fn run_that_is_dropped_ends_its_spans() {
    let started = Arc::new(tokio::sync::Notify::new());
    let begun = Arc::clone(&started);
    let slow = Tool::builder("slow", "Takes its time.").handler(move |_: Context, _: Value| {
        let begun = Arc::clone(&begun);
        async move {
            begun.notify_one();
            std::future::pending::<()>().await;
            Ok(())
        }
    });
    let (_, trace) = trace(async {
        let run = generate("go").model(model([("slow", json!({}))])).tools([slow]).run();
        tokio::select! {
            _ = run => unreachable!(),
            () = started.notified() => {}
        }
    })
    .await;
    let tree = "generate (util) error\n  lab/m (model)\n  slow (tool) error\n";
    assert_eq!(trace.tree(), tree);
    assert_eq!(trace.span("slow")["status"]["message"], "`slow` was cancelled before it ended");
}

#[tokio::test]
async fn cancelled_and_timed_out_runs_are_marked() {
    let pending = || generate("go").model(ScriptedModel::pending());
    let (_, cancelled) = trace(pending().cancel_on(async {}).run()).await;
    assert!(
        cancelled.tree().starts_with("generate (util) error <- source\n"),
        "{}",
        cancelled.tree()
    );
    let (_, late) = trace(pending().deadline(Duration::from_millis(5)).run()).await;
    assert!(late.tree().starts_with("generate (util) error <- source\n"), "{}", late.tree());
    let late = late.span("generate");
    let event = &late["timeEvents"]["timeEvent"][0]["annotation"]["attributes"];
    assert_eq!(event["exception.type"], format!("{:?}", ErrorKind::DeadlineExceeded));
}

#[tokio::test]
async fn question_is_an_interrupt_and_its_answer_a_resumed_call() {
    let asks = Tool::builder("pay", "Pays.")
        .needs_approval(true)
        .handler(|_: Context, _: Value| async { Ok("paid") });
    let run = generate("go").model(model([("pay", json!({"eur": 5}))])).tools([asks.clone()]);
    let (asked, first) = trace(run.run()).await;
    let tree = "generate (util)\n  lab/m (model)\n  pay (tool)\n";
    assert_eq!(first.tree(), tree);
    let pay = first.span("pay");
    assert!(pay["attributes"].get("genkit:output").is_none(), "{pay:#}");
    assert!(first.json("pay", "genkit:metadata:interrupt").is_object(), "{pay:#}");
    let run = resume(asked.unwrap(), |question| question.approve());
    let run = run.model(ScriptedModel::text("done").with_name("lab/m")).tools([asks]);
    let (done, second) = trace(run.run()).await;
    assert_eq!(done.unwrap().text(), "done");
    assert_eq!(second.tree(), "generate (util)\n  pay (tool)\n  lab/m (model)\n");
    assert_eq!(second.span("pay")["attributes"]["genkit:metadata:resumed"], true);
    assert_eq!(second.json("pay", "genkit:output"), "paid");
}
