//! One request of a client, whatever brought it here.

use std::sync::Arc;

use rmcp::model::{ErrorData, RequestMetaObject};
use tokio_util::sync::CancellationToken;

use super::Channel;
use crate::audit::{Asking, Audit};
use crate::error::Error as E;
use crate::principal::HttpHead;
use crate::quota::ClientQuota;
use crate::session::{ClientDescription, Era, Session};

/// What is known of a request beside its parameters.
pub(crate) struct Request {
    pub(crate) era: Era,
    pub(crate) meta: RequestMetaObject,
    /// Who calls, and what it can be asked.
    pub(crate) client: Arc<ClientDescription>,
    pub(crate) session: Arc<Session>,
    /// The way to the client while the request runs.
    pub(crate) channel: Channel,
    /// Ends the request, when the client gives up.
    pub(crate) cancel: CancellationToken,
    pub(crate) head: HttpHead,
    /// Whose rate it counts for.
    pub(crate) quota: Arc<ClientQuota>,
}

impl Request {
    /// Who asks, for the audit events.
    pub(crate) fn asking(&self) -> Asking<'_> {
        Asking { key: self.quota.key(), calls_itself: self.client.calls_itself() }
    }

    /// Records that what the request names is not there, or is not for it.
    pub(crate) fn refused(&self, method: &'static str, name: &str, why: E) -> ErrorData {
        Audit::begin(method, name, self.asking(), None).refuse(&why);
        why.into()
    }
}
