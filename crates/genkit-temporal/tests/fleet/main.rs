//! Durable runs on a real Temporal server. The server and the workers are killed with `kill -9`, and every effect must
//! occur once.

#![cfg(any(target_os = "linux", target_os = "macos"))] // the server package is only available for these systems
#![allow(clippy::unwrap_used, reason = "panics report the location")]

#[path = "../../../genkit-restate/tests/fleet/kit.rs"]
mod kit;
mod server;
mod worker;

use std::time::Duration;

use genkit::durable::{FlowOutcome, RunStatus};
use genkit::{ErrorKind, Genkit};
use genkit_temporal::{TemporalClient, connect};
use serde_json::json;
use tokio::time::timeout;

use self::kit::PATIENCE;
use self::server::{Server, free_port};
use self::worker::{Fleet, is_worker};

const TOOLS: [&str; 7] = ["search", "pay", "book", "send_letter", "endless", "note", "crash"];

async fn within<T>(what: impl Future<Output = T>, server: &Server) -> T {
    let done = timeout(PATIENCE, what).await;
    done.unwrap_or_else(|_| panic!("timed out; log of the server:\n{}", server.log()))
}

#[tokio::test(flavor = "multi_thread")]
async fn experiment_kills_at_each_point_and_every_effect_is_there_once() {
    if is_worker().await {
        return;
    }
    let server = Server::own().await;
    let mut fleet = Fleet::start(&server, &["a", "b"]).await;
    let log = fleet.log.clone();
    let ask = fleet.genkit.generate("trip").tools(TOOLS);
    let run = fleet.client.durable_run("trip-1", ask).await.unwrap();
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);

    // The worker is killed in the middle of the tool, after it has paid. Another worker continues.
    log.seen("pay has paid").await;
    assert_eq!(log.count("search"), 4);
    let first = log.who("pay has paid")[0].clone();
    fleet.kill(&first);
    log.seen_times("pay has paid", 2).await;
    let second = log.who("pay has paid")[1].clone();
    assert_ne!(first, second);

    // The server is killed while the tool runs. The tool continues, or a worker gets it again.
    server.kill();
    fleet.revive(&first);
    server.start().await;
    log.open_gate("pay");
    let asked = within(run.wait(), &server).await.unwrap();
    assert!(asked.is_interrupted());
    assert_eq!(asked.interrupts()[0].tool_request().name, "book");

    // Everything is killed while it waits for the user. Another process signals the answer, before a worker runs.
    fleet.kill(&first);
    fleet.kill(&second);
    server.kill();
    server.start().await;
    let elsewhere = fleet.client.find_durable_run("trip-1").await.unwrap().unwrap();
    assert_eq!(elsewhere.status().await.unwrap(), RunStatus::InputRequired);
    let input = r#"{"plain":{"call":"b1","answer":true}}"#;
    server
        .run(&["workflow", "signal", "--workflow-id=trip-1", "--name=answer", "--input", input])
        .await;
    fleet.revive("c");
    log.seen("effect book").await;
    assert_eq!(within(run.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);
    let refused = elsewhere.answer("b1", true).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FailedPrecondition, "{refused}");

    for once in ["effect fee", "effect charge", "effect receipt", "effect book"] {
        assert_eq!(log.count(once), 1, "{once}");
    }
    assert_eq!((log.count("search"), log.count("model")), (4, 4));
    assert_eq!(log.count("key trip-1/5/0/book"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn flow_and_approval_continue_in_new_processes() {
    let server = Server::shared().await;
    let mut fleet = Fleet::start(&server, &["a"]).await;
    let (log, client) = (fleet.log.clone(), fleet.client.clone().with_search_attribute());
    client.create_search_attribute().await.unwrap();
    client.create_search_attribute().await.unwrap();
    let ask = fleet.genkit.generate("book").tools(TOOLS);
    let run = client.durable_run("restart-run", ask).await.unwrap();
    let flow = client.durable_flow("restart-flow", "sell", json!({"cents": 500})).await.unwrap();

    // The worker is killed in the middle of the flow, after it has reserved.
    log.seen("effect reserve").await;
    assert!(within(run.wait(), &server).await.unwrap().is_interrupted());
    fleet.kill("a");
    log.open_gate("sell");
    fleet.revive("b");
    let outcome = within(flow.wait(), &server).await.unwrap();
    let FlowOutcome::Interrupted(open) = outcome else { panic!("{outcome:?}") };
    assert_eq!(open[0].message(), Some("Send it?"));
    let query = "--query=GenkitStatus='input_required'";
    let found = async {
        while server.run(&["workflow", "count", query]).await.trim() != "Total: 2" {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    within(found, &server).await;

    fleet.kill("b");
    fleet.revive("c");
    let wrong = within(flow.answer("nobody", true), &server).await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidArgument, "{wrong}");
    let open = flow.open().await.unwrap();
    flow.answer(open[0].key(), true).await.unwrap();
    run.answer_with(|question| question.is_approval().then(|| question.approve())).await.unwrap();
    let outcome = within(flow.wait(), &server).await.unwrap();
    assert_eq!(outcome, FlowOutcome::Returned(json!("sold for 500")));
    assert_eq!(within(run.wait(), &server).await.unwrap().text(), "all done");
    for once in ["effect reserve", "effect ship", "effect book"] {
        assert_eq!(log.count(once), 1, "{once}");
    }
    assert!(run.delete().await.unwrap());
    // Temporal deletes in the background, once other tasks of the run have ended.
    let deleted = async {
        while run.status().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    timeout(4 * PATIENCE, deleted).await.unwrap();
    assert_eq!(run.status().await.unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!run.delete().await.unwrap());
    assert_eq!(run.answer("b1", true).await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_retryable_errors_are_retried_and_same_id_is_one_run() {
    let server = Server::shared().await;
    let fleet = Fleet::start(&server, &["a"]).await;
    let (log, client) = (fleet.log.clone(), &fleet.client);

    let busy = client.durable_run("busy", fleet.genkit.generate("busy")).await.unwrap();
    assert_eq!(within(busy.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(log.count("model"), 3);

    let wrong = client.durable_run("wrong", fleet.genkit.generate("wrong")).await.unwrap();
    let error = within(wrong.wait(), &server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.chain().contains("the model knows no such thing"), "{}", error.chain());
    assert_eq!((log.count("model"), wrong.status().await.unwrap()), (4, RunStatus::Failed));

    let flow = client.durable_flow("flow-busy", "fail", json!({"kind": "busy"})).await.unwrap();
    let outcome = within(flow.wait(), &server).await.unwrap();
    assert_eq!((outcome, log.count("fail")), (FlowOutcome::Returned(json!("went well")), 2));
    let flow = client.durable_flow("flow-wrong", "fail", json!({"kind": "wrong"})).await.unwrap();
    let error = within(flow.wait(), &server).await.unwrap_err();
    assert_eq!((error.kind(), log.count("fail")), (ErrorKind::InvalidArgument, 3), "{error}");

    // The same id refers to the same run, whatever the request is.
    let again = client.durable_run("busy", fleet.genkit.generate("wrong")).await.unwrap();
    assert_eq!(within(again.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(log.count("model"), 4);
    let ask = || fleet.genkit.generate("nothing");
    let both = tokio::join!(client.durable_run("one", ask()), client.durable_run("one", ask()));
    assert_eq!(within(both.0.unwrap().wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(within(both.1.unwrap().wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(log.count("model"), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_is_cancelled_while_its_tools_run() {
    let server = Server::shared().await;
    let fleet = Fleet::start(&server, &["a", "b"]).await;
    let (log, client) = (fleet.log.clone(), &fleet.client);
    let ask = fleet.genkit.generate("endless").tools(TOOLS);
    let run = client.durable_run("cancelled", ask).await.unwrap();
    log.seen_times("endless begins", 2).await;
    assert!(run.cancel().await.unwrap());
    // The tools are notified with their next heartbeats.
    log.seen_times("endless ended", 2).await;
    let error = within(run.wait(), &server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(!run.cancel().await.unwrap());
    assert_eq!((log.count("endless begins"), log.count("model")), (2, 1));
    assert_eq!(run.status().await.unwrap(), RunStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_once_call_becomes_a_question_after_a_kill() {
    let server = Server::shared().await;
    let mut fleet = Fleet::start(&server, &["a"]).await;
    let log = fleet.log.clone();
    let ask = fleet.genkit.generate("letter").tools(TOOLS);
    let run = fleet.client.durable_run("letter", ask).await.unwrap();
    log.seen("letter").await;
    fleet.kill("a");
    fleet.revive("a");
    let asked = within(run.wait(), &server).await.unwrap();
    let questions = asked.interrupts();
    let said = questions[0].message().unwrap();
    assert!(said.contains("its outcome is unknown"), "{said}");
    run.answer("l1", false).await.unwrap();
    assert_eq!(within(run.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(log.count("letter"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn step_that_ends_its_process_fails_the_run_after_10_workers() {
    let server = Server::shared().await;
    let mut fleet = Fleet::start(&server, &["a"]).await;
    let ask = fleet.genkit.generate("crash").tools(TOOLS);
    let run = fleet.client.durable_run("crash", ask).await.unwrap();
    for lives in 1..=10 {
        fleet.log.seen_times("crash", lives).await;
        fleet.ended("a").await;
        fleet.revive("a");
    }
    let error = within(run.wait(), &server).await.unwrap_err();
    assert!(
        error.to_string().contains("the worker of the step `crash` was lost 10 times"),
        "{error}"
    );
    assert_eq!((fleet.log.count("crash"), run.status().await.unwrap()), (10, RunStatus::Failed));
}

#[tokio::test(flavor = "multi_thread")]
async fn long_run_continues_in_new_workflows_and_large_run_fails() {
    let server = Server::shared().await;
    let mut fleet = Fleet::start(&server, &["a", "b"]).await;
    let ask = fleet.genkit.generate("long").tools(TOOLS).max_turns(40);
    let run = fleet.client.durable_run("long", ask).await.unwrap();
    fleet.log.seen_times("note", 15).await;
    // The other worker replays the history.
    fleet.kill("a");
    assert_eq!(within(run.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(fleet.log.count("model"), 31);
    let continued = "--query=WorkflowId='long' AND ExecutionStatus='ContinuedAsNew'";
    let count = server.run(&["workflow", "count", continued]).await;
    let count: u32 = count.trim().strip_prefix("Total: ").unwrap().parse().unwrap();
    assert!(count >= 3, "{count}");

    let large = fleet.client.durable_run("large", fleet.genkit.generate("large")).await.unwrap();
    let error = within(large.wait(), &server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "{error}");
    assert!(error.to_string().contains("a message on Temporal is limited"), "{error}");
    assert_eq!((fleet.log.count("model"), large.status().await.unwrap()), (32, RunStatus::Failed));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_waits_for_a_worker_with_its_tool_and_errors_name_a_remedy() {
    let server = Server::shared().await;
    let mut fleet = Fleet::start(&server, &["poor"]).await;
    let ask = fleet.genkit.generate("book").tools(TOOLS);
    let run = fleet.client.durable_run("waiting", ask).await.unwrap();
    let named = async {
        let show = ["workflow", "show", "--workflow-id=waiting", "--output=json"];
        while !server.run(&show).await.contains("`book`") {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    within(named, &server).await;
    fleet.revive("a");
    fleet.kill("poor");
    assert!(within(run.wait(), &server).await.unwrap().is_interrupted());

    let genkit = Genkit::default();
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let error = connect(&nobody).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains(&nobody), "{error}");
    assert!(error.to_string().contains("temporal server start-dev"), "{error}");
    let error = connect("postgres://me:secret@db").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(!error.to_string().contains("secret"), "{error}");
    let client = TemporalClient::new(&genkit, &connect(&server.url()).await.unwrap());
    assert!(client.find_durable_run("x").await.unwrap().is_none());
    assert!(client.find_durable_run("../x").await.is_err());
    let start = ["workflow", "start", "--task-queue=q", "--type=Other", "--workflow-id=other"];
    server.run(&start).await;
    let error = client.find_durable_run("other").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{error}");
    assert!(error.to_string().contains("`Other`"), "{error}");
}
