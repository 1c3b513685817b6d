//! A connection to the CLI: reads messages, runs the requested actions, and writes responses.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::{self, JoinError, JoinSet};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use super::session::{self, SessionStep, ToolsSession};
use crate::actions::{ActionRun, ActionsByKey};
use crate::environment::DevEnvironment;

/// The maximum size of a message from the CLI, in bytes. Default is 32 MiB.
const MAX_MESSAGE: usize = 32 * 1024 * 1024;

/// The time limit for connecting. Default is 10 seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for writing if the CLI does not read. Default is 30 seconds.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The number of unwritten messages after which runs wait. Default is 64.
const MAX_WAITING: usize = 64;

pub(super) type Socket = WebSocketStream<TcpStream>;

/// The reason why a connection failed or ended.
#[derive(Debug)]
pub(super) enum ConnectionEnd {
    Closed,
    TooSlow,
    Failed(SocketError),
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the connection was closed"),
            Self::TooSlow => f.write_str("the developer tools did not respond in time"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// Connects to `url`, whose host and port are `authority`.
pub(super) async fn open_socket(url: &str, authority: &str) -> Result<Socket, ConnectionEnd> {
    let connect = async {
        let stream = TcpStream::connect(authority).await?;
        let _ = stream.set_nodelay(true);
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let dialing = tokio_tungstenite::client_async_with_config(url, stream, Some(config));
        Ok::<_, SocketError>(dialing.await?.0)
    };
    let connected = tokio::time::timeout(CONNECT_TIMEOUT, connect).await;
    connected.map_err(|_| ConnectionEnd::TooSlow)?.map_err(ConnectionEnd::Failed)
}

/// Registers the program, and handles messages until the connection ends. Running actions are then dropped.
pub(super) async fn serve_socket(
    socket: Socket,
    environment: &DevEnvironment,
    actions: &ActionsByKey,
) -> ConnectionEnd {
    let (mut sink, mut stream) = socket.split();
    let mut write = async |text: String| match tokio::time::timeout(
        WRITE_TIMEOUT,
        sink.send(Message::text(text)),
    )
    .await
    {
        Err(_) => Err(ConnectionEnd::TooSlow),
        Ok(written) => written.map_err(ConnectionEnd::Failed),
    };
    if let Err(ended) =
        write(ToolsSession::register_message(environment.runtime_id.as_deref())).await
    {
        return ended;
    }
    let (waiting, mut written) = mpsc::channel(MAX_WAITING);
    // The request id of each running task, because a task that panics cannot send its own error response.
    let mut asked = HashMap::<task::Id, Value>::new();
    let (mut session, mut runs) = (ToolsSession::default(), JoinSet::<()>::new());
    loop {
        let answer = tokio::select! {
            message = stream.next() => match message {
                None | Some(Ok(Message::Close(_))) => return ConnectionEnd::Closed,
                Some(Err(error)) => return ConnectionEnd::Failed(error),
                Some(Ok(Message::Text(text))) => match session.receive_message(&text) {
                    SessionStep::Run { id, request, streams } => match actions.start_run(*request, streams) {
                        Ok(run) => {
                            let task = runs.spawn(forward_events(id.clone(), run, waiting.clone()));
                            asked.insert(task.id(), id);
                            None
                        }
                        Err(error) => {
                            session.forget_run(&id);
                            Some(session::error_message(&id, &error))
                        }
                    },
                    step => perform_step(step, environment, actions),
                },
                // Pings are answered by the WebSocket library; binary messages are not part of the protocol.
                Some(Ok(_)) => None,
            },
            Some(text) = written.recv() => Some(text),
            Some(ended) = runs.join_next_with_id() => settle_task(ended, &mut asked, &mut session),
        };
        if let Some(text) = answer
            && let Err(ended) = write(text).await
        {
            return ended;
        }
    }
}

/// Returns the response to a request whose task ended without sending one.
fn settle_task(
    ended: Result<(task::Id, ()), JoinError>,
    asked: &mut HashMap<task::Id, Value>,
    session: &mut ToolsSession,
) -> Option<String> {
    let task = ended.as_ref().map_or_else(JoinError::id, |(task, ())| *task);
    let id = asked.remove(&task)?;
    session.forget_run(&id);
    ended.is_err().then(|| session::lost_message(&id))
}

/// Performs a step that needs no task. Returns its response, if any.
fn perform_step(
    step: SessionStep,
    environment: &DevEnvironment,
    actions: &ActionsByKey,
) -> Option<String> {
    match step {
        SessionStep::Ignore | SessionStep::Run { .. } => None,
        SessionStep::Send(text) => Some(text),
        SessionStep::List { id } => Some(session::actions_message(&id, actions.list_actions())),
        SessionStep::Values { id, of_type } => {
            Some(session::values_message(&id, &of_type, actions.list_values(&of_type)))
        }
        SessionStep::Cancel { id, trace_id } => {
            Some(session::cancelled_message(&id, actions.cancel_run(&trace_id)))
        }
        SessionStep::Telemetry(url) => {
            if !environment.has_telemetry_server {
                crate::export::export_to(&url);
            }
            None
        }
    }
}

/// Sends the events of a run. Waits if the CLI does not read.
async fn forward_events(id: Value, mut run: ActionRun, waiting: mpsc::Sender<String>) {
    let trace_id = run.trace_id().to_owned();
    let mut open = waiting.send(session::started_message(&id, &trace_id)).await.is_ok();
    while open && let Some(event) = run.next().await {
        open = waiting.send(session::event_message(&id, event, &trace_id)).await.is_ok();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn task_that_panics_is_an_error_of_its_request() {
        let (mut session, mut runs) = (ToolsSession::default(), JoinSet::<()>::new());
        let params = json!({"key": "/flow/x", "streamInput": true});
        let run = json!({"jsonrpc": "2.0", "id": 7, "method": "runAction", "params": params});
        assert!(matches!(session.receive_message(&run.to_string()), SessionStep::Run { .. }));
        let task = runs.spawn(async { panic!("a secret of the program") });
        let mut asked = HashMap::from([(task.id(), json!(7))]);
        let ended = runs.join_next_with_id().await.unwrap();
        let text = settle_task(ended, &mut asked, &mut session).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32000)));
        assert!(!text.contains("secret"), "{text}");
        let params = json!({"requestId": "7"});
        let input =
            json!({"jsonrpc": "2.0", "id": 8, "method": "endInputStream", "params": params});
        let SessionStep::Send(text) = session.receive_message(&input.to_string()) else { panic!() };
        assert!(text.contains("no input stream for request 7"), "{text}");
        let task = runs.spawn(async {});
        asked.insert(task.id(), json!(9));
        let ended = runs.join_next_with_id().await.unwrap();
        assert_eq!(
            settle_task(ended, &mut asked, &mut session),
            None,
            "the task sent its own response"
        );
        assert!(asked.is_empty());
    }
}
