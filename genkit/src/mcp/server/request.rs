//! One request of a client, whatever brought it here.

use std::sync::Arc;

use rmcp::model::RequestMetaObject;
use tokio_util::sync::CancellationToken;

use super::channel::Channel;
use super::client::ClientDescription;
use super::principal::HttpHead;
use super::quota::ClientQuota;
use super::session::{Era, Session};

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
