//! Tests of the program against a scripted CLI.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::run_client;
use crate::actions::ActionsByKey;
use crate::environment::DevEnvironment;
use genkit::{actions, flow};
use genkit_agent::Instance;
use genkit_core::{Chunks, Context, Registry, Result, Tool};

/// Counts.
#[flow]
async fn count(chunks: &Chunks<u32>, n: u32) -> Result<u32> {
    for i in 1..=n {
        chunks.send(i).await?;
    }
    Ok(n)
}

fn test_actions() -> ActionsByKey {
    let endless = Tool::builder("endless", "Never ends.")
        .input_schema(json!({"type": "object"}))
        .handler(|_: Context, _: Value| async move {
            std::future::pending::<()>().await;
            Ok("never")
        });
    let registry = Registry::new().add(actions![count]).add(endless);
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(registry).build().unwrap());
    actions
}

/// The CLI's side of a connection, after `register`.
struct Cli(WebSocketStream<TcpStream>);

impl Cli {
    async fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = listener.accept().await.unwrap();
        let mut cli = Self(tokio_tungstenite::accept_async(stream).await.unwrap());
        let register = cli.receive().await;
        assert_eq!((&register["method"], &register["id"]), (&json!("register"), &json!("1")));
        assert_eq!(register["params"]["envs"], json!(["dev"]));
        cli.send(json!({"jsonrpc": "2.0", "result": {}, "id": "1"})).await;
        cli
    }

    async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn call(&mut self, id: &str, method: &str, params: Value) {
        let request = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": id});
        self.send(request).await;
    }

    async fn receive(&mut self) -> Value {
        let next = tokio::time::timeout(Duration::from_secs(20), self.0.next()).await;
        let message = next.expect("a message").expect("an open socket").unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }
}

/// Returns the listener of a CLI, and a program that connects to it until the test ends.
async fn listening() -> (TcpListener, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let program = tokio::spawn(async move {
        let environment =
            DevEnvironment { has_telemetry_server: true, ..DevEnvironment::default() };
        let _ = run_client(&url, &environment, &test_actions()).await;
    });
    (listener, program)
}

#[tokio::test]
async fn session_lists_runs_and_streams_actions() {
    let (listener, _program) = listening().await;
    let mut cli = Cli::accept(&listener).await;
    cli.call("1", "listActions", Value::Null).await;
    let listed = cli.receive().await;
    assert_eq!(listed["id"], "1");
    assert_eq!(listed["result"]["actions"]["/flow/count"]["name"], "count");
    cli.call("2", "listValues", json!({"type": "defaultModel"})).await;
    assert_eq!(cli.receive().await["result"], json!({"values": {}}));

    let params = json!({"key": "/flow/count", "input": {"n": 2}, "stream": true});
    cli.call("3", "runAction", params).await;
    let begun = cli.receive().await;
    assert_eq!(begun["method"], "runActionState");
    let trace_id = &begun["params"]["state"]["traceId"];
    for i in 1..=2 {
        let chunk = cli.receive().await;
        assert_eq!(
            (&chunk["method"], &chunk["params"]["chunk"]),
            (&json!("streamChunk"), &json!(i))
        );
        assert_eq!(chunk["params"]["requestId"], "3");
    }
    let end = cli.receive().await;
    assert_eq!((&end["id"], &end["result"]["result"]), (&json!("3"), &json!(2)));
    assert_eq!(end["result"]["telemetry"]["traceId"], *trace_id);
}

#[tokio::test]
async fn failures_have_their_data_and_others_run_meanwhile() {
    let (listener, _program) = listening().await;
    let mut cli = Cli::accept(&listener).await;
    cli.call("1", "runAction", json!({"key": "/flow/nosuch"})).await;
    let unknown = cli.receive().await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "action /flow/nosuch not found");
    assert_eq!(unknown["error"]["data"]["code"], 5);

    cli.call("2", "runAction", json!({"key": "/tool/endless", "input": {}})).await;
    let trace_id = cli.receive().await["params"]["state"]["traceId"].clone();
    cli.call("3", "runAction", json!({"key": "/flow/count"})).await;
    assert_eq!(cli.receive().await["method"], "runActionState");
    let failed = cli.receive().await;
    assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!("3"), &json!(-32000)));
    assert_eq!(failed["error"]["data"]["code"], 3);
    assert!(failed["error"]["data"]["details"]["traceId"].is_string());

    cli.call("4", "cancelAction", json!({ "traceId": trace_id })).await;
    let (one, two) = (cli.receive().await, cli.receive().await);
    let (answer, ended) = if one["id"] == "4" { (one, two) } else { (two, one) };
    assert_eq!(answer["result"]["message"], "Action cancelled");
    assert_eq!((&ended["id"], &ended["error"]["data"]["code"]), (&json!("2"), &json!(1)));
}

#[tokio::test]
async fn lost_connection_is_dialed_again() {
    let (listener, program) = listening().await;
    let mut cli = Cli::accept(&listener).await;
    cli.call("1", "runAction", json!({"key": "/tool/endless", "input": {}})).await;
    cli.receive().await;
    drop(cli);
    let mut cli = Cli::accept(&listener).await;
    cli.call("1", "listActions", Value::Null).await;
    assert_eq!(cli.receive().await["id"], "1");
    assert!(!program.is_finished());
}

#[tokio::test]
async fn non_websocket_address_is_an_error() {
    for url in ["http://localhost:3200", "wss://localhost:3200", "ws://", "localhost:3200"] {
        let error = run_client(url, &DevEnvironment::default(), &test_actions()).await.unwrap_err();
        assert!(error.to_string().contains("GENKIT_REFLECTION_V2_SERVER"), "{error}");
    }
}
