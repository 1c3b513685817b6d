//! Lists with a time limit, for callers that must not wait long.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;

use super::error::Error;
use super::{Catalog, Listable, NamedAction};
use crate::limits::SLOW_LIST_PAUSE;
use crate::session::state::ListKind;
use crate::status::ServerStatus;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error as PublicError, Result};

impl Catalog {
    pub(crate) fn status(&self) -> ServerStatus {
        let health = lock(&self.health);
        let notices = health.iter().flat_map(|list| list.notices.clone());
        self.server.status(notices.collect())
    }

    /// Returns the server's items if they are available in time. Otherwise, the list is read in the background for the
    /// next caller.
    pub(crate) async fn list_in_time<T: Listable>(
        self: &Arc<Self>,
    ) -> Result<Arc<[NamedAction<T>]>> {
        if let Some(cached) = self.cached_items() {
            return Ok(cached);
        }
        if self.server.live_connection().is_none() && !self.server.is_starting() {
            return Err(Error::NotConnected.into());
        }
        let limit = self.server.settings.startup;
        let kind = T::KIND as usize;
        let slow = lock(&self.health)[kind].slow;
        // Wait again after a reconnection.
        let is_same = |connections| connections == self.server.connection_count();
        if slow.is_some_and(|(made, until)| is_same(made) && Instant::now() < until) {
            return Err(Error::ListTimeout(limit).into());
        }
        let reader = Arc::clone(self);
        let reading = tokio::spawn(async move { reader.all_items::<T>().await });
        match tokio::time::timeout(limit, reading).await {
            Ok(Ok(listed)) => listed,
            Ok(Err(_)) => Err(Error::ReaderPanicked.into()),
            Err(_) => {
                let until = Instant::now().checked_add(SLOW_LIST_PAUSE);
                let made = self.server.connection_count();
                lock(&self.health)[kind].slow = until.map(|until| (made, until));
                Err(Error::ListTimeout(limit).into())
            }
        }
    }

    /// Returns the server's items, or `None` if they are not available in time. Logs each new reason once.
    pub(crate) async fn list_or_warn<T: Listable>(
        self: &Arc<Self>,
    ) -> Option<Arc<[NamedAction<T>]>> {
        let listed = self.list_in_time().await;
        let error = listed.as_ref().err().map(PublicError::chain);
        let omitted = &mut lock(&self.health)[T::KIND as usize].omitted;
        if let Some(error) = error.as_ref().filter(|error| omitted.as_ref() != Some(error))
            && let Some(warnings) = self.server.warnings.count_warning()
        {
            let (server, what) = (&*self.server.key, T::KIND);
            let error = Logged::text(error);
            tracing::warn!(server, warnings, %error, ?what, "omitted the list from an MCP server");
        }
        *omitted = error;
        listed.ok()
    }

    /// Records the omitted items of a list, and logs each once.
    pub(super) fn record_notices(&self, kind: ListKind, notices: Vec<String>) {
        let known = &mut lock(&self.health)[kind as usize].notices;
        let before: HashSet<&String> = known.iter().collect();
        for new in notices.iter().filter(|notice| !before.contains(notice)) {
            let Some(warnings) = self.server.warnings.count_warning() else { continue };
            let notice = Logged::text(new);
            tracing::warn!(
                server = %self.server.key, warnings, %notice,
                "omitted an item from an MCP server; report the notice to the author of the server"
            );
        }
        *known = notices;
    }
}
