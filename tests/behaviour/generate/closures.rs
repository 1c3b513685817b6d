//! Models and middleware that are closures.

use std::sync::{Arc, Mutex};

use genkit::message::ToolRequest;
use genkit::middleware::{Middleware as _, ToolOutcome, on_generate, on_model, on_tool};
use genkit::model::{self, GenerateChunk, IntoResult, Model as _, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{Error, ErrorContext as _, ErrorKind, Message, tool, tools};
use serde_json::json;

use super::{calls, outputs};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// A custom error type.
#[derive(Debug)]
struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the service is closed")
    }
}

impl std::error::Error for Closed {}

#[tokio::test]
async fn closure_is_a_model_that_may_return_a_value_or_any_error() {
    async fn said<R>(answer: impl Fn() -> R + Send + Sync + 'static) -> genkit::Result<String>
    where
        R: IntoResult<ModelResponse> + Send + 'static,
    {
        let model = model::from_fn("fake", move |_, _| std::future::ready(answer()));
        assert_eq!(model.name(), "fake");
        Ok(genkit::generate("hi").model(model).await?.text())
    }
    assert_eq!(said(|| "text").await.unwrap(), "text");
    assert_eq!(said(|| "owned".to_owned()).await.unwrap(), "owned");
    assert_eq!(said(|| Message::model("message")).await.unwrap(), "message");
    assert_eq!(said(|| ModelResponse::from_text("whole")).await.unwrap(), "whole");
    assert_eq!(said(|| Ok::<_, Closed>("fine")).await.unwrap(), "fine");

    let foreign = said(|| Err::<String, _>(Closed)).await.unwrap_err();
    assert_eq!(
        (foreign.kind(), foreign.to_string().as_str()),
        (ErrorKind::Unknown, "the service is closed")
    );
    assert_eq!(said(|| Err::<String, _>("words")).await.unwrap_err().to_string(), "words");
    let own = said(|| Err::<String, _>(Error::new(ErrorKind::Unavailable, "down"))).await;
    assert_eq!(own.unwrap_err().kind(), ErrorKind::Unavailable, "our own errors keep their kind");
}

#[tokio::test]
async fn closure_that_captures_nothing_may_be_async_itself() {
    let echo =
        model::from_fn("echo", async |request: model::ModelRequest, _| request.messages[0].text());
    assert_eq!(genkit::generate("hi").model(echo).await.unwrap().text(), "hi");
}

#[tokio::test]
async fn closure_model_streams_its_chunks() {
    let model = model::from_fn("letters", |_, chunks| async move {
        assert!(chunks.is_wanted());
        for letter in ["a", "b"] {
            chunks.send(GenerateChunk::from_text(letter));
        }
        "ab"
    });
    // Middleware from a closure passes chunks on unchanged.
    let passes = on_model(|request, chunks, next| async move { next.run(&request, &chunks).await });
    let mut stream = genkit::generate("go").model(model).middleware(passes).stream();
    let mut seen = Vec::new();
    while let Some(chunk) = stream.next().await {
        seen.push(chunk.unwrap().text());
    }
    assert_eq!(seen, ["a", "b"]);
}

#[tokio::test]
async fn middleware_closures_wrap_run_model_and_tool_in_order() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let log = Arc::clone(&log);
        move || log.lock().unwrap().push(what)
    };
    let (run, first, second, tool) = (note("run"), note("first"), note("second"), note("tool"));
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let response = genkit::generate("go")
        .model(model)
        .tools(tools![add])
        .middleware(on_generate(move |request, next| {
            run();
            next.run(request)
        }))
        .middleware(on_model(move |request, chunks, next| {
            first();
            async move { next.run(&request, &chunks).await }
        }))
        .middleware(on_model(move |request, chunks, next| {
            second();
            async move { next.run(&request, &chunks).await }
        }))
        .middleware(on_tool(move |call, next| {
            tool();
            next.run(call)
        }))
        .await
        .unwrap();
    assert_eq!(outputs(&response), [json!(3)]);
    assert_eq!(*log.lock().unwrap(), ["run", "first", "second", "tool", "first", "second"]);
}

#[tokio::test]
async fn middleware_closure_can_replace_the_inner_call() {
    let model = calls([("add", json!({"a": 1, "b": 2})), ("add", json!({"a": 5, "b": 5}))]);
    let instead = on_tool(|call, next| async move {
        match call.request().input["a"].as_i64() {
            Some(1) => Ok(ToolOutcome::respond(call.request().respond("one"))),
            _ => next.run(call).await,
        }
    });
    let run = genkit::generate("go").model(model).tools(tools![add]).middleware(instead);
    assert_eq!(outputs(&run.await.unwrap()), [json!("one"), json!(10)]);

    let answered = on_tool(|call, _| std::future::ready(call.request().respond("bare")));
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let run = genkit::generate("go").model(model).tools(tools![add]).middleware(answered);
    assert_eq!(outputs(&run.await.unwrap()), [json!("bare")]);

    let model = ScriptedModel::text("never");
    let guard = on_model(|_, _, _| async {
        let closed: Result<ModelResponse, Closed> = Err(Closed);
        let response = closed.context("the guard")?; // `?` needs no annotation
        Ok(response)
    });
    let run = genkit::generate("go").model(model.clone()).middleware(guard);
    assert_eq!(run.await.unwrap_err().chain(), "the guard: the service is closed");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn next_exposes_the_model_and_can_be_called_again() {
    let model = ScriptedModel::new([
        Err(Error::new(ErrorKind::Unavailable, "down")),
        Ok(ModelResponse::from_text("up")),
    ]);
    let again = on_model(|request, chunks, next| async move {
        assert_eq!(next.model_name(), "scripted");
        assert!(next.model_info().supports.is_some());
        match next.clone().run(&request, &chunks).await {
            Err(_) => next.run(&request, &chunks).await,
            answer => answer,
        }
    });
    assert!(again.tools().is_empty());
    let response = genkit::generate("go").model(model).middleware(again).await.unwrap();
    assert_eq!(response.text(), "up");
}

#[tokio::test]
async fn call_that_a_closure_interrupted_is_resumed_with_the_answer() {
    let asks = || {
        on_tool(|call, next| async move {
            match next.resumed() {
                None => Ok(ToolOutcome::interrupt(json!({"message": "Sure?"}))),
                Some(answer) => {
                    let said = answer.clone();
                    let outcome = next.run(call).await?;
                    assert_eq!(said, "yes");
                    Ok::<_, Error>(outcome)
                }
            }
        })
    };
    let request = ToolRequest::new("add", json!({"a": 1, "b": 2}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([request]),
        ModelResponse::from_text("done"),
    ]);
    let run = genkit::generate("go").model(model.clone()).tools(tools![add]).middleware(asks());
    let asked = run.await.unwrap();
    let answer = asked.interrupts()[0].restart("yes");
    let resumed = genkit::resume(asked, |_| answer.clone()).model(model).tools(tools![add]);
    assert_eq!(outputs(&resumed.middleware(asks()).await.unwrap()), [json!(3)]);
}
