//! Durable flows.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{FlowOutcome, RunStatus};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows};
use serde_json::json;

use super::failing_store::{FailingStore, Fails};
use super::memory::MemoryStore;

#[derive(Clone, Default)]
struct Shop {
    keys: Arc<Mutex<Vec<String>>>,
    begun: Arc<AtomicUsize>,
    fails: Arc<AtomicUsize>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Address {
    street: String,
}

/// Sells something to a user.
#[flow]
async fn sell(shop: &Shop, ctx: &Context, cents: u32) -> Result<String> {
    shop.begun.fetch_add(1, Ordering::SeqCst);
    let key = ctx.idempotency_key("charge").unwrap();
    let keys = Arc::clone(&shop.keys);
    let receipt: String = ctx
        .once("charge", async move {
            keys.lock().unwrap().push(key.clone());
            Ok::<_, Error>(format!("{cents} by {key}"))
        })
        .await?;
    if shop.fails.load(Ordering::SeqCst) > 0 {
        shop.fails.fetch_sub(1, Ordering::SeqCst);
        return Err(Error::new(ErrorKind::Unavailable, "the post is closed"));
    }
    let address = ctx.elicit::<Address>("Where to?").key("address").await?;
    let Ok(address) = address.accepted() else {
        return Err(Error::new(ErrorKind::FailedPrecondition, "nowhere to send it"));
    };
    ctx.confirm(format!("Send it to {}?", address.street)).await?;
    Ok(format!("{receipt}, sent to {}", address.street))
}

fn process(store: impl genkit::durable::RunStore, shop: &Shop) -> Genkit {
    let registry = Registry::new().add(flows![sell]);
    Genkit::builder().registry(registry).state(shop.clone()).durable(store).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn interrupted_flow_resumes_in_another_process() {
    let (store, shop) = (MemoryStore::default(), Shop::default());
    let genkit = process(store.clone(), &shop);
    let run = genkit.durable_flow("sale-1", "sell", json!({"cents": 500})).await.unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!() };
    assert_eq!((open[0].key(), open[0].message()), ("address", Some("Where to?")));

    let run = process(store.clone(), &shop).find_durable_flow("sale-1").await.unwrap().unwrap();
    assert_eq!(run.answer("c9", json!({})).await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    run.answer("address", json!({"street": "Elm St"})).await.unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!() };
    assert_eq!(open[0].message(), Some("Send it to Elm St?"));
    run.answer(open[0].key(), true).await.unwrap();

    // A worker performs the remaining steps.
    let worker = process(store.clone(), &shop);
    worker.work().until(tokio::time::sleep(Duration::from_secs(3))).await.unwrap();
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);
    let FlowOutcome::Returned(value) = run.wait().await.unwrap() else { panic!() };
    assert_eq!(value, "500 by sale-1/0/0/charge, sent to Elm St");
    assert_eq!(shop.keys.lock().unwrap().len(), 1);
    assert_eq!(shop.begun.load(Ordering::SeqCst), 3, "from the start each time");

    // The id selects the existing run: another flow is an error, and another input is ignored.
    let other = genkit.durable_flow("sale-1", "refund", json!({"cents": 9})).await.unwrap_err();
    assert!(other.to_string().contains("a run of the flow `sell`, not of `refund`"), "{other}");
    let again = genkit.durable_flow("sale-1", "sell", json!({"cents": 9})).await.unwrap();
    assert_eq!(again.wait().await.unwrap(), FlowOutcome::Returned(value));
    let as_run = genkit.find_durable_run("sale-1").await.unwrap().unwrap();
    assert_eq!(as_run.wait().await.unwrap_err().kind(), ErrorKind::FailedPrecondition);
}

#[tokio::test(start_paused = true)]
async fn permanently_failed_flow_returns_the_same_error() {
    let shop = Shop::default();
    let genkit = process(MemoryStore::default(), &shop);
    let run = genkit.durable_flow("s", "sell", json!({"cents": 1})).await.unwrap();
    run.wait().await.unwrap();
    run.answer("address", json!(null)).await.unwrap();
    for _ in 0..2 {
        let error = run.wait().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
        assert!(error.to_string().contains("nowhere to send it"), "{error}");
    }
    assert_eq!(run.status().await.unwrap(), RunStatus::Failed);
    let unknown = genkit.durable_flow("t", "sale", json!({})).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
    let run = genkit.durable_flow("wrong", "sell", json!({"cents": "many"})).await.unwrap();
    assert_eq!(run.wait().await.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[tokio::test]
async fn retried_flow_reuses_saved_results() {
    let shop = Shop::default();
    shop.fails.store(1, Ordering::SeqCst);
    let genkit = process(MemoryStore::default(), &shop);
    let run = genkit.durable_flow("s", "sell", json!({"cents": 1})).await.unwrap();
    assert!(matches!(run.wait().await.unwrap(), FlowOutcome::Interrupted(_)));
    assert_eq!(shop.begun.load(Ordering::SeqCst), 2);
    assert_eq!(shop.keys.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn store_that_fails_at_any_save_of_a_flow_loses_nothing() {
    for (how, times) in
        [(Fails::Before, 1), (Fails::After, 1), (Fails::Before, 6), (Fails::After, 6)]
    {
        for first in 1..=6 {
            let shop = Shop::default();
            let store = FailingStore::new(MemoryStore::default(), first, times, how);
            let value = loop {
                let genkit = process(store.clone(), &shop);
                let run = genkit.durable_flow("s", "sell", json!({"cents": 1})).await.unwrap();
                let ended = async {
                    loop {
                        match run.wait().await? {
                            FlowOutcome::Interrupted(open) if open[0].key() == "address" => {
                                run.answer("address", json!({"street": "Elm St"})).await?;
                            }
                            FlowOutcome::Interrupted(open) => {
                                run.answer(open[0].key(), true).await?
                            }
                            FlowOutcome::Returned(value) => return Ok::<_, Error>(value),
                            other => panic!("{other:?}"),
                        }
                    }
                };
                match ended.await {
                    Ok(value) => break value,
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
                }
            };
            assert_eq!(value, "1 by s/0/0/charge, sent to Elm St", "{how:?} {times} {first}");
            let mut keys = shop.keys.lock().unwrap().clone();
            if times == 1 {
                assert_eq!(keys.len(), 1, "{how:?} {first}");
            }
            keys.dedup();
            assert_eq!(keys, ["s/0/0/charge"]);
        }
    }
}
