//! A host that is killed during a durable run that follows a task of a server: the next process follows the same task,
//! and does not begin a second one.

use std::time::Duration;

use genkit::mcp::host::{McpHost, ProtocolEra, ServerConfig};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{Context, Genkit, Registry, Result, Role as Speaker, tool, tools};
use serde_json::{Value, json};

use super::deadly::{Role, was_killed};
use super::worker::{Log, work};
use crate::http::here::Serving;
use crate::packages::scratch;

const CHILD: &str = "killed::hosts::process_that_follows";

/// Lets another server work.
#[tool]
async fn relay(ctx: &Context, host: &McpHost) -> Result<Value> {
    host.client("s")?.call_tool_in(ctx, "work", json!({})).await
}

/// The process of the tests below. If run directly, it only checks that it has no role.
#[test]
fn process_that_follows() {
    let Some(role) = Role::of_this() else {
        assert!(std::env::var_os("GENKIT_TASK_ROLE").is_none());
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = ServerConfig::http(&*role.other).protocol(ProtocolEra::Stateless);
        let host = McpHost::builder().server("s", server).build().unwrap();
        let model = model::from_fn("house/clerk", |request, _| {
            let is_done = request.messages.iter().any(|message| message.role == Speaker::Tool);
            let call = ToolRequest::new("relay", json!({})).with_id("c1");
            async move {
                match is_done {
                    true => ModelResponse::from_text("all done"),
                    false => ModelResponse::from_tool_requests([call]),
                }
            }
        });
        let genkit = Genkit::builder()
            .registry(Registry::new().add(tools![relay]))
            .state(host)
            .default_model(model)
            .durable(role.store().await)
            .build()
            .unwrap();
        let run = genkit.durable_run("r", genkit.generate("Go").tools(["relay"])).await.unwrap();
        assert_eq!(run.wait().await.unwrap().text(), "all done");
        Log(role.folder.join("log")).write("done");
    });
}

/// Returns a server whose tasks write to this log.
fn server(log: &Log) -> Serving {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![work])).state(log.clone());
    Serving::of(genkit.build().unwrap().serve_mcp())
}

fn count(log: &Log, what: &str) -> usize {
    log.lines().iter().filter(|line| *line == what).count()
}

#[test]
fn host_that_is_killed_at_any_change_continues_with_the_same_task() {
    for store in ["folder", "sqlite"] {
        for dies_after in [false, true] {
            for dies_at in 1.. {
                let folder = scratch(&format!("killed-host-{store}-{dies_after}-{dies_at}"));
                let log = Log(folder.join("log"));
                let serving = server(&log);
                let (store, other) = (store.to_owned(), serving.url());
                let role = Role { folder, store, dies_at, dies_after, lease_ms: 1, other };
                let killed = was_killed(&mut role.start(CHILD));
                if killed {
                    let next = Role { dies_at: 0, ..role.clone() };
                    assert!(!was_killed(&mut next.start(CHILD)), "{role:?}");
                }
                assert_eq!(count(&log, "done"), 1, "{role:?}");
                // The changes are: the run, the model's call, the id of the task. A process that dies before the id is
                // saved knows no task.
                let is_unsaved = dies_at == 3 && !dies_after;
                assert_eq!(count(&log, "begins"), 1 + usize::from(is_unsaved), "{role:?}");
                if !killed {
                    assert!(dies_at > 4, "{dies_at}");
                    break;
                }
            }
        }
    }
}

#[test]
fn host_that_is_killed_while_it_waits_continues_with_the_same_task() {
    for (store, waits) in [("folder", 600), ("sqlite", 1200)] {
        let folder = scratch(&format!("killed-waiting-{store}"));
        let log = Log(folder.join("log"));
        let serving = server(&log);
        let (store, other) = (store.to_owned(), serving.url());
        let role = Role { folder, store, dies_at: 0, dies_after: false, lease_ms: 1, other };
        let mut first = role.start(CHILD);
        while count(&log, "begins") == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(waits));
        first.kill().unwrap();
        assert!(was_killed(&mut first));
        assert!(!was_killed(&mut role.start(CHILD)));
        assert_eq!((count(&log, "begins"), count(&log, "done")), (1, 1), "{role:?}");
    }
}
