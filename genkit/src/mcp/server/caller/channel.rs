//! The way to a client while its request runs: over the engine, or over rmcp's service loop.

#![allow(deprecated, reason = "SEP-2577 deprecates sampling, roots and logging; clients have them")]

use std::sync::Arc;

use bytes::Bytes;
use rmcp::model::{ErrorData, LoggingMessageNotificationParam, ProgressNotificationParam};
#[cfg(feature = "rmcp-handler")]
use rmcp::{
    RoleServer,
    model::{ElicitRequest, ElicitRequestParams, ServerRequest},
    service::{Peer, ServiceError},
};
#[cfg(feature = "rmcp-handler")]
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::{Outlet, answer, message};
use crate::context::{CallerAnswer, QuestionKind};
use crate::error::{Result, Topic};
use crate::mcp::server::error::Error as E;
use crate::mcp::server::quota::ClientKey;
use crate::mcp::server::session::{OpenQuestion, Session};
use crate::mcp::spans::{Network, NewSent, SentSpan, Target};
use crate::telemetry::error_type;

/// What reaches the client of one request.
#[derive(Clone)]
pub(crate) enum Channel {
    Engine(Outlet, Arc<Session>),
    #[cfg(feature = "rmcp-handler")]
    Rmcp(Peer<RoleServer>),
}

impl Channel {
    /// A client that is gone shows as cancellation, not here.
    pub(crate) async fn progress(&self, params: ProgressNotificationParam) {
        match self {
            Self::Engine(outlet, _) => {
                outlet.send(message::notification("notifications/progress", &params)).await;
            }
            #[cfg(feature = "rmcp-handler")]
            Self::Rmcp(peer) => drop(Box::pin(peer.notify_progress(params)).await),
        }
    }

    pub(crate) async fn log(&self, params: LoggingMessageNotificationParam) {
        match self {
            Self::Engine(outlet, _) => {
                outlet.send(message::notification("notifications/message", &params)).await;
            }
            #[cfg(feature = "rmcp-handler")]
            Self::Rmcp(peer) => drop(Box::pin(peer.notify_logging_message(params)).await),
        }
    }

    /// Asks a client that is asked live.
    pub(crate) async fn ask(&self, kind: &QuestionKind, mut params: Value) -> Result<CallerAnswer> {
        let told = SentSpan::begin(&self.told(kind));
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
            told.end(failure, None);
        }
        Ok(CallerAnswer::from_json(answer?))
    }

    fn told(&self, kind: &QuestionKind) -> NewSent<'static> {
        let network = match self {
            Self::Engine(_, session) if *session.quota().client().key() != ClientKey::Local => {
                Network::Http
            }
            _ => Network::Pipe,
        };
        let method = method(kind);
        NewSent { method, target: Target::Nothing, version: None, network, server: None }
    }

    async fn ask_for(&self, kind: &QuestionKind, params: Value) -> Result<Value, E> {
        match self {
            Self::Engine(outlet, session) => {
                let (question, request) = open(session, kind, params)?;
                ask(outlet, question, request, kind).await
            }
            // Large, and not what most have.
            #[cfg(feature = "rmcp-handler")]
            Self::Rmcp(peer) => Box::pin(ask_peer(peer, kind, params)).await,
        }
    }
}

/// The method of a question.
pub(crate) fn method(kind: &QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => "elicitation/create",
        QuestionKind::Sampling(_) => "sampling/createMessage",
        QuestionKind::Roots => "roots/list",
    }
}

/// A question, and the request that asks it.
fn open(
    session: &Arc<Session>,
    kind: &QuestionKind,
    params: Value,
) -> Result<(OpenQuestion, Bytes), E> {
    let question = OpenQuestion::new(session)?;
    let request = message::request(question.id(), method(kind), params);
    Ok((question, request))
}

async fn ask(
    outlet: &Outlet,
    mut question: OpenQuestion,
    request: Bytes,
    kind: &QuestionKind,
) -> Result<Value, E> {
    let waiting = outlet.waiting();
    if !outlet.send(request).await {
        return Err(E::ClientGone);
    }
    let answer = question.answer().await?.map_err(refused)?;
    drop(waiting);
    answer::read(kind, &answer).map_err(E::UnusableAnswer)
}

#[cfg(feature = "rmcp-handler")]
async fn ask_peer(peer: &Peer<RoleServer>, kind: &QuestionKind, params: Value) -> Result<Value, E> {
    match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => {
            let params: ElicitRequestParams = typed(params)?;
            // rmcp's own method comes with a feature that brings a URL library of 20 crates.
            let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
            of_peer(peer.send_request(request).await)
        }
        QuestionKind::Sampling(_) => of_peer(peer.create_message(typed(params)?).await),
        QuestionKind::Roots => of_peer(peer.list_roots().await),
    }
}

#[cfg(feature = "rmcp-handler")]
fn of_peer<T: Serialize>(answer: std::result::Result<T, ServiceError>) -> Result<Value, E> {
    match answer {
        Ok(answer) => serde_json::to_value(answer).map_err(|e| E::UnusableAnswer(e.to_string())),
        Err(ServiceError::McpError(error)) => Err(refused(error)),
        Err(_) => Err(E::ClientGone),
    }
}

fn refused(error: ErrorData) -> E {
    E::QuestionRefused(error.message.into_owned())
}

/// What rmcp knows of a question.
#[cfg(feature = "rmcp-handler")]
fn typed<T: DeserializeOwned>(params: Value) -> Result<T, E> {
    serde_json::from_value(params).map_err(E::Unsendable)
}
