//! The UI message stream of Vercel's AI SDK: converts its requests to the input of a run, and the events of the run to
//! parts.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use genkit_core::internal::bounded_json::{ValueBudget, parse_bounded};

use crate::input::{InputMessage, ResumeEntry, ResumeStatus, RunInput};

/// The metadata key of the sealed conversation in a message.
const SEAL: &str = "genkit";

/// A request of `useChat`: the whole conversation of the client.
#[derive(Deserialize)]
struct ChatRequest {
    id: String,
    messages: Vec<UiMessage>,
    /// Answers to questions that are not approvals.
    resume: Option<Vec<ResumeEntry>>,
    /// The fields that the page adds to its requests.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize)]
struct UiMessage {
    #[serde(default)]
    id: String,
    role: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    parts: Vec<Value>,
}

/// The stream of a run for the AI SDK.
#[derive(Clone, Default)]
pub(crate) struct UiStream {
    /// The message that the run continues.
    message: String,
    /// The calls that the user has denied.
    denied: HashSet<String>,
    /// The names and arguments of the calls that are being sent.
    calls: HashMap<String, (String, String)>,
    /// Whether the last user message was edited, or its response is regenerated.
    pub(crate) regenerates: bool,
}

/// Returns whether a request comes from the AI SDK, which has no `threadId`.
pub(crate) fn is_chat_request(body: &Value) -> bool {
    body["threadId"].is_null() && body["id"].is_string() && body["messages"].is_array()
}

/// Converts a request of the AI SDK.
pub(crate) fn read_request(body: Value, budget: ValueBudget) -> serde_json::Result<RunInput> {
    let request: ChatRequest = serde_json::from_value(body)?;
    let run = uuid::Uuid::new_v4().to_string();
    let mut stream = UiStream { message: run.clone(), ..UiStream::default() };
    let (mut messages, mut resume) = (Vec::new(), request.resume.unwrap_or_default());
    let last = request.messages.len().saturating_sub(1);
    let asks_again = request.rest.get("trigger").is_some_and(|it| it == "regenerate-message");
    let edited =
        request.rest.get("messageId").and_then(Value::as_str).unwrap_or_default().to_owned();
    for (at, message) in request.messages.into_iter().enumerate() {
        match &*message.role {
            "user" => {
                stream.regenerates = at == last && (asks_again || message.id == edited);
                messages.push(user_message(message));
            }
            "assistant" => {
                if at == last {
                    stream.message.clone_from(&message.id);
                    resume.extend(read_approvals(&message.parts, &mut stream.denied));
                }
                let seal = message.metadata[SEAL].as_str().map(str::to_owned);
                let own = InputMessage {
                    id: message.id,
                    encrypted_value: seal,
                    ..new_message("assistant")
                };
                messages.push(own);
                messages.extend(message.parts.iter().filter_map(tool_message));
            }
            _ => {}
        }
    }
    Ok(RunInput {
        thread_id: request.id,
        run_id: run,
        parent_run_id: None,
        protocol_version: None,
        state: Value::Null,
        messages,
        tools: None,
        context: None,
        forwarded_props: request.rest.into(),
        resume: Some(resume),
        budget,
        ui_stream: Some(stream),
    })
}

fn new_message(role: &str) -> InputMessage {
    InputMessage {
        id: String::new(),
        role: role.to_owned(),
        content: Value::Null,
        encrypted_value: None,
        tool_call_id: None,
        error: None,
    }
}

fn user_message(message: UiMessage) -> InputMessage {
    let content = message.parts.iter().filter_map(|part| match part["type"].as_str()? {
        "text" => Some(json!({ "type": "text", "text": part["text"] })),
        "file" => Some(file_part(part)),
        _ => None,
    });
    InputMessage { id: message.id, content: content.collect(), ..new_message("user") }
}

fn file_part(part: &Value) -> Value {
    let (url, mime) = (part["url"].as_str().unwrap_or_default(), &part["mediaType"]);
    let kind = mime.as_str().and_then(|mime| mime.split('/').next());
    let kind = kind.filter(|kind| ["image", "audio", "video"].contains(kind));
    let source = match url.split_once(";base64,") {
        Some((_, data)) => json!({ "type": "data", "value": data, "mimeType": mime }),
        None => json!({ "type": "url", "value": url, "mimeType": mime }),
    };
    json!({ "type": kind.unwrap_or("document"), "source": source })
}

/// Returns the result of a call that the page may have executed.
fn tool_message(part: &Value) -> Option<InputMessage> {
    let call = part["toolCallId"].as_str()?.to_owned();
    let (content, error) = match part["state"].as_str()? {
        "output-available" => (part["output"].to_string().into(), None),
        "output-error" => (Value::Null, part["errorText"].as_str().map(str::to_owned)),
        _ => return None,
    };
    Some(InputMessage { content, error, tool_call_id: Some(call), ..new_message("tool") })
}

/// Returns the decisions on the approvals of the last message.
fn read_approvals(parts: &[Value], denied: &mut HashSet<String>) -> Vec<ResumeEntry> {
    let answered = parts.iter().filter(|part| part["state"] == "approval-responded");
    let answered = answered.filter_map(|part| {
        let approval = &part["approval"];
        let approved = approval["approved"].as_bool().unwrap_or_default();
        if !approved {
            denied.extend(part["toolCallId"].as_str().map(str::to_owned));
        }
        let payload = json!({ "approved": approved, "reason": approval["reason"] });
        let interrupt_id = approval["id"].as_str()?.to_owned();
        Some(ResumeEntry { interrupt_id, status: ResumeStatus::Resolved, payload })
    });
    answered.collect()
}

impl UiStream {
    /// Converts an event of a run into parts of the stream.
    pub(crate) fn push_event(&mut self, event: &Value, parts: &mut Vec<Value>) {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let id = &event["messageId"];
        let part = match event["type"].as_str().unwrap_or_default() {
            "RUN_STARTED" => json!({ "type": "start", "messageId": self.message }),
            "STEP_STARTED" => json!({ "type": "start-step" }),
            "STEP_FINISHED" => json!({ "type": "finish-step" }),
            "TEXT_MESSAGE_START" => json!({ "type": "text-start", "id": id }),
            "TEXT_MESSAGE_CONTENT" => {
                json!({ "type": "text-delta", "id": id, "delta": event["delta"] })
            }
            "TEXT_MESSAGE_END" => json!({ "type": "text-end", "id": id }),
            "REASONING_MESSAGE_START" => json!({ "type": "reasoning-start", "id": id }),
            "REASONING_MESSAGE_CONTENT" => {
                json!({ "type": "reasoning-delta", "id": id, "delta": event["delta"] })
            }
            "REASONING_MESSAGE_END" => json!({ "type": "reasoning-end", "id": id }),
            "REASONING_ENCRYPTED_VALUE" => {
                let metadata = json!({ SEAL: event["encryptedValue"] });
                json!({ "type": "message-metadata", "messageMetadata": metadata })
            }
            "TOOL_CALL_START" => {
                let (call, name) = (text("toolCallId"), text("toolCallName"));
                let part =
                    json!({ "type": "tool-input-start", "toolCallId": call, "toolName": name });
                self.calls.insert(call, (name, String::new()));
                part
            }
            "TOOL_CALL_ARGS" => {
                let (call, delta) = (text("toolCallId"), text("delta"));
                if let Some((_, arguments)) = self.calls.get_mut(&call) {
                    arguments.push_str(&delta);
                }
                json!({ "type": "tool-input-delta", "toolCallId": call, "inputTextDelta": delta })
            }
            "TOOL_CALL_END" => {
                let call = text("toolCallId");
                let (name, arguments) = self.calls.remove(&call).unwrap_or_default();
                let input = match parse_bounded(arguments.as_bytes()) {
                    Ok(input) => input,
                    Err(_) if arguments.is_empty() => Value::Null,
                    Err(_) => arguments.into(),
                };
                json!({
                    "type": "tool-input-available", "toolCallId": call, "toolName": name,
                    "input": input,
                })
            }
            "TOOL_CALL_RESULT" => self.result_part(&text("toolCallId"), text("content")),
            "STATE_SNAPSHOT" => json!({ "type": "data-state", "data": event["snapshot"] }),
            "STATE_DELTA" => json!({ "type": "data-state-delta", "data": event["delta"] }),
            "ACTIVITY_SNAPSHOT" => {
                let data = json!({ "type": event["activityType"], "content": event["content"] });
                json!({ "type": "data-activity", "id": id, "data": data })
            }
            "CUSTOM" if event["name"] == "media" => {
                let (url, mime) = (&event["value"]["url"], &event["value"]["contentType"]);
                let mime = mime.as_str().unwrap_or("application/octet-stream");
                json!({ "type": "file", "url": url, "mediaType": mime })
            }
            "CUSTOM" => json!({ "type": format!("data-{}", text("name")), "data": event["value"] }),
            "RUN_ERROR" => json!({ "type": "error", "errorText": event["message"] }),
            "RUN_FINISHED" => return push_end(event, parts),
            _ => return,
        };
        parts.push(part);
    }

    fn result_part(&self, call: &str, content: String) -> Value {
        if self.denied.contains(call) {
            return json!({ "type": "tool-output-denied", "toolCallId": call });
        }
        let is_json = content.starts_with(['{', '[']);
        let output = match parse_bounded(content.as_bytes()) {
            Ok(value) if is_json => value,
            _ => Value::String(content),
        };
        match output.as_object() {
            Some(fields) if fields.len() == 1 && fields.contains_key("error") => {
                let error = &output["error"];
                let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
                json!({ "type": "tool-output-error", "toolCallId": call, "errorText": text })
            }
            _ => json!({ "type": "tool-output-available", "toolCallId": call, "output": output }),
        }
    }
}

/// Adds the parts for the end of a run.
fn push_end(event: &Value, parts: &mut Vec<Value>) {
    let outcome = &event["outcome"];
    if outcome["type"] == "cancelled" {
        parts.push(json!({ "type": "abort" }));
        return;
    }
    for interrupt in outcome["interrupts"].as_array().into_iter().flatten() {
        parts.push(match interrupt["reason"].as_str() {
            Some("tool_call") => json!({
                "type": "tool-approval-request", "approvalId": interrupt["id"],
                "toolCallId": interrupt["toolCallId"],
            }),
            // The page already has the call.
            Some("genkit:client_tool") => continue,
            _ => json!({ "type": "data-interrupt", "id": interrupt["id"], "data": interrupt }),
        });
    }
    let mut finish = json!({ "type": "finish" });
    for name in ["usage", "result"] {
        if !event[name].is_null() {
            finish["messageMetadata"][name] = event[name].clone();
        }
    }
    parts.push(finish);
}
