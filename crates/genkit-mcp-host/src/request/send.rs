//! Sending requests, with retries and multi round-trip requests (`input_required`).

use std::sync::Arc;

use rmcp::model::{ClientRequest, InputResponses};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::Error;
use super::retry::with_retry;
use super::task::{TaskCall, TaskRecord};
use super::{input_required, results, task};
use crate::error::ServerErrorExt as _;
use crate::fingerprint::hash_texts;
use crate::lifecycle::server::ManagedServer;
use crate::limits::{MAX_RECORDED_QUESTION, MAX_ROUNDS};
use genkit_core::Context;
use genkit_core::Result;

/// Sends a request and provides the input that the server requires, until there is a result.
///
/// # Errors
/// Returns an error if the server is unreachable, rejects the request, or requires input too many times.
pub(super) async fn send_until_complete(
    server: &Arc<ManagedServer>,
    context: &Context,
    target: &str,
    mut request: ClientRequest,
) -> Result<Value> {
    let key = |request: &ClientRequest| {
        let print = fingerprint_request(request);
        (format!("mcp:{}:{print}", server.key), print)
    };
    // The caller may answer in a later run, which resumes from the server's last question.
    let recorded = match context.has_recorded() {
        true => context.recorded_result(&key(&request).0),
        false => None,
    };
    let recorded = recorded.map(serde_json::from_value::<RecordedRound>).and_then(Result::ok);
    let first = recorded.as_ref().map_or(0, |recorded| recorded.round);
    let mut recorded = recorded.map(|recorded| recorded.result);
    let task = task_key(server, &request);
    let task = task.map(|(key, print)| (context.nth_key(&key), context.nth_key(&print)));
    let begun = task.as_ref().filter(|_| context.has_recorded());
    let begun =
        begun.and_then(|task| Some((task, TaskRecord::read(context.recorded_result(&task.0)?)?)));
    if let Some((task, note)) = begun {
        return task::follow_recorded(
            TaskCall { server, context, target, key: &task.0, print: &task.1 },
            note,
        )
        .await;
    }
    for round in first..=MAX_ROUNDS {
        let mut result = match recorded.take() {
            Some(result) => result,
            None => {
                // Do not release the worker while the call may become a task.
                let sending = context.follow_operation();
                let (result, connection) = with_retry(server, context, target, &request).await?;
                drop(sending);
                let result = results::into_json(result)?;
                let is_task = connection.is_stateless() && result["resultType"] == task::TASK;
                if let Some(task) = task.as_ref().filter(|_| is_task) {
                    return task::follow_new(
                        TaskCall { server, context, target, key: &task.0, print: &task.1 },
                        &result,
                        &connection,
                    )
                    .await;
                }
                // In older protocols this member has no defined meaning.
                if connection.is_stateless() {
                    results::check_type(&server.key, target, &result)?;
                }
                result
            }
        };
        if result["resultType"] != results::INPUT_REQUIRED {
            return Ok(result);
        }
        let (key, print) = key(&request);
        if context.can_elicit()
            && genkit_schema::internal::size::json_size(&result) <= MAX_RECORDED_QUESTION
        {
            let recorded = RecordedRound { round, result: result.clone() };
            context.record_result(&key, serde_json::to_value(recorded)?);
        }
        let state = result["requestState"].as_str().map(str::to_owned);
        let required = result.get_mut("inputRequests").map(Value::take).unwrap_or_default();
        let connection = server.wait_connected().await?;
        let key = format!("{print}:{round}");
        let responses =
            input_required::answer_requests(&connection, context, &key, required).await?;
        if !add_answers(&mut request, responses, state) {
            return Err(Error::CannotAnswer(target.to_owned()).for_server(&server.key));
        }
    }
    Err(Error::TooManyRounds(target.to_owned()).for_server(&server.key))
}

/// Returns the key that a task is recorded under, and the fingerprint of its call; `None` if the request cannot become
/// a task.
fn task_key(server: &ManagedServer, request: &ClientRequest) -> Option<(String, String)> {
    let ClientRequest::CallToolRequest(_) = request else { return None };
    let print = fingerprint_request(request);
    Some((format!("mcp-task:{}:{print}", server.key), print))
}

/// Returns a fingerprint of a request's method, target and arguments, which is the same in every run.
fn fingerprint_request(request: &ClientRequest) -> String {
    let print = |method, name: &str, arguments: &Option<Map<String, Value>>| {
        let arguments = arguments.as_ref().map(serde_json::to_string).and_then(Result::ok);
        hash_texts(&[method, name, arguments.as_deref().unwrap_or("{}")])
    };
    match request {
        ClientRequest::CallToolRequest(request) => {
            print("tools/call", &request.params.name, &request.params.arguments)
        }
        ClientRequest::GetPromptRequest(request) => {
            print("prompts/get", &request.params.name, &request.params.arguments)
        }
        ClientRequest::ReadResourceRequest(request) => {
            hash_texts(&["resources/read", &request.params.uri])
        }
        _ => String::new(),
    }
}

/// Adds the answers to the next round of a request; returns `false` if its method does not accept answers.
fn add_answers(
    request: &mut ClientRequest,
    responses: Option<InputResponses>,
    state: Option<String>,
) -> bool {
    macro_rules! set {
        ($request:ident) => {{
            $request.params.input_responses = responses;
            $request.params.request_state = state;
            true
        }};
    }
    match request {
        ClientRequest::CallToolRequest(request) => set!(request),
        ClientRequest::GetPromptRequest(request) => set!(request),
        ClientRequest::ReadResourceRequest(request) => set!(request),
        _ => false,
    }
}

/// The last round of a request that still lacks input, recorded for a later run.
#[derive(Serialize, Deserialize)]
struct RecordedRound {
    round: usize,
    result: Value,
}

#[cfg(test)]
mod tests {
    use rmcp::model::{PingRequest, ReadResourceRequest, ReadResourceRequestParams};

    use super::*;

    #[test]
    fn only_methods_with_room_for_answers_are_answered() {
        let read = ReadResourceRequest::new(ReadResourceRequestParams::new("note://1"));
        let mut read = ClientRequest::ReadResourceRequest(read);
        assert!(add_answers(&mut read, None, Some("state".to_owned())));
        assert!(serde_json::to_string(&read).unwrap().contains(r#""requestState":"state""#));
        let mut ping = ClientRequest::PingRequest(PingRequest::default());
        assert!(!add_answers(&mut ping, None, None));
    }
}
