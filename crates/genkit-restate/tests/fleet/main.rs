//! Durable runs on a real Restate server. The server and the workers are killed with `kill -9`, and every effect must
//! occur once.

#![cfg(any(target_os = "linux", target_os = "macos"))] // the server packages are only available for these systems
#![allow(clippy::unwrap_used, reason = "panics report the location")]

mod kit;
mod server;
mod worker;

use std::time::{Duration, Instant};

use genkit::durable::{FlowOutcome, RunStatus};
use genkit::{ErrorKind, Genkit};
use genkit_restate::{RestateAdmin, RestateClient, RestateWorker};
use serde_json::json;
use tokio::time::timeout;

use self::kit::PATIENCE;
use self::server::{Server, free_port};
use self::worker::{Fleet, is_worker};

const TOOLS: [&str; 5] = ["search", "pay", "book", "send_letter", "endless"];

async fn within<T>(what: impl Future<Output = T>, server: &Server) -> T {
    let done = timeout(PATIENCE, what).await;
    done.unwrap_or_else(|_| panic!("timed out; log of the server:\n{}", server.log()))
}

#[tokio::test(flavor = "multi_thread")]
async fn experiment_kills_at_each_point_and_every_effect_is_there_once() {
    if is_worker().await {
        return;
    }
    let server = Server::acquire().await;
    let mut fleet = Fleet::start(&server, &["a", "b"], 0).await;
    let (log, client) = (fleet.log.clone(), fleet.client(&server));
    let ask = || fleet.genkit.generate("trip").tools(TOOLS);
    let run = client.durable_run("trip-1", ask()).await.unwrap();

    // Four searches in parallel, distributed over two workers.
    log.seen_times("search", 4).await;
    let mut who = log.who("search");
    who.sort();
    who.dedup();
    assert_eq!(who, ["a", "b"]);

    // The worker is killed in the middle of the tool, after it has paid. Another worker continues.
    log.seen("pay has paid").await;
    let first = log.who("pay has paid")[0].clone();
    fleet.kill(&first);
    log.seen_times("pay has paid", 2).await;
    let second = log.who("pay has paid")[1].clone();
    assert_ne!(first, second);

    // The server is killed while the tool runs, and sends the step to a worker again after its restart.
    server.kill();
    fleet.revive(&first);
    server.start().await;
    log.open_gate("pay");
    let asked = within(run.wait(), &server).await.unwrap();
    assert!(asked.is_interrupted());
    assert_eq!(asked.interrupts()[0].tool_request().name, "book");

    // The server is killed while it waits for the user, who answers in another process.
    server.kill();
    server.start().await;
    let elsewhere = fleet.client(&server).find_durable_run("trip-1").await.unwrap().unwrap();
    within(elsewhere.answer("b1", true), &server).await.unwrap();
    let refused = elsewhere.answer("b1", true).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FailedPrecondition, "{refused}");
    assert_eq!(within(run.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);

    for once in ["effect fee", "effect charge", "effect receipt", "effect book"] {
        assert_eq!(log.count(once), 1, "{once}");
    }
    assert_eq!(log.count("search"), 4);
    assert_eq!(log.count("model"), 4);
    assert_eq!(log.count("key trip-1/5/0/book"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_answered_after_a_restart_of_everything() {
    let server = Server::acquire().await;
    let mut fleet = Fleet::start(&server, &["a"], 2000).await;
    let (log, client) = (fleet.log.clone(), fleet.client(&server));
    let ask = fleet.genkit.generate("book").tools(TOOLS);
    let run = client.durable_run("restart-run", ask).await.unwrap();
    let flow = client.durable_flow("restart-flow", "sell", json!({"cents": 500})).await.unwrap();

    // The worker is killed in the middle of the flow, after it has reserved.
    log.seen("effect reserve").await;
    fleet.kill("a");
    log.open_gate("sell");
    fleet.revive("a");
    assert!(within(run.wait(), &server).await.unwrap().is_interrupted());
    let outcome = within(flow.wait(), &server).await.unwrap();
    let FlowOutcome::Interrupted(open) = outcome else { panic!("{outcome:?}") };
    assert_eq!(open[0].message(), Some("Send it?"));
    // Longer than the step timeout: the waiting flow is suspended in Restate.
    tokio::time::sleep(Duration::from_secs(3)).await;

    fleet.kill("a");
    server.kill();
    server.start().await;
    fleet.revive("a");
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
    assert!(run.delete().await.unwrap() && !run.delete().await.unwrap());
    assert_eq!(run.status().await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_retryable_errors_are_retried_and_same_id_is_one_run() {
    let server = Server::acquire().await;
    let fleet = Fleet::start(&server, &["a"], 0).await;
    let (log, client) = (fleet.log.clone(), fleet.client(&server));

    // The run waits as long as the model's server requests: twice 1.5 s, rather than 1 and 4 s.
    let started = Instant::now();
    let busy = client.durable_run("busy", fleet.genkit.generate("busy")).await.unwrap();
    assert_eq!(within(busy.wait(), &server).await.unwrap().text(), "all done");
    assert_eq!(log.count("model"), 3);
    assert!(started.elapsed() >= Duration::from_millis(3000), "{:?}", started.elapsed());

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

    // The same id refers to the same run, even with a different request.
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
    let server = Server::acquire().await;
    let fleet = Fleet::start(&server, &["a", "b"], 0).await;
    let (log, client) = (fleet.log.clone(), fleet.client(&server));
    let ask = fleet.genkit.generate("endless").tools(TOOLS);
    let run = client.durable_run("cancelled", ask).await.unwrap();
    log.seen_times("endless begins", 2).await;
    let started = Instant::now();
    assert!(run.cancel().await.unwrap());
    // The object is not locked while tools run, so they are notified immediately.
    log.seen_times("endless ended", 2).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let error = within(run.wait(), &server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(!run.cancel().await.unwrap());
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!((log.count("endless begins"), log.count("model")), (2, 1));
    assert_eq!(run.status().await.unwrap(), RunStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_once_call_becomes_a_question_after_a_kill() {
    let server = Server::acquire().await;
    let mut fleet = Fleet::start(&server, &["a"], 0).await;
    let (log, client) = (fleet.log.clone(), fleet.client(&server));
    let ask = fleet.genkit.generate("letter").tools(TOOLS);
    let run = client.durable_run("letter", ask).await.unwrap();
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
async fn missing_tool_is_named_with_a_remedy() {
    let genkit = Genkit::default();
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let client = RestateClient::new(&genkit, &nobody).unwrap();
    let error = client.find_durable_run("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains(&nobody), "{error}");
    assert!(error.to_string().contains("npx @restatedev/restate-server"), "{error}");
    let error = RestateAdmin::new(&nobody).unwrap().register("http://x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = RestateClient::new(&genkit, "postgres://me:secret@db").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(!error.to_string().contains("secret"), "{error}");
    let error = RestateWorker::new(&genkit).identity_key("no key").serve("127.0.0.1:0").await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);

    let server = Server::own().await;
    let client = RestateClient::new(&genkit, &server.ingress()).unwrap();
    let error = client.find_durable_run("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{error}");
    assert!(error.to_string().contains("register"), "{error}");
    assert!(client.find_durable_run("../x").await.is_err());
    let error = RestateAdmin::new(&server.admin()).unwrap().register(&nobody).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{error}");
    assert!(error.to_string().contains(&nobody), "{error}");
}
