//! Tests of the handles of durable runs: reuse of the id, answers, completion, errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::RunStatus;
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{Approval, Context, Error, ErrorKind, Genkit, Registry, Result, Tool, tool, tools};
use serde_json::{Map, Value, json};

use super::memory::MemoryStore;
use super::{MODEL_CALLS, World, ask, check_answer, process, world};
use crate::generate::{calls, outputs};

#[tokio::test(start_paused = true)]
async fn same_id_is_the_same_run() {
    let (store, world) = (MemoryStore::default(), World::default());
    let genkit = process(store.clone(), &world);
    let run = genkit.durable_run("order-1", ask()).await.unwrap();
    assert_eq!((run.status().await.unwrap(), world.models()), (RunStatus::Working, 0));
    let response = run.wait().await.unwrap();
    assert!(response.is_interrupted());
    assert_eq!(run.status().await.unwrap(), RunStatus::InputRequired);

    // Another process requests it again, with other options.
    let other = process(store.clone(), &world);
    let again = other.durable_run("order-1", genkit::generate("Something else")).await.unwrap();
    let open = again.open_questions().await.unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].tool_request().id.as_deref(), Some("c3"));
    assert!(again.wait().await.unwrap().is_interrupted());
    again.answer("c3", json!(true)).await.unwrap();
    assert_eq!(again.status().await.unwrap(), RunStatus::Working);

    check_answer(&run.wait().await.unwrap());
    check_answer(&again.wait().await.unwrap());
    assert_eq!((world.models(), world.0.bodies.load(Ordering::SeqCst)), (MODEL_CALLS, 1));
    assert!(run.open_questions().await.unwrap().is_empty());
    assert!(!run.cancel().await.unwrap(), "it is over");

    assert!(genkit.find_durable_run("order-2").await.unwrap().is_none());
    assert!(run.delete().await.unwrap() && !run.delete().await.unwrap());
    assert_eq!(run.status().await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn answered_run_is_that_of_an_awaited_one() {
    let (store, world) = (MemoryStore::default(), World::default());
    let genkit = process(store, &world);
    let run = genkit.durable_run("r", ask()).await.unwrap();
    run.wait().await.unwrap();
    run.answer("c3", true).await.unwrap();
    let stored = run.wait().await.unwrap();
    let plain = World::default();
    let registry = Registry::new().add(tools![world::note, world::delete, paid]);
    let genkit = Genkit::builder().registry(registry).state(plain.clone());
    let genkit = genkit.default_model(super::world::model(&plain)).build().unwrap();
    let ask = genkit.generate("Pay, and clean up.").tools(["pay", "note", "delete"]);
    let asked = ask.clone().await.unwrap();
    let awaited = ask.resume(asked, |question| question.approve()).await.unwrap();
    assert_eq!(stored.messages(), awaited.messages());
    assert_eq!(stored.message, awaited.message);
    assert_eq!(stored.finish_reason, awaited.finish_reason);
    let names = |response: genkit::GenerateResponse| -> Vec<String> {
        response.request.unwrap().tools.iter().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!(names(stored), names(awaited));
}

/// The same without a durable run.
#[tool(name = "pay")]
async fn paid(cents: u32) -> String {
    format!("paid {cents}, thanks")
}

#[tokio::test(start_paused = true)]
async fn invalid_answers_change_nothing() {
    let (store, world) = (MemoryStore::default(), World::default());
    let genkit = process(store, &world);
    let run = genkit.durable_run("r", ask()).await.unwrap();
    let early = run.answer("c3", true).await.unwrap_err();
    assert_eq!(early.kind(), ErrorKind::FailedPrecondition);
    run.wait().await.unwrap();
    for (call, answer, text) in [
        ("c9", json!(true), "`c3`"),
        ("c3", json!("yes"), "true or false"),
        ("c4", json!(true), "`c3`"),
    ] {
        let error = run.answer(call, answer).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(run.open_questions().await.unwrap().len(), 1);
    }
    run.answer_with(|question| Some(question.decline_with("not that one"))).await.unwrap();
    let late = run.answer("c3", true).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::FailedPrecondition, "it was answered");
    let response = run.wait().await.unwrap();
    assert_eq!(world.0.deleted.load(Ordering::SeqCst), 0);
    assert!(outputs(&response)[2]["error"].as_str().unwrap().contains("not that one"));
}

#[tokio::test(start_paused = true)]
async fn cancelling_stops_running_calls_and_keeps_results() {
    struct Dropped(Arc<AtomicUsize>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let dropped = Arc::<AtomicUsize>::default();
    let counter = Arc::clone(&dropped);
    let hang = Tool::builder("hang", "Hangs.").timeout(Duration::from_secs(3600)).handler(
        move |_: Context, _: Map<String, Value>| {
            let held = Dropped(Arc::clone(&counter));
            async move {
                let _held = held;
                std::future::pending::<()>().await;
                Ok(1)
            }
        },
    );
    let model = calls([("hang", json!({}))]);
    let genkit = Genkit::builder().registry(Registry::new().add([hang])).default_model(model);
    let genkit = genkit.durable(MemoryStore::default()).build().unwrap();
    let ask = genkit::generate("go").tools(["hang"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { run.wait().await }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(run.cancel().await.unwrap());
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "the tool was stopped");
    assert_eq!(error.partial().unwrap().messages().len(), 2, "the saved results are kept");
    assert_eq!(run.status().await.unwrap(), RunStatus::Cancelled);
    assert!(!run.cancel().await.unwrap());
}

#[tokio::test]
async fn transient_errors_are_retried_and_permanent_errors_end_the_run() {
    let calls = Arc::<AtomicUsize>::default();
    let counter = Arc::clone(&calls);
    let model = model::from_fn("house/shaky", move |_, _| {
        let call = counter.fetch_add(1, Ordering::SeqCst);
        async move {
            match call {
                0 => Err(Error::new(ErrorKind::Unavailable, "overloaded")),
                _ => Ok(ModelResponse::from_text("well")),
            }
        }
    });
    let genkit = Genkit::builder().registry(Registry::new()).default_model(model);
    let genkit = genkit.durable(MemoryStore::default()).build().unwrap();
    let run = genkit.durable_run("r", genkit::generate("go")).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "well");
    assert_eq!(calls.load(Ordering::SeqCst), 2);

    let script = [
        Ok(ModelResponse::from_tool_requests([ToolRequest::new("nothing", json!({}))])),
        Err(Error::new(ErrorKind::Unauthenticated, "the key is wrong")),
    ];
    let model = ScriptedModel::new(script);
    let genkit = Genkit::builder().registry(Registry::new()).default_model(model.clone());
    let genkit = genkit.durable(MemoryStore::default()).build().unwrap();
    let run = genkit.durable_run("r", genkit::generate("go")).await.unwrap();
    for _ in 0..2 {
        let error = run.wait().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthenticated);
        assert!(error.to_string().contains("the key is wrong"), "{error}");
        assert_eq!(error.partial().unwrap().messages().len(), 3);
    }
    assert_eq!(run.status().await.unwrap(), RunStatus::Failed);
    assert_eq!(
        model.requests().len(),
        2,
        "the failure is stored, and the step is not performed again"
    );
}

#[tokio::test]
async fn code_without_a_name_is_rejected_with_all_of_it() {
    let genkit = Genkit::builder().registry(Registry::new()).durable(MemoryStore::default());
    let genkit = genkit.build().unwrap();
    let own = Tool::builder("own", "Does it.").handler(|_: Context, _: Value| async { Ok(1) });
    let ask = genkit::generate("go")
        .model(ScriptedModel::text("hi").with_name("house/own"))
        .tools(vec![own])
        .approval(|_| Approval::Allow)
        .state(7_u8);
    let error = genkit.durable_run("r", ask).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    for named in ["`house/own`", "`own`", "approval policy", "`.state(..)`"] {
        assert!(error.to_string().contains(named), "{named}: {error}");
    }
    assert!(genkit.find_durable_run("r").await.unwrap().is_none());

    let without = Genkit::builder().registry(Registry::new()).build().unwrap();
    let error = without.durable_run("r", genkit::generate("go")).await.unwrap_err();
    assert!(error.to_string().contains(".durable("), "{error}");
    let error = without.work().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let error = genkit.durable_run("../r", genkit::generate("go")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

/// Launches, which happens once.
#[tool(at_most_once)]
async fn launch(launches: &Launches, ctx: &Context) -> Result<String> {
    let count = launches.count.fetch_add(1, Ordering::SeqCst);
    ctx.once("fuel", async { Ok::<_, Error>(7) }).await?;
    if count == 0 {
        std::future::pending::<()>().await;
    }
    Ok(format!("launch {}", count + 1))
}

#[derive(Clone, Default)]
struct Launches {
    count: Arc<AtomicUsize>,
}

#[tokio::test(start_paused = true)]
async fn call_that_may_have_happened_is_a_question_and_no_second_call() {
    for (answer, expected, launched) in [
        (json!(true), json!("launch 2"), 2),
        (json!(false), json!("the user did not approve: it may already have happened"), 1),
        (json!("in its place"), json!("it is up"), 1),
    ] {
        let (store, launches) = (MemoryStore::default(), Launches::default());
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests(
                [ToolRequest::new("launch", json!({})).with_id("c1")],
            ),
            ModelResponse::from_text("done"),
        ]);
        let process = || {
            Genkit::builder()
                .registry(Registry::new().add(tools![launch]))
                .state(launches.clone())
                .default_model(model.clone())
                .durable(store.clone())
                .build()
                .unwrap()
        };
        let ask = genkit::generate("Launch!").tools(["launch"]);
        let run = process().durable_run("r", ask).await.unwrap();
        // The process dies while the tool runs.
        let died = tokio::time::timeout(Duration::from_secs(2), run.wait()).await;
        assert!(died.is_err());
        assert_eq!(launches.count.load(Ordering::SeqCst), 1);
        tokio::task::yield_now().await;

        let run = process().find_durable_run("r").await.unwrap().unwrap();
        let asked = run.wait().await.unwrap();
        assert!(asked.is_interrupted());
        assert_eq!(launches.count.load(Ordering::SeqCst), 1, "the tool did not launch again");
        let open = run.open_questions().await.unwrap();
        assert!(open[0].message().unwrap().contains("its outcome is unknown"));
        match answer.as_str() {
            Some(_) => run.answer_with(|open| Some(open.respond("it is up"))).await.unwrap(),
            None => run.answer("c1", &answer).await.unwrap(),
        }
        let response = run.wait().await.unwrap();
        let output = outputs(&response).remove(0);
        let text = output.get("error").unwrap_or(&output);
        assert_eq!(text, &expected, "{answer}");
        assert_eq!(launches.count.load(Ordering::SeqCst), launched);
    }
}
