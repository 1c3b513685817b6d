//! The channel to a client during its request.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling, roots and logging, which current clients still use"
)]

use std::sync::Arc;

use bytes::Bytes;
use rmcp::model::{ErrorData, LoggingMessageNotificationParam, ProgressNotificationParam};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::{Outlet, message};
use crate::error::Error as E;
use crate::session::{OpenQuestion, Session};
use genkit_core::Result;
use genkit_core::internal::context::{CallerAnswer, QuestionKind};
use genkit_core::internal::error::Topic;
use genkit_core::internal::telemetry::error_type;
use genkit_mcp::internal::client_answer;
use genkit_mcp::internal::content::build_object;
use genkit_mcp::internal::spans::{Network, NewSent, SentSpan, Target};

/// A connection to the client of one request.
pub(super) struct Channel {
    pub(super) outlet: Outlet,
    pub(super) session: Arc<Session>,
}

impl Channel {
    /// Sends progress. A disconnected client cancels the request, so the error is ignored here.
    pub(super) async fn send_progress(&self, params: ProgressNotificationParam) {
        self.outlet.send(message::encode_notification("notifications/progress", &params)).await;
    }

    pub(super) async fn send_log(&self, params: LoggingMessageNotificationParam) {
        self.outlet.send(message::encode_notification("notifications/message", &params)).await;
    }

    /// Sends that the user is done with a page.
    pub(super) async fn send_completion(&self, id: String) {
        let params = build_object(vec![("elicitationId", id.into())]);
        let method = "notifications/elicitation/complete";
        self.outlet.send(message::encode_notification(method, &params)).await;
    }

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
        let asking = self.ask_for(kind, params);
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
        let is_stream = self.session.quota().client().key().is_stream();
        let network = if is_stream { Network::Pipe } else { Network::Http };
        let method = method_name(kind);
        NewSent { method, target: Target::Nothing, version: None, network, server: None }
    }

    async fn ask_for(&self, kind: &QuestionKind, params: Value) -> Result<Value, E> {
        let (question, request) = open_question(&self.session, kind, params)?;
        ask(&self.outlet, question, request, kind).await
    }
}

/// Returns the method of a question.
pub(crate) fn method_name(kind: &QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::ElicitUrl { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => "elicitation/create",
        QuestionKind::Sampling(_) => "sampling/createMessage",
        QuestionKind::Roots => "roots/list",
    }
}

/// Opens a question, and builds the request that asks it.
fn open_question(
    session: &Arc<Session>,
    kind: &QuestionKind,
    params: Value,
) -> Result<(OpenQuestion, Bytes), E> {
    let question = OpenQuestion::new(session)?;
    let request = message::encode_request(question.id(), method_name(kind), params);
    Ok((question, request))
}

async fn ask(
    outlet: &Outlet,
    mut question: OpenQuestion,
    request: Bytes,
    kind: &QuestionKind,
) -> Result<Value, E> {
    let waiting = outlet.count_question();
    if !outlet.send(request).await {
        return Err(E::ClientGone);
    }
    let answer = question.wait_for_answer().await?.map_err(refused_error)?;
    drop(waiting);
    client_answer::read(kind, &answer).map_err(E::UnusableAnswer)
}
fn refused_error(error: ErrorData) -> E {
    E::QuestionRefused(error.message.into_owned())
}
