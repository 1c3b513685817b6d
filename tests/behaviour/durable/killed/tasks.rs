//! An MCP task, and the process that serves it and asks for it. For any store: `open_store` of the parent module opens
//! it.

use std::path::Path;
use std::time::Duration;

use genkit::mcp::rmcp::RawClient as _;
use genkit::mcp::rmcp::model::{CallToolRequestParams, CallToolResponse, GetTaskParams};
use genkit::testing::Client;
use genkit::{Context, Genkit, Registry, Result, tool, tools};

use super::everything::{Deadly, ProcessRole, act};
use super::open_store;
use super::process::Log;

/// Has two effects.
#[tool(task = "now")]
async fn work(log: &Log, ctx: &Context) -> Result<&'static str> {
    // The call is a task from here on.
    tokio::time::sleep(Duration::from_millis(5)).await;
    act(log, ctx, "one").await?;
    tokio::time::sleep(Duration::from_millis(5)).await;
    act(log, ctx, "two").await?;
    Ok("worked")
}

/// Calls the tool, and returns the id of its task.
async fn begin_task(client: &Client) -> String {
    match client.peer().call_tool_once(CallToolRequestParams::new("work")).await.unwrap() {
        CallToolResponse::Task(created) => created.task.task_id,
        other => panic!("not a task: {other:?}"),
    }
}

/// The process of the tests. It calls the tool, unless an earlier process received the id of a task, and waits for the
/// result. Without a role, it does nothing.
#[tokio::test]
async fn process_that_serves_a_task() {
    let Some(ProcessRole { store, folder, dies_at, .. }) = ProcessRole::of_this() else { return };
    let store = Deadly::new(open_store(&store, &folder).await, dies_at);
    let log = Log(folder.join("log"));
    let genkit = Genkit::builder().registry(Registry::new().add(tools![work])).state(log.clone());
    let server = genkit.durable(store).build().unwrap().serve_mcp();
    let client = Client::builder().modern(true).tasks(true).connect(server).await.unwrap();
    let id = match std::fs::read_to_string(folder.join("task")) {
        Ok(id) => id,
        Err(_) => {
            let id = begin_task(&client).await;
            std::fs::write(folder.join("new-task"), &id).unwrap();
            std::fs::rename(folder.join("new-task"), folder.join("task")).unwrap();
            id
        }
    };
    loop {
        // A task whose id was returned is known to each process.
        let task = client.peer().get_task(GetTaskParams::new(&*id)).await.unwrap();
        let task = serde_json::to_value(task).unwrap();
        match task["status"].as_str().unwrap() {
            "working" => tokio::time::sleep(Duration::from_millis(5)).await,
            "completed" => {
                return log.write(task["result"]["content"][0]["text"].as_str().unwrap());
            }
            _ => panic!("{task}"),
        }
    }
}

/// Checks the effects of the task in the folder of its processes, and its result.
pub(super) fn check_task(folder: &Path) {
    let id = std::fs::read_to_string(folder.join("task")).unwrap();
    let log = std::fs::read_to_string(folder.join("log")).unwrap();
    for key in ["one", "two"] {
        let effect = format!("effect {id}/0/0/{key}\n");
        let (before, after) = log
            .split_once(&format!("returned {id}/0/0/{key}\n"))
            .unwrap_or_else(|| panic!("{id} {key}: {log}"));
        assert!(before.contains(&effect) && !after.contains(&effect), "{id} {key}: {log}");
    }
    assert!(log.ends_with("worked\n"), "{log}");
}
