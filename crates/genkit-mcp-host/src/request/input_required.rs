//! `input_required` results: input that a server requires before it continues.

use std::time::Duration;

use futures_util::future::try_join_all;
use rmcp::model::{CreateMessageRequestParams, ElicitRequestParams, InputResponses};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::Error;
use crate::error::ServerErrorExt as _;
use crate::input::elicit::{ElicitRequest, ask_caller, to_mcp};
use crate::limits::MAX_SERVER_REQUESTS;
use crate::session::connection::Connection;
use crate::session::server_requests::decline_elicitation;
use genkit_core::Context;
use genkit_core::{Error as PublicError, Result};

/// The retry interval after a result that requires no input. Since 2026-07-28, a server returns such a result to signal
/// that it is not ready yet; the result does not specify an interval.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Answers the `required` requests concurrently; returns `None` if there are none.
pub(super) async fn answer_requests(
    connection: &Connection,
    context: &Context,
    key: &str,
    required: Value,
) -> Result<Option<InputResponses>> {
    let required = match required {
        Value::Object(required) if !required.is_empty() => required,
        _ => {
            tokio::time::sleep(RETRY_INTERVAL).await;
            return Ok(None);
        }
    };
    if required.len() > MAX_SERVER_REQUESTS {
        let server = &connection.session.server;
        return Err(Error::TooManyInputs(required.len()).for_server(server));
    }
    let responses = required.into_iter().map(|(name, input)| async {
        let response = answer_request(connection, context, format!("{key}:{name}"), input).await?;
        Ok::<_, PublicError>((name, response))
    });
    Ok(Some(try_join_all(responses).await?.into_iter().collect()))
}

async fn answer_request(
    connection: &Connection,
    context: &Context,
    key: String,
    mut input: Value,
) -> Result<Value> {
    let server = &*connection.session.server;
    let params = input.get_mut("params").map(Value::take).unwrap_or_default();
    match input["method"].as_str().unwrap_or_default() {
        "elicitation/create" => {
            let params: ElicitRequestParams = read(server, params)?;
            let Some(question) = ElicitRequest::new(
                &connection.session.server,
                &connection.session.redactor,
                &params,
            ) else {
                return Ok(serde_json::to_value(decline_elicitation(&connection.session))?);
            };
            let has_handler = connection.session.settings.on_elicit.is_some();
            let answer = if !has_handler && context.can_elicit() && question.schema.is_some() {
                to_mcp(ask_caller(context, question.clone(), &key).await, &question)
            } else {
                let Some(_place) = connection.session.acquire_request_permit() else {
                    return Ok(serde_json::to_value(decline_elicitation(&connection.session))?);
                };
                connection.server_requests.answer_elicitation(question).await
            };
            Ok(serde_json::to_value(answer)?)
        }
        "sampling/createMessage" => {
            let params: CreateMessageRequestParams = read(server, params)?;
            let Some(_place) = connection.session.acquire_request_permit() else {
                return Err(
                    Error::Sampling("too many requests are open".to_owned()).for_server(server)
                );
            };
            let answer = connection.server_requests.answer_sampling(&params).await;
            answer.map_err(|error| Error::Sampling(error.message.into_owned()).for_server(server))
        }
        "roots/list" => Ok(serde_json::to_value(connection.server_requests.roots_result())?),
        other => Err(Error::UnknownInput(other.to_owned()).for_server(server)),
    }
}

fn read<T: DeserializeOwned>(server: &str, params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|error| Error::UnreadableInput(error).for_server(server))
}
