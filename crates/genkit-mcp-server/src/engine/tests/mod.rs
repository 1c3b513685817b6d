//! Tests of the engine without a transport: messages in, messages out.

#![allow(clippy::unwrap_used, reason = "a failed test reports the location")]

mod eras;
mod interleaving;
mod parsing;
mod questions;
mod requests;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    Action, Call, Engine, FirstPoll, ListenStream, Message, MessageRejection, Outlet, Outward,
    Request, SlowFunctions, read_message,
};
use crate::McpServer;
use crate::instance::ServedInstance;
use crate::principal::RequestHead;
use crate::quota::ClientKey;
use crate::session::Session;
use genkit_core::{BoxFuture, Context, Prompt, Registry, Tool};

/// An engine with one client, and the messages that the client received besides responses.
struct Machine {
    engine: Engine,
    session: Arc<Session>,
    sent: Arc<Outbox>,
}

#[derive(Default)]
struct Outbox(Mutex<Vec<Value>>);

impl Outward for Outbox {
    fn send_line(&self, message: Bytes) -> BoxFuture<'_, bool> {
        self.0.lock().unwrap().push(serde_json::from_slice(&message).unwrap());
        Box::pin(std::future::ready(true))
    }
}

/// The outcome of a message.
enum Step {
    Nothing,
    Answer(Value),
    Runs(Call),
}

/// Returns a builder of a tool that accepts any arguments.
fn tool(name: &'static str) -> genkit_core::ToolBuilder {
    Tool::builder(name, "A tool.").input_schema(json!({"type": "object"}))
}

/// Returns an instance with the tools `add`, `ask`, `wait`, `share` and `tell`, and the prompt
/// `asks`.
fn genkit() -> ServedInstance {
    let form = || json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let tools = [
        tool("add").handler(|_: Context, sum: Value| async move {
            Ok((sum["a"].as_i64().unwrap_or(0) + sum["b"].as_i64().unwrap_or(0)).to_string())
        }),
        tool("ask").handler(move |context: Context, _: Value| async move {
            let answer = context.elicit_form("Who are you?", form()).await?;
            Ok(format!("{answer:?}"))
        }),
        tool("wait").handler(|_: Context, _: Value| async move {
            std::future::pending::<()>().await;
            Ok(String::new())
        }),
        tool("share").handler(|context: Context, _: Value| async move {
            Ok(format!("{:?}", context.client_share()))
        }),
        tool("tell").handler(|context: Context, _: Value| async move {
            context.progress((1.0, 2.0)).await;
            context.info("told").await;
            Ok("told".to_owned())
        }),
    ];
    let asks =
        Prompt::builder("asks", "Asks.").handler(move |context: Context, _: Value| async move {
            context.elicit_form("Who are you?", form()).await?;
            Ok("text".to_owned())
        });
    ServedInstance::with_registry(Registry::new().add(tools).add([asks]))
}

impl Machine {
    fn new() -> Self {
        let shared = McpServer::new(genkit()).check(true).unwrap();
        let session = Arc::new(shared.session_of(ClientKey::stream(None)));
        Self { engine: Engine { shared }, session, sent: Arc::default() }
    }

    /// Creates a machine for another client of the same server.
    fn for_client(&self, key: ClientKey) -> Self {
        let shared = Arc::clone(&self.engine.shared);
        let session = Arc::new(shared.session_of(key));
        Self { engine: Engine { shared }, session, sent: Arc::default() }
    }

    /// Creates a machine whose client supports elicitation and has completed the handshake.
    fn initialized() -> Self {
        let machine = Self::new();
        let answer = machine.answer(&initialize(json!({ "elicitation": {} })));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        machine
    }

    fn act(&self, message: Message) -> Action {
        let request = Request::new(
            &self.session,
            Outlet::new(Arc::clone(&self.sent) as _),
            RequestHead::default(),
            self.session.quota().client(),
            CancellationToken::new(),
        );
        self.engine.handle_message(message, request)
    }

    fn step(&self, message: impl AsRef<[u8]>) -> Step {
        let message = match read_message(message.as_ref()) {
            Ok(message) => message,
            Err(MessageRejection::Answer(answer)) => return Step::Answer(json_of(&answer)),
            Err(MessageRejection::Silent(_)) => return Step::Nothing,
        };
        match self.act(message) {
            Action::Accepted | Action::Changes(_) => Step::Nothing,
            Action::Reply(reply) => Step::Answer(json_of(&reply.bytes)),
            Action::Run(call) => match call.poll_first(&SlowFunctions::default()) {
                FirstPoll::Ended(Some(reply)) => Step::Answer(json_of(&reply.bytes)),
                FirstPoll::Ended(None) => Step::Nothing,
                FirstPoll::Waits(call) => Step::Runs(call),
            },
            Action::Listen(_) => panic!("unexpected notification stream"),
        }
    }

    #[track_caller]
    fn answer(&self, message: &Value) -> Value {
        match self.step(message.to_string()) {
            Step::Answer(answer) => answer,
            Step::Nothing => panic!("{message}: no response"),
            Step::Runs(_) => panic!("{message}: unexpected running call"),
        }
    }

    fn listens(&self, message: &Value) -> ListenStream {
        match read_message(message.to_string().as_bytes()).map(|message| self.act(message)) {
            Ok(Action::Listen(stream)) => *stream,
            _ => panic!("{message}: no notification stream"),
        }
    }

    #[track_caller]
    fn nothing(&self, message: &Value) {
        assert!(matches!(self.step(message.to_string()), Step::Nothing), "{message}");
    }

    #[track_caller]
    fn runs(&self, message: &Value) -> Call {
        match self.step(message.to_string()) {
            Step::Runs(call) => call,
            Step::Answer(answer) => panic!("{message}: {answer}"),
            Step::Nothing => panic!("{message}: nothing"),
        }
    }

    /// Returns the messages received since the last call.
    fn take_messages(&self) -> Vec<Value> {
        std::mem::take(&mut *self.sent.0.lock().unwrap())
    }
}

/// Returns the response of a call. Panics after 20 seconds.
async fn last_message(call: Call) -> Option<Value> {
    let patience = std::time::Duration::from_secs(20);
    let ended = tokio::time::timeout(patience, call).await.expect("an end");
    ended.map(|reply| json_of(&reply.bytes))
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn call(id: impl Into<Value>, tool: &str) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": {"a": 40, "b": 2}}))
}

fn cancelled(id: impl Into<Value>) -> Value {
    notification("notifications/cancelled", json!({"requestId": id.into()}))
}

fn initialize(capabilities: Value) -> Value {
    let client = json!({"name": "test", "version": "0"});
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client,
    });
    request("init", "initialize", params)
}

fn modern(mut request: Value, version: &str, capabilities: Value) -> Value {
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    request
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
