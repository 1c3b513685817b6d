//! Tasks in a store: restarts, several servers, other callers, workers.

use std::path::PathBuf;
use std::time::Duration;

use genkit::durable::{RunStatus, RunStore as _};
use genkit::mcp::server::Principal;

use super::*;

pub(super) struct Temp(PathBuf);

impl Temp {
    pub(super) fn new(name: &str) -> (Self, FolderStore) {
        let folder = format!("genkit-tasks-{name}-{}", std::process::id());
        let this = Self(std::env::temp_dir().join(folder));
        std::fs::remove_dir_all(&this.0).ok();
        let store = FolderStore::open(&this.0).unwrap();
        (this, store)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[tokio::test]
async fn task_continues_after_a_restart_and_does_nothing_twice() {
    let ((_temp, store), world) = (Temp::new("restart"), World::new());
    let client = connect(server(&world, Some(&store))).await;
    let id = begin(&client, "work", json!({})).await;
    until_counts(&world, |counts| counts.1 == 1).await;
    drop(client);
    // The function ends with its server, but the task does not.
    until_counts(&world, |counts| counts == (1, 1, 1)).await;
    let client = connect(server(&world, Some(&store))).await;
    assert_eq!(get(&client, &id).await.unwrap()["status"], "working");
    world.open();
    let completed = until(&client, &id, "completed").await;
    assert_eq!(text(&completed["result"]), "worked");
    assert_eq!(world.counts(), (2, 1, 1));
    drop(client);
    // A finished task is still there after a restart.
    let client = connect(server(&world, Some(&store))).await;
    assert_eq!(text(&get(&client, &id).await.unwrap()["result"]), "worked");
    assert_eq!(world.counts().0, 2);
}

#[tokio::test]
async fn question_waits_for_its_answer_over_a_restart() {
    let ((_temp, store), world) = (Temp::new("asks"), World::new());
    let client = connect(server(&world, Some(&store))).await;
    let id = begin(&client, "asks", json!({})).await;
    let asked = until(&client, &id, "input_required").await;
    drop(client);
    let client = connect(server(&world, Some(&store))).await;
    let mut answers = json!({});
    for key in asked["inputRequests"].as_object().unwrap().keys() {
        answers[key] = accept(key);
    }
    update(&client, &id, answers).await.unwrap();
    let third = until(&client, &id, "input_required").await;
    let key = third["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    update(&client, &id, json!({key: accept("three")})).await.unwrap();
    until(&client, &id, "completed").await;
    assert_eq!(world.counts().1, 1);
}

#[tokio::test]
async fn interrupted_at_most_once_step_is_not_repeated() {
    let ((_temp, store), world) = (Temp::new("risky"), World::new());
    let client = connect(server(&world, Some(&store))).await;
    let id = begin(&client, "risky", json!({})).await;
    drop(client);
    let client = connect(server(&world, Some(&store))).await;
    let ended = until(&client, &id, "completed").await;
    assert_eq!(ended["result"]["isError"], true);
    assert!(
        text(&ended["result"]).contains("It is not known whether the call took effect"),
        "{ended}"
    );
    assert_eq!(world.counts().0, 1);
}

#[tokio::test]
async fn every_server_on_a_store_answers_for_its_tasks() {
    let ((_temp, store), world) = (Temp::new("two"), World::new());
    let one = connect(server(&world, Some(&store))).await;
    let two = connect(server(&world, Some(&store))).await;
    let id = begin(&one, "work", json!({})).await;
    assert_eq!(get(&two, &id).await.unwrap()["status"], "working");
    // A cancellation at the other server stops the task at the server where it runs.
    cancel(&two, &id).await.unwrap();
    until_counts(&world, |counts| counts == (1, 1, 1)).await;
    assert_eq!(get(&one, &id).await.unwrap()["status"], "cancelled");
    // A question from one server is answered at the other, and its function continues.
    let id = begin(&one, "asks", json!({})).await;
    let asked = until(&two, &id, "input_required").await;
    let answers = asked["inputRequests"].as_object().unwrap().keys();
    let answers: serde_json::Map<_, _> = answers.map(|key| (key.clone(), accept("x"))).collect();
    drop(one);
    update(&two, &id, answers.into()).await.unwrap();
    until(&two, &id, "input_required").await;
    // Neither repeats the work of the other: each effect happened once.
    assert_eq!(world.counts().1, 2);
}

#[tokio::test]
async fn task_is_unknown_to_all_but_its_caller() {
    let ((_temp, store), world) = (Temp::new("principal"), World::new());
    let server_of = |who: &str| server(&world, Some(&store)).extension(Principal::new(who));
    let ada = connect(server_of("ada")).await;
    let bob = connect(server_of("bob")).await;
    let nobody = connect(server(&world, Some(&store))).await;
    let id = begin(&ada, "work", json!({})).await;
    let unknown = format!("mcp-task-{}", "0".repeat(32));
    for stranger in [&bob, &nobody] {
        for id in [&id, &unknown] {
            assert_eq!(get(stranger, id).await.unwrap_err(), UNKNOWN);
            assert_eq!(update(stranger, id, json!({})).await.unwrap_err(), UNKNOWN);
            assert_eq!(cancel(stranger, id).await.unwrap_err(), UNKNOWN);
        }
    }
    assert_eq!(get(&ada, &id).await.unwrap()["status"], "working");
}

#[tokio::test]
async fn workers_ignore_tasks_and_expired_tasks_leave_the_store() {
    let ((_temp, store), world) = (Temp::new("worker"), World::new());
    let ttl = Duration::from_millis(600);
    let client = connect(server(&world, Some(&store)).task_ttl(ttl)).await;
    let id = begin(&client, "asks", json!({})).await;
    until(&client, &id, "input_required").await;
    drop(client);
    tokio::time::sleep(ttl).await;
    let run = genkit::durable::RunId::new(id).unwrap();
    assert_eq!(store.peek(&run).await.unwrap().unwrap().status, RunStatus::Working);
    let genkit = Genkit::builder().registry(registry()).state(Arc::clone(&world));
    let genkit = genkit.durable(store.clone()).build().unwrap();
    let while_it_looks = tokio::time::sleep(Duration::from_millis(100));
    genkit.work().poll(Duration::from_millis(5)).until(while_it_looks).await.unwrap();
    assert!(store.peek(&run).await.unwrap().is_some());
    let _client = connect(server(&world, Some(&store))).await;
    for _ in 0..2000 {
        if store.peek(&run).await.unwrap().is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it is still there");
}
