//! Saves that fail, each of them once, or until the work stops and another process takes it up.

use std::sync::atomic::Ordering;

use genkit::{ErrorKind, GenerateResponse};
use serde_json::json;

use super::memory::{FailingStore, Fails, MemoryStore};
use super::{MODEL_CALLS, World, ask, check_answer, process};

/// Runs to the end, with a new process each time that the work stops: the answer, and how many processes there were.
async fn drive(store: &FailingStore<MemoryStore>, world: &World) -> (GenerateResponse, usize) {
    let mut processes = 0;
    loop {
        processes += 1;
        let genkit = process(store.clone(), world);
        let run = genkit.durable_run("order-1", ask()).await.unwrap();
        let ended = async {
            let response = run.wait().await?;
            if response.is_interrupted() {
                run.answer("c3", json!(true)).await?;
            }
            run.wait().await
        };
        match ended.await {
            Ok(response) => return (response, processes),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
        }
    }
}

/// How many saves an undisturbed run makes.
async fn saves() -> usize {
    let (world, store) =
        (World::default(), FailingStore::new(MemoryStore::default(), usize::MAX, 0, Fails::Before));
    let (response, processes) = drive(&store, &world).await;
    check_answer(&response);
    assert_eq!((world.models(), processes), (MODEL_CALLS, 1));
    assert_eq!(world.charged(), ["order-1/1/0/charge"]);
    store.saves.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn a_save_that_fails_once_is_made_again_and_nothing_happens_twice() {
    let saves = saves().await;
    assert_eq!(saves, 11, "one for each model call, call, `once` and answer");
    for how in [Fails::Before, Fails::After] {
        for first in 1..=saves {
            let world = World::default();
            let store = FailingStore::new(MemoryStore::default(), first, 1, how);
            let (response, processes) = drive(&store, &world).await;
            check_answer(&response);
            // An answer is given by a caller who is told, and gives it again.
            assert!(processes <= 2, "{how:?} {first}");
            assert_eq!(world.models(), MODEL_CALLS, "{how:?} {first}");
            assert_eq!(world.0.charged.lock().unwrap().len(), 1, "{how:?} {first}");
            assert_eq!(world.0.bodies.load(Ordering::SeqCst), 1, "{how:?} {first}");
            assert_eq!(world.0.notes.load(Ordering::SeqCst), 2, "{how:?} {first}");
            assert_eq!(world.0.deleted.load(Ordering::SeqCst), 1, "{how:?} {first}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_stops_the_work_and_another_process_goes_on() {
    let saves = saves().await;
    for how in [Fails::Before, Fails::After] {
        for first in 1..=saves {
            // Longer than one process tries.
            let (world, times) = (World::default(), 6);
            let store = FailingStore::new(MemoryStore::default(), first, times, how);
            let (response, processes) = drive(&store, &world).await;
            check_answer(&response);
            assert_eq!(world.charged(), ["order-1/1/0/charge"], "{how:?} {first}");
            assert!(world.models() <= MODEL_CALLS + 1, "{how:?} {first}: {}", world.models());
            if matches!(how, Fails::Before) {
                assert!(processes >= 2, "{first}: the work stopped");
            }
            let notes = world.0.notes.load(Ordering::SeqCst);
            assert!((2..=4).contains(&notes), "{how:?} {first}: {notes}");
        }
    }
}
