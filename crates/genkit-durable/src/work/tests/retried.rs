//! Retries of a tool call next to a call that is suspended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableContext as _, DurableOptions, RetryPolicy};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, Role, tool, tools};
use serde_json::json;

use super::{all_suspended, has_ended, work_until};
use crate::memory::MemoryRuns;
use crate::runs::run_store;

#[derive(Clone, Default)]
struct Tries(Arc<AtomicUsize>);

impl Tries {
    async fn reach(&self, count: usize) {
        while self.0.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Fails each time.
#[tool]
async fn fail(tries: &Tries) -> Result<String> {
    tries.0.fetch_add(1, Ordering::SeqCst);
    Err(Error::new(ErrorKind::Unavailable, "overloaded"))
}

/// Waits for a word.
#[tool(timeout = "1h")]
async fn listen(ctx: &Context) -> Result<String> {
    ctx.wait_for_signal("word").await
}

fn process(store: Arc<dyn genkit_core::RunStore>, tries: &Tries) -> Genkit {
    let model = model::from_fn("house/calls", |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        let calls = ["listen", "fail"].map(|tool| ToolRequest::new(tool, json!({})));
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests(calls),
            }
        }
    });
    let genkit = Genkit::builder().registry(Registry::new().add(tools![fail, listen]));
    let genkit =
        genkit.state(tries.clone()).default_model(model).durable(super::stores::Shared(store));
    genkit.build().expect("a program")
}

#[tokio::test]
async fn call_is_retried_and_its_attempts_counted_while_another_call_waits() {
    let (store, tries) = (Arc::new(MemoryRuns::default()), Tries::default());
    let genkit = process(Arc::clone(&store) as _, &tries);
    let policy =
        RetryPolicy::new().initial_delay(Duration::from_millis(30)).backoff(1).max_retries(2);
    let options = DurableOptions::new().retry_tool("fail", policy);
    let ask = genkit.generate("go").tools(["fail", "listen"]);
    let run = genkit.durable_run_with("r", ask, options).await.expect("a run");
    work_until(&genkit, tries.reach(2)).await;
    // The last attempt is made by another process.
    let other = process(store, &tries);
    let suspended_for_long = async {
        tries.reach(3).await;
        loop {
            let wake = all_suspended(&other, 1).await[0].wake_at_ms.expect("it is suspended");
            if wake > genkit_core::internal::run_store::now_ms() + 60_000 {
                break;
            }
        }
    };
    work_until(&other, suspended_for_long).await;
    assert_eq!(tries.0.load(Ordering::SeqCst), 3);
    assert!(run_store(&other).is_ok());
    run.signal("word", "hello").await.expect("it is sent");
    work_until(&other, has_ended(&other, "r")).await;
    assert_eq!(run.wait().await.expect("it ends").text(), "done");
}
