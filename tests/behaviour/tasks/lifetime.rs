//! The life cycle of a task, in memory.

use genkit::mcp::rmcp::RawClient as _;
use std::time::Duration;

use super::*;

#[tokio::test]
async fn call_that_lasts_becomes_a_task_and_others_are_answered() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    assert!(client.call_tool("quick", json!({})).await.unwrap().text().contains('7'));
    let Ok(CallToolResponse::Task(created)) = call(&client, "work", json!({})).await else {
        panic!("no task")
    };
    let created = serde_json::to_value(created).unwrap();
    assert_eq!(created["resultType"], "task");
    assert_eq!((&created["ttlMs"], &created["pollIntervalMs"]), (&json!(86_400_000), &json!(1000)));
    let id = created["taskId"].as_str().unwrap();
    let working = get(&client, id).await.unwrap();
    assert_eq!((&working["status"], &working["result"]), (&json!("working"), &Value::Null));
    for _ in 0..500 {
        if get(&client, id).await.unwrap()["statusMessage"].is_string() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(get(&client, id).await.unwrap()["statusMessage"].is_string());
    world.open();
    let completed = until(&client, id, "completed").await;
    assert_eq!(text(&completed["result"]), "worked");
    assert_eq!(completed["createdAt"], created["createdAt"]);
    // The finished task remains, and a late cancellation changes nothing.
    cancel(&client, id).await.unwrap();
    assert_eq!(get(&client, id).await.unwrap()["status"], "completed");
    assert_eq!(world.counts(), (1, 1, 0));
}

#[tokio::test]
async fn clients_without_the_extension_wait_and_know_no_methods() {
    let world = World::new();
    world.open();
    for modern in [false, true] {
        let builder = Client::builder().modern(modern);
        let client = builder.connect(server(&world, None)).await.unwrap();
        assert_eq!(client.call_tool("work", json!({})).await.unwrap().text(), "worked");
        assert_eq!(call(&client, "always", json!({})).await.unwrap_err(), -32021);
        let refused = get(&client, "mcp-task-00000000000000000000000000000000").await;
        assert_eq!(refused.unwrap_err(), if modern { -32021 } else { -32601 });
    }
}

#[tokio::test]
async fn server_without_such_tools_has_no_tasks() {
    let quiet = Genkit::builder().registry(Registry::new().add(tools![plain])).build().unwrap();
    let client = connect(quiet.serve_mcp()).await;
    assert_eq!(get(&client, "x").await.unwrap_err(), -32601);
    let info = client.peer().peer_info().unwrap();
    assert!(!info.capabilities.supports_tasks());
}

/// Never becomes a task.
#[tool]
async fn plain() -> u32 {
    1
}

#[tokio::test]
async fn task_accepts_partial_answers_and_keys_are_unique() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    let id = begin(&client, "asks", json!({})).await;
    let asked = until(&client, &id, "input_required").await;
    let keys: Vec<String> = asked["inputRequests"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.len(), 2);
    let key_of = |message: &str| {
        let requests = asked["inputRequests"].as_object().unwrap();
        let of = requests.iter().find(|(_, asked)| asked["params"]["message"] == message);
        of.unwrap().0.clone()
    };
    let (first, second) = (key_of("First?"), key_of("Second?"));
    // Answers to unknown questions are ignored, and a part of the answers is accepted.
    update(&client, &id, json!({"nonsense": accept("x"), second.clone(): accept("two")}))
        .await
        .unwrap();
    let asked = get(&client, &id).await.unwrap();
    assert_eq!(asked["status"], "input_required");
    assert_eq!(asked["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), [&first]);
    // The question is already answered, and the answer does not change.
    update(&client, &id, json!({second.clone(): accept("other")})).await.unwrap();
    update(&client, &id, json!({first.clone(): accept("one")})).await.unwrap();
    let asked = until(&client, &id, "input_required").await;
    let third = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    assert!(![&first, &second].contains(&&third), "{third}");
    // After an invalid answer, the form is requested again, under another key.
    update(&client, &id, json!({third.clone(): {"action": "accept", "content": {"name": 3}}}))
        .await
        .unwrap();
    let again = loop {
        let asked = until(&client, &id, "input_required").await;
        let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        if key != third {
            break key;
        }
    };
    update(&client, &id, json!({again: accept("three")})).await.unwrap();
    let completed = until(&client, &id, "completed").await;
    assert_eq!(text(&completed["result"]), "one two three");
    assert_eq!(world.counts().1, 1);
}

#[tokio::test]
async fn cancelling_stops_the_function() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    let id = begin(&client, "work", json!({})).await;
    cancel(&client, &id).await.unwrap();
    assert_eq!(get(&client, &id).await.unwrap()["status"], "cancelled");
    until_counts(&world, |(_, _, dropped)| dropped == 1).await;
    cancel(&client, &id).await.unwrap();
    world.open();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(get(&client, &id).await.unwrap()["status"], "cancelled");
    // The same for a question that is never answered.
    let id = begin(&client, "asks", json!({})).await;
    until(&client, &id, "input_required").await;
    cancel(&client, &id).await.unwrap();
    let cancelled = get(&client, &id).await.unwrap();
    assert_eq!(
        (&cancelled["status"], &cancelled["inputRequests"]),
        (&json!("cancelled"), &Value::Null)
    );
}

#[tokio::test]
async fn error_of_the_tool_is_its_result_and_a_fault_is_a_failure() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    let id = begin(&client, "fails", json!({"panics": false})).await;
    let ended = until(&client, &id, "completed").await;
    assert_eq!(ended["result"]["isError"], true);
    assert!(text(&ended["result"]).contains("nothing there"));
    let id = begin(&client, "fails", json!({"panics": true})).await;
    let ended = until(&client, &id, "failed").await;
    assert_eq!(ended["statusMessage"], ended["error"]["message"]);
    assert_eq!((&ended["error"]["code"], &ended["result"]), (&json!(-32603), &Value::Null));
    assert!(!ended["error"]["message"].as_str().unwrap().contains("a fault,"));
}

#[tokio::test]
async fn task_is_removed_when_its_ttl_expires() {
    // The time limit of a tool does not extend the lifetime of its task.
    for tool in ["work", "patient"] {
        let world = World::new();
        let ttl = Duration::from_millis(400);
        let client = connect(server(&world, None).task_ttl(ttl)).await;
        let id = begin(&client, tool, json!({})).await;
        assert_eq!(get(&client, &id).await.unwrap()["ttlMs"], 400);
        loop {
            match get(&client, &id).await {
                Ok(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                Err(code) => break assert_eq!(code, UNKNOWN),
            }
        }
        assert_eq!(update(&client, &id, json!({})).await.unwrap_err(), UNKNOWN);
        assert_eq!(cancel(&client, &id).await.unwrap_err(), UNKNOWN);
        // No work continues for the expired task.
        until_counts(&world, |(_, _, dropped)| dropped == 1).await;
    }
}
