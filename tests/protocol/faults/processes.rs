//! Programs that die, flood, or do not end (rmcp.md 3.1, 3.5).

use std::time::{Duration, Instant};

use genkit::ErrorKind;
use genkit::mcp::host::{McpHost, ServerConfig, ServerState};
use serde_json::json;

use super::{Faulty, lives, mark, processes, says, server, within};

#[tokio::test]
async fn early_exit_error_contains_stderr() {
    let server = Faulty::new("exit");
    let started = Instant::now();
    let error = server.ready().await.unwrap_err();
    says(&error, &["exited with code 1", "Error: EXAMPLE_KEY is not set"]);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let status = server.client.status();
    assert!(matches!(status.state, ServerState::Waiting | ServerState::Connecting), "{status:?}");
    server.end().await;
}

#[tokio::test]
async fn missing_program_error_lists_the_searched_folders() {
    let host = McpHost::builder()
        .server("npx", ServerConfig::stdio("npx-that-is-not-there").arg("x"))
        .server("folder", ServerConfig::stdio("python3").cwd("/no/such/folder"))
        .build()
        .unwrap();
    let error = within(host.client("npx").unwrap().ready()).await.unwrap_err();
    says(&error, &["npx-that-is-not-there", "PATH"]);
    assert_eq!(host.client("npx").unwrap().status().state, ServerState::Failed);
    let error = within(host.client("folder").unwrap().ready()).await.unwrap_err();
    says(&error, &["/no/such/folder"]);
    assert!(within(host.tools().into_future()).await.unwrap().is_empty());
}

#[tokio::test]
async fn crash_during_a_call_is_reported_and_the_server_restarts() {
    let server = Faulty::new("die-in-call");
    let error = server.call("echo", json!({})).await.unwrap_err();
    says(&error, &["stopped during the request", "exited with code 3", "panic: out of cheese"]);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    // The lists are those of the new process, which dies again during the call.
    assert_eq!(within(server.client.tools()).await.unwrap().len(), 1);
    let error = server.call("echo", json!({})).await.unwrap_err();
    says(&error, &["exited with code 3"]);
    server.end().await;
}

#[tokio::test]
async fn flood_on_standard_error_stops_nothing() {
    let server = Faulty::new("stderr-flood");
    server.ready().await.unwrap();
    server.echoes().await;
    server.end().await;
}

#[tokio::test]
async fn program_that_ignores_termination_is_killed() {
    let server = Faulty::new("ignore-term");
    let pids: Vec<u32> =
        serde_json::from_value(server.call("echo", json!({})).await.unwrap()).unwrap();
    assert!(pids.iter().all(|pid| lives(*pid)), "{pids:?}");
    server.end().await;
    assert!(!pids.iter().any(|pid| lives(*pid)), "{pids:?}");
}

#[tokio::test]
async fn dropped_host_leaves_no_processes() {
    let server = Faulty::new("ignore-term");
    let pids: Vec<u32> =
        serde_json::from_value(server.call("echo", json!({})).await.unwrap()).unwrap();
    let Faulty { host, client, mark } = server;
    drop((host, client));
    within(async {
        while pids.iter().any(|pid| lives(*pid)) || !processes(&mark).is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[test]
fn ended_runtime_leaves_no_processes() {
    let mark = mark("ignore-term");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let pids: Vec<u32> = runtime.block_on(async {
        let host = McpHost::builder().server("s", server("ignore-term", &mark)).build().unwrap();
        let pids = within(host.call_tool("s/echo", json!({}))).await.unwrap();
        serde_json::from_value(pids).unwrap()
    });
    drop(runtime);
    let started = Instant::now();
    while pids.iter().any(|pid| lives(*pid)) {
        assert!(started.elapsed() < super::GUARD, "{pids:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(processes(&mark), [0_u32; 0]);
}

#[tokio::test]
async fn faulty_servers_do_not_affect_a_valid_server() {
    let modes = ["silent", "exit", "garbage", "ancient", "hang-call", "flood", "endless", "good"];
    let marks: Vec<String> = modes.iter().map(|mode| mark(mode)).collect();
    let mut builder = McpHost::builder().startup_timeout(Duration::from_secs(8));
    for (mode, mark) in modes.iter().zip(&marks) {
        builder = builder.server(*mode, server(mode, mark));
    }
    let host = builder.build().unwrap();
    let echo = within(host.call_tool("good/echo", json!({"text": "hi"}))).await.unwrap();
    assert_eq!(echo, json!({"text": "hi"}));
    let tools = within(host.tools().except(["endless/*"]).into_future()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["garbage/echo", "hang-call/echo", "flood/echo", "good/echo"]);
    within(host.close()).await;
    for mark in &marks {
        assert_eq!(processes(mark), [0_u32; 0], "{mark}");
    }
}
