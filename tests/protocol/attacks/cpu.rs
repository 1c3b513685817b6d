//! Work whose client is gone, and work that never finishes (B-03).

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use super::target::{RESTLESS, Target, server};
use super::until;
use crate::pipe::Pipe;
use crate::raw::{self, Client, Era, Usage, host, within};
use crate::server::{self, Server};

/// In sequence, because the loops are counted.
#[tokio::test]
async fn busy_loops_leave_capacity_and_stop_when_cancelled() {
    let target = Target::serve(server());
    let running = || RESTLESS.load(Ordering::SeqCst);
    for era in Era::BOTH {
        for how in ["progress", "log", "chunk", "info"] {
            let mut client = Client::open(target.address, host(1), era).await;
            let mut open = Vec::new();
            // More than there are threads.
            for _ in 0..4 {
                let params = raw::call_params("restless", &json!({ "how": how }));
                open.push(client.begin("tools/call", params).await.unwrap());
            }
            until(&format!("four loops of {how}"), || running() > 0).await;
            let mut other = Client::open(target.address, host(2), era).await;
            let echo = within(how, other.call("echo", json!({ "text": how }))).await.unwrap();
            assert_eq!(echo["content"][0]["text"], how);
            let ids: Vec<u64> = open.iter().map(|(id, _)| *id).collect();
            drop(open);
            if era == Era::Sessions {
                for id in ids {
                    let cancel = json!({ "requestId": id });
                    client.tell("notifications/cancelled", cancel).await.unwrap();
                }
            }
            until(&format!("the end of the loops of {how} ({era:?})"), || running() == 0).await;
        }
    }
    // The time limit applies to them as well.
    let limited = Target::serve(limited());
    for era in Era::BOTH {
        let mut client = Client::open(limited.address, host(1), era).await;
        let loops = within("its time", client.call("tireless", json!({}))).await.unwrap();
        assert_eq!(loops["isError"], true, "{loops}");
    }
}

/// Loops for a second at most.
#[genkit::tool(timeout = "1s")]
async fn tireless(ctx: &genkit::Context) -> String {
    loop {
        ctx.progress(1.0).await;
    }
}

fn limited() -> genkit::mcp::McpServer {
    let registry = genkit::Registry::new().add(genkit::tools![tireless]);
    genkit::Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

/// The case of B-03: imports whose clients disconnected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abandoned_imports_are_cancelled() {
    let server = Server::notes("attack-imports");
    let to = raw::address(&server);
    for era in Era::BOTH {
        let texts: Vec<&str> = vec!["x"; 150_000];
        let mut client = Client::open(to, host(1), era).await;
        let mut ids = Vec::new();
        for _ in 0..4 {
            let params = raw::call_params("import_notes", &json!({ "texts": texts }));
            let (id, connection) = client.begin("tools/call", params).await.unwrap();
            ids.push(id);
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(connection);
        }
        let mut other = Client::open(to, host(2), era).await;
        let found = within("a search", other.call("search_notes", json!({ "query": "none" })));
        assert!(found.await.unwrap().to_string().contains("no notes found"));
        if era == Era::Sessions {
            for id in ids {
                let cancel = json!({ "requestId": id });
                client.tell("notifications/cancelled", cancel).await.unwrap();
            }
        }
        // No work is left: less than a tenth of one processor for a second.
        let deadline = std::time::Instant::now() + raw::PATIENCE;
        loop {
            let before = Usage::of(server.id()).ticks;
            tokio::time::sleep(Duration::from_secs(1)).await;
            if Usage::of(server.id()).ticks - before < 10 {
                break;
            }
            assert!(std::time::Instant::now() < deadline, "{era:?}: the imports continue");
        }
    }
}

#[test]
fn import_on_a_pipe_can_be_cancelled_and_leaves_room() {
    let mut pipe = Pipe::start("notes", &[&server::database("attack-import-pipe")]);
    pipe.hello();
    let texts: Vec<&str> = vec!["x"; 150_000];
    let mut ids = Vec::new();
    for _ in 0..4 {
        let params = raw::call_params("import_notes", &json!({ "texts": texts }));
        ids.push(pipe.ask("tools/call", &params));
    }
    let found = pipe.call("search_notes", &json!({ "query": "none" }));
    assert!(found.to_string().contains("no notes found"), "{found}");
    for id in &ids {
        let cancel = json!({ "requestId": id });
        let message = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel
        });
        pipe.send(&message);
    }
    let last = pipe.ask("ping", &json!({}));
    loop {
        let message = pipe.next();
        assert!(!ids.iter().any(|id| message["id"] == *id), "a cancelled request: {message}");
        if message["id"] == last {
            break;
        }
    }
    pipe.hang_up();
    assert_eq!(pipe.exit_code(raw::PATIENCE), Some(0), "{}", pipe.stderr());
}
