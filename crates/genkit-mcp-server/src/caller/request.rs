//! A client's request, independent of its transport.

use std::sync::Arc;

use rmcp::model::{ErrorData, RequestMetaObject};
use tokio_util::sync::CancellationToken;

use super::Channel;
use crate::audit::{Asking, Audit};
use crate::error::Error as E;
use crate::principal::RequestHead;
use crate::quota::ClientQuota;
use crate::session::{ClientDescription, Era, Session};

/// The context of a request, without its parameters.
pub(crate) struct Request {
    pub(crate) era: Era,
    pub(crate) meta: RequestMetaObject,
    /// The client, and the kinds of questions that it supports.
    pub(crate) client: Arc<ClientDescription>,
    pub(crate) session: Arc<Session>,
    /// The channel to the client while the request runs.
    pub(crate) channel: Channel,
    /// Cancelled when the client gives up on the request.
    pub(crate) cancel: CancellationToken,
    pub(crate) head: RequestHead,
    /// The client whose rate limit applies.
    pub(crate) quota: Arc<ClientQuota>,
}

impl Request {
    /// Returns the sender of the request, for audit events.
    pub(crate) fn asking(&self) -> Asking<'_> {
        Asking { key: self.quota.key(), calls_itself: self.client.calls_itself() }
    }

    /// Records that the requested item does not exist or is hidden from the client, and returns the error.
    pub(crate) fn refused(&self, method: &'static str, name: &str, why: E) -> ErrorData {
        Audit::begin(method, name, self.asking(), None).refuse(&why);
        why.into()
    }
}
