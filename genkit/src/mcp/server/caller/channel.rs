//! The way to a client while its request runs: over the engine, or over rmcp's service loop.

#![allow(deprecated, reason = "SEP-2577 deprecates sampling, roots and logging; clients have them")]

use std::sync::Arc;

use bytes::Bytes;
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ErrorData,
    ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
};
#[cfg(feature = "rmcp-handler")]
use rmcp::{
    RoleServer,
    model::{ElicitRequest, ServerRequest},
    service::{Peer, ServiceError},
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Outlet, message};
use crate::context::{CallerAnswer, QuestionKind};
use crate::error::Result;
use crate::mcp::server::error::Error as E;
use crate::mcp::server::session::{OpenQuestion, Session};

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
    pub(crate) async fn ask(&self, kind: &QuestionKind, params: Value) -> Result<CallerAnswer> {
        let answer = match self {
            Self::Engine(outlet, session) => {
                let (question, request) = open(session, kind, params)?;
                ask(outlet, question, request, kind).await?
            }
            // Large, and not what most have.
            #[cfg(feature = "rmcp-handler")]
            Self::Rmcp(peer) => Box::pin(ask_peer(peer, kind, params)).await?,
        };
        Ok(CallerAnswer::from_json(answer))
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
    let (id, method) = (question.id(), method(kind));
    let request = match kind {
        QuestionKind::Elicitation { .. }
        | QuestionKind::Approval { .. }
        | QuestionKind::Interrupt { .. } => {
            message::request(id, method, &typed::<ElicitRequestParams>(params)?)
        }
        QuestionKind::Sampling(_) => {
            message::request(id, method, &typed::<CreateMessageRequestParams>(params)?)
        }
        QuestionKind::Roots => message::request(id, method, &params),
    };
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
    match kind {
        QuestionKind::Sampling(_) => read::<CreateMessageResult>(&answer),
        QuestionKind::Roots => read::<ListRootsResult>(&answer),
        _ => read::<Value>(&answer),
    }
}

/// What the protocol knows of an answer.
fn read<T: DeserializeOwned + Serialize>(answer: &str) -> Result<Value, E> {
    let answer = serde_json::from_str::<T>(answer).and_then(serde_json::to_value);
    answer.map_err(E::UnusableAnswer)
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
        Ok(answer) => serde_json::to_value(answer).map_err(E::UnusableAnswer),
        Err(ServiceError::McpError(error)) => Err(refused(error)),
        Err(_) => Err(E::ClientGone),
    }
}

fn refused(error: ErrorData) -> E {
    E::QuestionRefused(error.message.into_owned())
}

pub(super) fn typed<T: DeserializeOwned>(params: Value) -> Result<T, E> {
    serde_json::from_value(params).map_err(E::Unsendable)
}
