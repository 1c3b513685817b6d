//! The protocol session as a state machine without I/O: maps messages from the CLI to the steps to perform.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::actions::{ActionRequest, ErrorStatus, RunEvent};
use crate::error::Error as E;
use crate::identity::{GENKIT_VERSION, SPEC_VERSION, program_name};
use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind};

/// The error codes of JSON-RPC 2.0.
const INVALID_REQUEST: i32 = -32600;
const NO_METHOD: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const PARSE_ERROR: i32 = -32700;
/// Genkit's code for a failed action.
const FAILED: i32 = -32000;

/// The id of the only request that this program sends.
const REGISTER: &str = "1";

/// The step to perform for a message.
#[derive(Debug)]
pub(super) enum SessionStep {
    /// No step.
    Ignore,
    Send(String),
    List {
        id: Value,
    },
    Values {
        id: Value,
        of_type: String,
    },
    Run {
        id: Value,
        request: Box<ActionRequest>,
        streams: bool,
    },
    Cancel {
        id: Value,
        trace_id: String,
    },
    /// Send traces to this URL.
    Telemetry(String),
}

/// The program's side of a connection.
#[derive(Default)]
pub(super) struct ToolsSession {
    /// The runs that were requested with an input stream. No action of this program reads such a stream.
    with_input: HashSet<String>,
}

/// A message from the CLI: a request, a notification, or the response to the registration.
#[derive(Deserialize)]
struct CliMessage {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Value>,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

impl ToolsSession {
    /// Returns the first message, which registers the program.
    pub(super) fn register_message(runtime_id: Option<&str>) -> String {
        let pid = std::process::id();
        let id = runtime_id.map_or_else(|| pid.to_string(), str::to_owned);
        let params = json!({
            "id": id, "pid": pid, "name": program_name(), "genkitVersion": GENKIT_VERSION,
            "reflectionApiSpecVersion": SPEC_VERSION, "envs": ["dev"],
        });
        json!({"jsonrpc": "2.0", "id": REGISTER, "method": "register", "params": params})
            .to_string()
    }

    pub(super) fn receive_message(&mut self, text: &str) -> SessionStep {
        let message = parse_bounded(text.as_bytes()).and_then(serde_json::from_value);
        let message: CliMessage = match message {
            Ok(message) => message,
            Err(error) => {
                return SessionStep::Send(failure_message(
                    &Value::Null,
                    PARSE_ERROR,
                    &error.to_string(),
                ));
            }
        };
        let CliMessage { id, method, params, result, error } = message;
        let id = id.filter(|id| id.is_string() || id.is_number());
        let Some(method) = method else {
            return match (result, error) {
                (Some(result), _) => telemetry_step(Some(&result)),
                (None, Some(error)) => {
                    tracing::error!(error = %Logged::text(&error), "Genkit's developer tools rejected this program");
                    SessionStep::Ignore
                }
                (None, None) => {
                    reject_request(id, INVALID_REQUEST, "neither a request nor a response")
                }
            };
        };
        self.call(&method, id, params.unwrap_or_default())
    }

    fn call(&mut self, method: &str, id: Option<Value>, params: Value) -> SessionStep {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        match (method, id) {
            ("configure", id) => match (telemetry_step(Some(&params)), id) {
                (SessionStep::Ignore, Some(id)) => {
                    SessionStep::Send(response_message(&id, json!({})))
                }
                (step, _) => step,
            },
            ("listActions", Some(id)) => SessionStep::List { id },
            ("listValues", Some(id)) => match text("type") {
                Some(of_type) => SessionStep::Values { id, of_type },
                None => reject_request(Some(id), INVALID_PARAMS, "type is required"),
            },
            ("runAction", Some(id)) => self.start_run(id, params),
            ("cancelAction", Some(id)) => match text("traceId") {
                Some(trace_id) => SessionStep::Cancel { id, trace_id },
                None => reject_request(Some(id), INVALID_PARAMS, "traceId is required"),
            },
            ("sendInputStreamChunk" | "endInputStream", id) => {
                self.handle_input(method, id, &params)
            }
            ("listActions" | "listValues" | "runAction" | "cancelAction", None) => {
                tracing::debug!(method = %Logged::name(method), "ignoring a request without an id");
                SessionStep::Ignore
            }
            (method, id) => reject_request(id, NO_METHOD, &format!("Method not found: {method}")),
        }
    }

    fn start_run(&mut self, id: Value, params: Value) -> SessionStep {
        let is_set = |name: &str| params.get(name).and_then(Value::as_bool).unwrap_or_default();
        let (streams, with_input) = (is_set("stream"), is_set("streamInput"));
        match serde_json::from_value(params) {
            Ok(request) => {
                if with_input {
                    self.with_input.insert(request_id(&id));
                }
                SessionStep::Run { id, request: Box::new(request), streams }
            }
            Err(error) => reject_request(Some(id), INVALID_PARAMS, &error.to_string()),
        }
    }

    /// Handles a message of an input stream, which no action of this program reads. Input for a running action is
    /// discarded, as in Genkit. Input for any other request is rejected if the message has an id.
    fn handle_input(&self, method: &str, id: Option<Value>, params: &Value) -> SessionStep {
        let of = params.get("requestId").map(request_id).unwrap_or_default();
        let is_known = self.with_input.contains(&of);
        match id {
            Some(id) if is_known => SessionStep::Send(response_message(&id, json!({}))),
            Some(id) => reject_request(
                Some(id),
                INVALID_PARAMS,
                &format!("no input stream for request {of}"),
            ),
            None => {
                tracing::debug!(
                    method = %Logged::name(method),
                    request = %Logged::name(&of),
                    "ignoring an input stream, because no action of this program reads input streams"
                );
                SessionStep::Ignore
            }
        }
    }

    /// Records the end of a run.
    pub(super) fn forget_run(&mut self, id: &Value) {
        self.with_input.remove(&request_id(id));
    }
}

fn telemetry_step(told: Option<&Value>) -> SessionStep {
    let url = told.and_then(|told| told.get("telemetryServerUrl")).and_then(Value::as_str);
    url.map_or(SessionStep::Ignore, |url| SessionStep::Telemetry(url.to_owned()))
}

/// Returns the id of a request as used in notifications, which is always a string.
pub(super) fn request_id(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

pub(super) fn response_message(id: &Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "result": result, "id": id}).to_string()
}

pub(super) fn actions_message(id: &Value, actions: Map<String, Value>) -> String {
    response_message(id, json!({ "actions": actions }))
}

pub(super) fn values_message(
    id: &Value,
    of_type: &str,
    values: Option<Map<String, Value>>,
) -> String {
    match values {
        Some(values) => response_message(id, json!({ "values": values })),
        None => failure_message(id, INVALID_PARAMS, &format!("no values of type `{of_type}`")),
    }
}

pub(super) fn cancelled_message(id: &Value, was_running: bool) -> String {
    if was_running {
        return response_message(id, json!({"message": "Action cancelled"}));
    }
    failure_message(id, INVALID_PARAMS, "Action not found or already completed")
}

/// Builds the notification with the trace id of the run that the request `id` started.
pub(super) fn started_message(id: &Value, trace_id: &str) -> String {
    let params = json!({"requestId": request_id(id), "state": {"traceId": trace_id}});
    json!({"jsonrpc": "2.0", "method": "runActionState", "params": params}).to_string()
}

pub(super) fn event_message(id: &Value, event: RunEvent, trace_id: &str) -> String {
    match event {
        RunEvent::Chunk(chunk) => {
            let params = json!({"requestId": request_id(id), "chunk": chunk});
            json!({"jsonrpc": "2.0", "method": "streamChunk", "params": params}).to_string()
        }
        RunEvent::End(Ok(result)) => {
            response_message(id, json!({"result": result, "telemetry": {"traceId": trace_id}}))
        }
        RunEvent::End(Err(status)) => build_error(id, FAILED, &status),
    }
}

/// Builds the error for an action that does not exist or cannot run now.
pub(super) fn error_message(id: &Value, error: &Error) -> String {
    let code = if error.kind() == ErrorKind::NotFound { INVALID_PARAMS } else { FAILED };
    build_error(id, code, &ErrorStatus::from_error(error, None))
}

/// Builds the error of a failed action. Without `data` the CLI shows no details.
fn build_error(id: &Value, code: i32, status: &ErrorStatus) -> String {
    let error = json!({"code": code, "message": status.message, "data": status.to_json()});
    json!({"jsonrpc": "2.0", "error": error, "id": id}).to_string()
}

/// Builds the error for a run that ended for an unknown reason.
pub(super) fn lost_message(id: &Value) -> String {
    build_error(id, FAILED, &ErrorStatus::from_error(&Error::from(E::Lost), None))
}

fn failure_message(id: &Value, code: i32, message: &str) -> String {
    json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": id}).to_string()
}

/// Returns an error response for a request. Notifications never receive a response.
fn reject_request(id: Option<Value>, code: i32, message: &str) -> SessionStep {
    match id {
        Some(id) => SessionStep::Send(failure_message(&id, code, message)),
        None => {
            tracing::debug!(
                code,
                message = %Logged::text(message),
                "cannot handle a message from Genkit's developer tools"
            );
            SessionStep::Ignore
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(step: SessionStep) -> Value {
        let SessionStep::Send(text) = step else { panic!("{step:?}") };
        serde_json::from_str(&text).unwrap()
    }

    fn receive(message: Value) -> SessionStep {
        ToolsSession::default().receive_message(&message.to_string())
    }

    #[test]
    fn message_of_too_many_values_is_rejected() {
        let many = json!({"method": "runAction", "id": 1, "params": {"input": vec![0; 200_000]}});
        let rejected = sent(receive(many));
        assert_eq!(rejected["error"]["code"], PARSE_ERROR, "{rejected}");
        let message = rejected["error"]["message"].as_str().unwrap();
        assert!(message.contains("more than 200000 values"), "{message}");
    }

    #[test]
    fn it_registers_with_text_as_id() {
        let told: Value = serde_json::from_str(&ToolsSession::register_message(None)).unwrap();
        let pid = std::process::id();
        assert_eq!(told["params"]["id"], pid.to_string());
        assert_eq!((&told["params"]["pid"], &told["id"]), (&json!(pid), &json!("1")));
        let own: Value =
            serde_json::from_str(&ToolsSession::register_message(Some("mine"))).unwrap();
        assert_eq!(own["params"]["id"], "mine");
    }

    #[test]
    fn answer_to_register_and_configure_name_the_server_for_traces() {
        let result = json!({"telemetryServerUrl": "http://localhost:4033"});
        for message in [
            json!({"jsonrpc": "2.0", "result": result, "id": "1"}),
            json!({"jsonrpc": "2.0", "method": "configure", "params": result}),
        ] {
            let SessionStep::Telemetry(url) = receive(message) else { panic!("no url") };
            assert_eq!(url, "http://localhost:4033");
        }
        for message in [
            json!({"jsonrpc": "2.0", "result": {}, "id": "1"}),
            json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "no"}, "id": "1"}),
            json!({"jsonrpc": "2.0", "method": "configure", "params": {}}),
        ] {
            assert!(matches!(receive(message), SessionStep::Ignore));
        }
    }

    #[test]
    fn requests_become_steps_with_ids_of_either_kind() {
        let request = json!({"jsonrpc": "2.0", "method": "listActions", "id": 1});
        assert!(matches!(receive(request), SessionStep::List { id } if id == 1));
        let params = json!({"type": "defaultModel"});
        let request = json!({"method": "listValues", "params": params, "id": "1"});
        assert!(
            matches!(receive(request), SessionStep::Values { of_type, .. } if of_type == "defaultModel")
        );
        let params =
            json!({"key": "/flow/x", "input": {"n": 2}, "stream": true, "streamInput": false});
        let request = json!({"method": "runAction", "params": params, "id": "2"});
        let SessionStep::Run { id, request, streams } = receive(request) else { panic!("no run") };
        assert_eq!((id, request.key.as_str(), streams), (json!("2"), "/flow/x", true));
        let request = json!({"method": "cancelAction", "params": {"traceId": "39"}, "id": "7"});
        assert!(
            matches!(receive(request), SessionStep::Cancel { trace_id, .. } if trace_id == "39")
        );
    }

    #[test]
    fn invalid_message_returns_a_json_rpc_error_code() {
        let code = |message: &str| {
            let answer = sent(ToolsSession::default().receive_message(message));
            (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
        };
        assert_eq!(code("{"), (-32700, Value::Null));
        assert_eq!(code(r#"{"id":"1"}"#), (-32600, json!("1")));
        assert_eq!(code(r#"{"id":"1","method":"nosuch"}"#), (-32601, json!("1")));
        for method in ["listValues", "runAction", "cancelAction"] {
            let message = json!({"id": "1", "method": method, "params": {}}).to_string();
            assert_eq!(code(&message), (-32602, json!("1")), "{method}");
        }
        for notification in ["nosuch", "listActions", "runAction"] {
            assert!(matches!(receive(json!({ "method": notification })), SessionStep::Ignore));
        }
    }

    #[test]
    fn input_stream_is_accepted_only_for_a_running_action() {
        let mut session = ToolsSession::default();
        let params = json!({"key": "/flow/x", "streamInput": true});
        let run = json!({"method": "runAction", "params": params, "id": "9"}).to_string();
        assert!(matches!(session.receive_message(&run), SessionStep::Run { .. }));
        let params = json!({"requestId": "9", "chunk": {"text": "hi"}});
        let chunk = json!({"method": "sendInputStreamChunk", "params": params}).to_string();
        assert!(matches!(session.receive_message(&chunk), SessionStep::Ignore));
        let end = json!({"method": "endInputStream", "params": {"requestId": "9"}, "id": "3"})
            .to_string();
        assert_eq!(sent(session.receive_message(&end))["result"], json!({}));
        session.forget_run(&json!("9"));
        assert_eq!(sent(session.receive_message(&end))["error"]["code"], -32602);
    }
}
