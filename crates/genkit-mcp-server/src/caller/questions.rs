//! Questions to a client during its request.

use bytes::Bytes;
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::McpCaller;
use crate::error::Error as E;
use crate::session::OpenQuestion;
use genkit_core::Result;
use genkit_core::internal::context::{CallerAnswer, QuestionKind};
use genkit_core::internal::error::Topic;
use genkit_core::internal::telemetry::error_type;
use genkit_core::internal::visible;
use genkit_mcp::internal::client_answer;
use genkit_mcp::internal::content::{self, build_object};
use genkit_mcp::internal::spans::{Network, NewSent, SentSpan, Target};

impl McpCaller {
    /// Sends a question to the client and waits for its answer.
    pub(super) async fn ask_client(
        &self,
        kind: &QuestionKind,
        mut params: Value,
    ) -> Result<CallerAnswer> {
        let told = SentSpan::open(&self.describe_span(kind));
        if let Some(trace) = told.as_ref().and_then(SentSpan::context) {
            let mut meta = Map::new();
            trace.write_to(&mut meta);
            params["_meta"] = Value::Object(meta);
        }
        let asking = self.wait_for_answer(kind, params);
        let answer = match &told {
            Some(told) => asking.instrument(told.span().clone()).await,
            None => asking.await,
        };
        if let Some(told) = told {
            let failure = answer.as_ref().err().map(|error| error_type(Topic::kind(error)));
            told.close(failure, None);
        }
        Ok(CallerAnswer::from_json(answer?))
    }

    fn describe_span(&self, kind: &QuestionKind) -> NewSent<'static> {
        let is_stream = self.request.session.quota().client().key().is_stream();
        let network = if is_stream { Network::Pipe } else { Network::Http };
        let method = method_name(kind);
        NewSent { method, target: Target::Nothing, version: None, network, server: None }
    }

    async fn wait_for_answer(&self, kind: &QuestionKind, params: Value) -> Result<Value, E> {
        let outlet = &self.request.outlet;
        let mut question = OpenQuestion::new(&self.request.session)?;
        let request = encode_request(question.id(), method_name(kind), params);
        let waiting = outlet.count_question();
        if !outlet.send(request).await {
            return Err(E::ClientGone);
        }
        let answer = question.wait_for_answer().await?;
        let answer = answer.map_err(|error| E::QuestionRefused(error.message.into_owned()))?;
        drop(waiting);
        client_answer::read(kind, &answer).map_err(E::InvalidAnswer)
    }
}

/// Returns the method of a question.
fn method_name(kind: &QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::ElicitUrl { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => "elicitation/create",
        QuestionKind::Sampling(_) => "sampling/createMessage",
        QuestionKind::Roots => "roots/list",
    }
}

/// Builds a request from the server.
fn encode_request(id: i64, method: &str, params: Value) -> Bytes {
    let version = ("jsonrpc", "2.0".into());
    let members = vec![version, ("id", id.into()), ("method", method.into()), ("params", params)];
    build_object(members).to_string().into()
}

/// Builds the input request of a question. In protocol 2026-07-28, results contain questions in this form.
pub(crate) fn input_request(kind: &QuestionKind) -> Result<Value> {
    Ok(build_object(vec![("method", method_name(kind).into()), ("params", question_params(kind)?)]))
}

/// Builds the parameters of a question, as MCP JSON.
pub(super) fn question_params(kind: &QuestionKind) -> Result<Value> {
    let nothing =
        || build_object(vec![("type", "object".into()), ("properties", Value::Object(Map::new()))]);
    let form = |message: &str, schema| {
        let mode = ("mode", "form".into());
        build_object(vec![mode, ("message", message.into()), ("requestedSchema", schema)])
    };
    Ok(match kind {
        QuestionKind::Elicitation { message, schema } => {
            form(message, genkit_schema::internal::form(schema)?)
        }
        QuestionKind::ElicitUrl { message, url, id } => build_object(vec![
            ("mode", "url".into()),
            ("message", message.as_str().into()),
            ("url", url.as_str().into()),
            ("elicitationId", id.as_str().into()),
        ]),
        QuestionKind::Approval { message } => form(message, nothing()),
        QuestionKind::Interrupt { metadata } => {
            let message = metadata["message"].as_str();
            let message = message.unwrap_or("The tool is waiting for your approval to continue.");
            form(&visible::escape_prose(message), nothing())
        }
        QuestionKind::Sampling(request) => {
            let messages =
                content::sampling_messages(&request.messages).ok_or(E::UnsendablePart)?;
            let mut params = vec![("messages", messages), ("maxTokens", request.max_tokens.into())];
            if let Some(system) = &request.system {
                params.push(("systemPrompt", system.as_str().into()));
            }
            if let Some(temperature) = request.temperature {
                params.push(("temperature", temperature.into()));
            }
            if !request.stop.is_empty() {
                params.push(("stopSequences", request.stop.clone().into()));
            }
            build_object(params)
        }
        QuestionKind::Roots => build_object(Vec::new()),
    })
}
