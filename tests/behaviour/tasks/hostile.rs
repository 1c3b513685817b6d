//! Clients that misuse tasks.

use super::*;

#[tokio::test]
async fn unknown_ids_and_answers_use_no_lasting_memory() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    let id = begin(&client, "asks", json!({})).await;
    until(&client, &id, "input_required").await;
    for number in 0..2000 {
        let unknown = format!("mcp-task-{number:032x}");
        assert_eq!(get(&client, &unknown).await.unwrap_err(), UNKNOWN);
    }
    for odd in [
        "",
        "mcp-task-",
        "../../etc/passwd",
        "mcp-task-../x",
        &"a".repeat(100_000),
        "\u{0}",
        &id.to_uppercase(),
    ] {
        assert_eq!(get(&client, odd).await.unwrap_err(), UNKNOWN, "{odd:.20}");
    }
    let many: serde_json::Map<_, _> =
        (0..10_000).map(|number| (format!("9.{number}"), accept("x"))).collect();
    update(&client, &id, many.into()).await.unwrap();
    let asked = get(&client, &id).await.unwrap();
    assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 2);
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let large = json!({key: accept(&"x".repeat(300 * 1024))});
    assert_eq!(update(&client, &id, large).await.unwrap_err(), UNKNOWN);
    assert_eq!(get(&client, &id).await.unwrap()["inputRequests"], asked["inputRequests"]);
}

#[tokio::test]
async fn client_with_too_many_tasks_waits_for_its_calls() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    for number in 0..1000 {
        let id = begin(&client, "always", json!({})).await;
        if number % 100 == 0 {
            until(&client, &id, "completed").await;
        }
    }
    assert_eq!(call(&client, "always", json!({})).await.unwrap_err(), -32000);
    world.open();
    assert_eq!(client.call_tool("work", json!({})).await.unwrap().text(), "worked");
}

#[tokio::test]
async fn ids_are_not_guessed() {
    let world = World::new();
    let client = connect(server(&world, None)).await;
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let id = begin(&client, "always", json!({})).await;
        assert_eq!(id.len(), "mcp-task-".len() + 32);
        assert!(ids.insert(id));
    }
}
