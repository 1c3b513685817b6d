//! Retries of model calls, flows and tool calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableOptions, RetryPolicy};
use genkit::model::{self, ModelResponse};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows, tool, tools};
use serde_json::json;
use tokio::time::Instant;

use super::super::memory::MemoryStore;
use super::{calls, calls_with};

/// Counts attempts and effects. Attempts fail until a given number is reached.
#[derive(Clone, Default)]
struct Attempts(Arc<[AtomicUsize; 3]>);

impl Attempts {
    fn that_fail(times: usize) -> Self {
        let attempts = Self::default();
        attempts.0[1].store(times, Ordering::SeqCst);
        attempts
    }

    fn try_it(&self, kind: ErrorKind) -> Result<String> {
        let made = self.0[0].fetch_add(1, Ordering::SeqCst);
        match made < self.0[1].load(Ordering::SeqCst) {
            true => Err(Error::new(kind, "overloaded")),
            false => Ok(format!("after {made}")),
        }
    }

    fn made(&self) -> usize {
        self.0[0].load(Ordering::SeqCst)
    }

    fn effects(&self) -> usize {
        self.0[2].load(Ordering::SeqCst)
    }
}

/// Acts once, and then fails for a while.
#[tool]
async fn flaky(attempts: &Attempts, ctx: &Context) -> Result<String> {
    let effect = async { Ok::<_, Error>(attempts.0[2].fetch_add(1, Ordering::SeqCst)) };
    ctx.once("act", effect).await?;
    attempts.try_it(ErrorKind::Unavailable)
}

/// Declares its retries.
#[tool(retry(max_retries = 3, initial_delay = "2ms", backoff = 1, max_delay = "1s"))]
async fn persistent(attempts: &Attempts, ctx: &Context) -> Result<String> {
    flaky(attempts, ctx).await
}

/// Fails for a while, for lack of a permission.
#[flow]
async fn locked(attempts: &Attempts) -> Result<String> {
    attempts.try_it(ErrorKind::PermissionDenied)
}

fn process(attempts: &Attempts) -> Genkit {
    process_that_calls("flaky", attempts)
}

fn process_that_calls(tool: &'static str, attempts: &Attempts) -> Genkit {
    let registry = Registry::new().add(tools![flaky, persistent]).add(flows![locked]);
    let genkit = Genkit::builder().registry(registry).state(attempts.clone());
    genkit.default_model(calls(tool)).durable(MemoryStore::default()).build().unwrap()
}

#[tokio::test]
async fn tool_calls_are_retried_with_their_saved_results() {
    let quick = RetryPolicy::new().initial_delay(Duration::from_millis(2)).backoff(1);
    for (policy, made, output) in [
        (None, 1, "overloaded"),
        (Some(quick.clone()), 3, "after 2"),
        (Some(quick.clone().max_retries(1)), 2, "overloaded"),
        (Some(quick.clone().kinds([ErrorKind::Aborted])), 1, "overloaded"),
    ] {
        let attempts = Attempts::that_fail(2);
        let genkit = process(&attempts);
        let mut options = DurableOptions::new();
        if let Some(policy) = policy {
            options = options.retry_tool("flaky", policy);
        }
        let ask = genkit.generate("go").tools(["flaky"]);
        let run = genkit.durable_run_with("r", ask, options).await.unwrap();
        let response = run.wait().await.unwrap();
        let outputs = super::super::super::generate::outputs(&response);
        assert!(outputs[0].to_string().contains(output), "{outputs:?}");
        assert_eq!((attempts.made(), attempts.effects()), (made, 1), "{output}");
    }
}

#[tokio::test]
async fn tool_declares_the_retries_of_its_calls() {
    let once = DurableOptions::new().retry_tool("persistent", RetryPolicy::new().max_retries(0));
    for (options, made, output) in [(DurableOptions::new(), 3, "after 2"), (once, 1, "overloaded")]
    {
        let attempts = Attempts::that_fail(2);
        let genkit = process_that_calls("persistent", &attempts);
        let ask = genkit.generate("go").tools(["persistent"]);
        let run = genkit.durable_run_with("r", ask, options).await.unwrap();
        let response = run.wait().await.unwrap();
        let outputs = super::super::super::generate::outputs(&response);
        assert!(outputs[0].to_string().contains(output), "{outputs:?}");
        assert_eq!((attempts.made(), attempts.effects()), (made, 1), "{output}");
    }
    // Outside of durable runs, the model reads the first error.
    let attempts = Attempts::that_fail(2);
    let genkit = process_that_calls("persistent", &attempts);
    genkit.generate("go").tools(["persistent"]).await.unwrap();
    assert_eq!(attempts.made(), 1);
}

#[tokio::test]
async fn flows_are_retried_by_the_policy_of_the_run() {
    let attempts = Attempts::that_fail(2);
    let genkit = process(&attempts);
    let run = genkit.durable_flow("default", "locked", json!({})).await.unwrap();
    assert_eq!(run.wait().await.unwrap_err().kind(), ErrorKind::PermissionDenied);
    assert_eq!(attempts.made(), 1);
    let policy = RetryPolicy::new().kinds([ErrorKind::PermissionDenied]);
    let options = DurableOptions::new().retry(policy.initial_delay(Duration::from_millis(1)));
    let run = genkit.durable_flow_with("f", "locked", json!({}), options).await.unwrap();
    run.wait().await.unwrap();
    assert_eq!(attempts.made(), 3);
}

#[tokio::test(start_paused = true)]
async fn model_calls_are_retried_by_the_policy_of_the_run() {
    let attempts = Attempts::that_fail(usize::MAX);
    let counted = attempts.clone();
    let model = model::from_fn("house/flaky", move |_, _| {
        let tried = counted.try_it(ErrorKind::Unavailable).map(ModelResponse::from_text);
        async move { tried }
    });
    let agent = genkit::generate(()).model(model).into_tool("flaky", "Fails.");
    let genkit = Genkit::builder().registry(Registry::new().add([agent]));
    let first = calls_with("flaky", json!({"task": "look"}));
    let genkit = genkit.default_model(first).durable(MemoryStore::default()).build().unwrap();
    let policy = RetryPolicy::new().max_retries(2).max_delay(Duration::from_secs(3));
    let options = DurableOptions::new().retry(policy);
    let ask = genkit.generate("go").tools(["flaky"]);
    let run = genkit.durable_run_with("r", ask, options).await.unwrap();
    let before = Instant::now();
    run.wait().await.unwrap();
    assert_eq!(attempts.made(), 3);
    assert!(before.elapsed() >= Duration::from_secs(1 + 3));
}
