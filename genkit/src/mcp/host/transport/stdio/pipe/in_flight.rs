//! The requests of ours that wait for their answer.

use std::collections::HashMap;

use rmcp::model::{ClientNotification, GetExtensions as _, JsonRpcMessage, RequestId};

use super::{Incoming, Outgoing};
use crate::mcp::host::transport::UntypedResult;

/// Knows which requests went out and were not answered.
#[derive(Debug, Default)]
pub(crate) struct Open(HashMap<RequestId, Reading>);

/// How the result of a request is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// As the kind of result that rmcp takes it for.
    Typed,
    /// As it is. rmcp tells results apart by their members, and one member too many makes a list of
    /// tools of what a tool said.
    AsItIs,
}

impl Open {
    /// Takes note of what goes out.
    pub(crate) fn went(&mut self, message: &Outgoing) {
        match message {
            JsonRpcMessage::Request(request) => {
                let ours = request.request.extensions().get::<UntypedResult>().is_some();
                let reading = if ours { Reading::AsItIs } else { Reading::Typed };
                self.0.insert(request.id.clone(), reading);
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
    pub(crate) fn came(&mut self, message: &Incoming) {
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
    pub(crate) fn own(&self, id: &RequestId) -> Option<RequestId> {
        if self.0.contains_key(id) {
            return Some(id.clone());
        }
        let RequestId::String(text) = id else { return None };
        let id = RequestId::Number(text.parse().ok()?);
        self.0.contains_key(&id).then_some(id)
    }

    /// How the result of this request is read.
    pub(crate) fn reading(&self, id: &RequestId) -> Reading {
        let reading = self.own(id).and_then(|id| self.0.get(&id).copied());
        reading.unwrap_or(Reading::Typed)
    }

    /// The one request that is open, if it is one.
    pub(crate) fn only(&self) -> Option<RequestId> {
        let mut ids = self.0.keys();
        let only = ids.next()?;
        ids.next().is_none().then(|| only.clone())
    }
}
