//! Questions that came as a result, and their answers.

use std::time::Duration;

use futures_util::future::try_join_all;
use rmcp::model::{CreateMessageRequestParams, ElicitRequestParams, InputResponses};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::elicit::{ElicitAnswer, ElicitRequest};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::request::fingerprint::fingerprint;
use crate::mcp::host::session::connection::Connection;

/// How long a server that asks nothing, but is not ready, is left alone.
const REST: Duration = Duration::from_millis(200);

/// The answers to `asked`, all asked together; none where nothing was asked.
pub(crate) async fn answers(
    connection: &Connection,
    context: &Context,
    at: &str,
    asked: Value,
) -> Result<Option<InputResponses>> {
    let asked = match asked {
        Value::Object(asked) if !asked.is_empty() => asked,
        _ => {
            tokio::time::sleep(REST).await;
            return Ok(None);
        }
    };
    let answering = asked.into_iter().map(|(key, question)| async {
        let answer = answer(connection, context, format!("{at}:{key}"), question).await?;
        Ok::<_, Error>((key, answer))
    });
    Ok(Some(try_join_all(answering).await?.into_iter().collect()))
}

async fn answer(
    connection: &Connection,
    context: &Context,
    key: String,
    mut question: Value,
) -> Result<Value> {
    let server = &*connection.inbox.server;
    let params = question.get_mut("params").map(Value::take).unwrap_or_default();
    match question["method"].as_str().unwrap_or_default() {
        "elicitation/create" => {
            let params: ElicitRequestParams = read(server, params)?;
            let asked = ElicitRequest::new(server, &params);
            let here = connection.inbox.settings.on_elicit.is_some();
            let answer = if !here && context.can_elicit() && asked.schema.is_some() {
                ask_caller(context, asked.clone(), &key).await.to_mcp(&asked)
            } else {
                connection.handler.elicit(asked).await
            };
            Ok(serde_json::to_value(answer)?)
        }
        "sampling/createMessage" => {
            let params: CreateMessageRequestParams = read(server, params)?;
            let answer = connection.handler.sample(&params).await;
            answer.map_err(|error| {
                let said =
                    format!("the MCP server `{server}` asks the model, and {}", error.message);
                Error::new(ErrorKind::PermissionDenied, said)
            })
        }
        "roots/list" => Ok(serde_json::to_value(connection.handler.roots())?),
        other => {
            let said = format!("the MCP server `{server}` asks for `{other}`, which is unknown");
            Err(Error::new(ErrorKind::Unimplemented, said))
        }
    }
}

fn read<T: DeserializeOwned>(server: &str, params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|error| {
        let said = format!("the MCP server `{server}` asks in a way that cannot be read: {error}");
        Error::new(ErrorKind::Internal, said)
    })
}

/// The answer of whoever called.
pub(crate) async fn ask_caller(
    context: &Context,
    question: ElicitRequest,
    at: &str,
) -> ElicitAnswer {
    let ElicitRequest { server, message, schema, .. } = question;
    let form = schema.unwrap_or_else(|| serde_json::json!({ "type": "object", "properties": {} }));
    // An answer belongs to these very words: a server that asks something else is answered anew.
    let words = fingerprint(&[&message, &form.to_string()]);
    let key = format!("{server}:{at}:{words}");
    let asking = context.elicit_form(format!("{server}: {message}"), form).key(key);
    let answer: Result<_> = asking.await;
    answer.map_or_else(
        |error| {
            tracing::warn!(
                server,
                error = error.chain(),
                "a question of a server was not answered"
            );
            ElicitAnswer::cancel()
        },
        ElicitAnswer::from,
    )
}
