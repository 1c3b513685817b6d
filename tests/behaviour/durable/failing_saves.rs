//! Runs in which the n-th save fails, for each n. The tests work with any store, and start a new process when one
//! stops.

use std::sync::atomic::Ordering;
use std::time::Duration;

use genkit::durable::RunStore;
use genkit::{ErrorKind, GenerateResponse};
use serde_json::json;
use tokio::task::JoinSet;

use super::failing_store::{FailingStore, Fails};
use super::world::{MODEL_CALLS, World, ask, check_answer, process_with_lease};

/// A lease that does not end in these tests.
const LONG: Duration = Duration::from_secs(30);

/// A lease that ends while the store is down.
const SHORT: Duration = Duration::from_millis(100);

/// Runs to the end, with a new process each time the work stops. Returns the response and the number of processes.
async fn drive<S: RunStore + Clone>(
    store: &FailingStore<S>,
    run: &str,
    world: &World,
    lease: Duration,
) -> (GenerateResponse, usize) {
    let mut processes = 0;
    loop {
        processes += 1;
        let genkit = process_with_lease(store.clone(), world, lease);
        let run = genkit.durable_run(run, ask()).await.unwrap();
        let ended = async {
            let response = run.wait().await?;
            if response.is_interrupted() {
                run.answer("c3", json!(true)).await?;
            }
            run.wait().await
        };
        match ended.await {
            Ok(response) => {
                assert!(run.delete().await.unwrap());
                return (response, processes);
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
        }
    }
}

/// Counts the saves of an undisturbed run. For each save and each way to fail, returns a run in which `times` saves in
/// a row fail, beginning with this save.
async fn failures<S: RunStore + Clone>(store: &S, name: &str, times: usize) -> Vec<Failure<S>> {
    let (world, run) = (World::default(), format!("{name}-{times}-0"));
    let undisturbed = FailingStore::new(store.clone(), usize::MAX, 0, Fails::Before);
    let (response, processes) = drive(&undisturbed, &run, &world, LONG).await;
    check_answer(&response);
    assert_eq!((world.models(), processes), (MODEL_CALLS, 1));
    assert_eq!(world.charged(), [format!("{run}/1/0/charge")]);
    let saves = undisturbed.saves.load(Ordering::SeqCst);
    assert_eq!(saves, 11, "one for each model call, call, `once` and answer");
    let all = [Fails::Before, Fails::After].into_iter();
    let all = all.flat_map(|how| (1..=saves).map(move |first| (how, first)));
    all.map(|(how, first)| Failure {
        store: FailingStore::new(store.clone(), first, times, how),
        run: format!("{name}-{times}-{how:?}-{first}"),
        world: World::default(),
    })
    .collect()
}

/// A run in which some saves fail.
struct Failure<S> {
    store: FailingStore<S>,
    run: String,
    world: World,
}

impl<S: RunStore + Clone> Failure<S> {
    async fn drive(&self, lease: Duration) -> usize {
        let (response, processes) = drive(&self.store, &self.run, &self.world, lease).await;
        check_answer(&response);
        let (run, made) = (&self.run, self.store.saves.load(Ordering::SeqCst));
        assert!(made >= self.store.first, "{run}: no save failed");
        assert_eq!(self.world.charged(), [format!("{run}/1/0/charge")]);
        processes
    }

    async fn check_once(self) {
        let processes = self.drive(LONG).await;
        let (run, world) = (&self.run, &self.world.0);
        // A caller whose answer failed receives an error, and answers again.
        assert!(processes <= 2, "{run}");
        assert_eq!(self.world.models(), MODEL_CALLS, "{run}");
        assert_eq!(world.charged.lock().unwrap().len(), 1, "{run}");
        assert_eq!(world.bodies.load(Ordering::SeqCst), 1, "{run}");
        assert_eq!(world.notes.load(Ordering::SeqCst), 2, "{run}");
        assert_eq!(world.deleted.load(Ordering::SeqCst), 1, "{run}");
    }

    async fn check_down(self) {
        let processes = self.drive(SHORT).await;
        let (run, models) = (&self.run, self.world.models());
        assert!(models <= MODEL_CALLS + 2, "{run}: {models}");
        if matches!(self.store.how, Fails::Before) {
            assert!(processes >= 2, "{run}: the work stopped");
        }
        let notes = self.world.0.notes.load(Ordering::SeqCst);
        assert!((2..=6).contains(&notes), "{run}: {notes}");
    }
}

/// Each save fails once, and is retried.
pub(super) async fn a_save_that_fails_once_changes_nothing<S: RunStore + Clone>(
    store: S,
    name: &str,
) {
    let all: JoinSet<_> =
        failures(&store, name, 1).await.into_iter().map(Failure::check_once).collect();
    all.join_all().await;
}

/// Each save fails for longer than twice the lease, so that the process gives up, and another process continues.
pub(super) async fn a_store_that_is_down_loses_nothing<S: RunStore + Clone>(store: S, name: &str) {
    let all: JoinSet<_> =
        failures(&store, name, 4).await.into_iter().map(Failure::check_down).collect();
    all.join_all().await;
}
