//! A client's request, independent of its transport.

use std::sync::Arc;

use rmcp::model::{ErrorData, InputResponses, RequestId, RequestMetaObject};
use tokio_util::sync::CancellationToken;

use super::Outlet;
use crate::audit::{Audit, RequestSource};
use crate::error::Error as E;
use crate::principal::RequestHead;
use crate::quota::ClientQuota;
use crate::session::{ClientDescription, Era, Session};

/// A request from a client, without its parameters: the transport creates it, and the engine completes it.
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) era: Era,
    pub(crate) meta: RequestMetaObject,
    /// The client, and the kinds of questions that it supports.
    pub(crate) client: Arc<ClientDescription>,
    pub(crate) session: Arc<Session>,
    /// Receives the messages that the request sends before its response.
    pub(crate) outlet: Outlet,
    /// Cancelled when the client cancels the request or disconnects.
    pub(crate) cancel: CancellationToken,
    pub(crate) head: RequestHead,
    /// The client whose rate limit applies.
    pub(crate) quota: Arc<ClientQuota>,
    /// The state from an earlier round of this request, returned by the client.
    pub(crate) state: Option<String>,
    /// The answers to the questions of that round.
    pub(crate) responses: Option<InputResponses>,
}

impl Request {
    /// Creates the request of a message that has not been parsed yet.
    pub(crate) fn new(
        session: &Arc<Session>,
        outlet: Outlet,
        head: RequestHead,
        quota: &Arc<ClientQuota>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            id: RequestId::Number(0),
            era: Era::Legacy,
            meta: RequestMetaObject::default(),
            client: ClientDescription::unknown(),
            session: Arc::clone(session),
            outlet,
            cancel,
            head,
            quota: Arc::clone(quota),
            state: None,
            responses: None,
        }
    }

    /// Returns the sender of the request, for audit events.
    pub(crate) fn request_source(&self) -> RequestSource<'_> {
        RequestSource { key: self.quota.key(), calls_itself: self.client.reported_name() }
    }

    /// Records in the audit log that the request was rejected because of `why`, and returns the error.
    pub(crate) fn record_refusal(&self, method: &'static str, name: &str, why: E) -> ErrorData {
        Audit::start_record(method, name, self.request_source(), None).record_refusal(&why);
        why.into()
    }
}
