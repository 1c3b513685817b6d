//! The requests of ours that wait for their answer.

use std::collections::HashSet;

use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};

use super::{Incoming, Outgoing};

/// Knows which requests went out and were not answered.
#[derive(Debug, Default)]
pub(super) struct Open(HashSet<RequestId>);

impl Open {
    /// Takes note of what goes out.
    pub(super) fn went(&mut self, message: &Outgoing) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.0.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                // A server need not answer what was cancelled.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Takes note of what comes in.
    pub(super) fn came(&mut self, message: &Incoming) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id.and_then(|id| self.own(id)) {
            self.0.remove(&id);
        }
    }

    /// The id of ours that this one means: servers may give `"7"` for `7`, as rmcp accepts it.
    pub(super) fn own(&self, id: &RequestId) -> Option<RequestId> {
        if self.0.contains(id) {
            return Some(id.clone());
        }
        let RequestId::String(text) = id else { return None };
        let id = RequestId::Number(text.parse().ok()?);
        self.0.contains(&id).then_some(id)
    }

    /// The one request that is open, if it is one.
    pub(super) fn only(&self) -> Option<RequestId> {
        let mut ids = self.0.iter();
        let only = ids.next()?;
        ids.next().is_none().then(|| only.clone())
    }
}
