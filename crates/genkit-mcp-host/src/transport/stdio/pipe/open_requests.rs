//! The client's requests that are waiting for a response.

use std::collections::HashMap;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetExtensions as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};

/// Tracks the requests that were sent and have no response yet.
#[derive(Debug, Default)]
pub(crate) struct OpenRequests(HashMap<RequestId, ResultFormat>);

/// How the result of a request is parsed; stored in the request's extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum ResultFormat {
    /// As the type of result that rmcp recognizes.
    #[default]
    Typed,
    /// As raw JSON. rmcp recognizes results by their members, and would parse a tool's result with a certain member as
    /// a list of tools.
    Untyped,
}

impl ResultFormat {
    /// Returns how the result of a message that is a request is parsed.
    pub(crate) fn of_message(message: &ClientJsonRpcMessage) -> Self {
        let JsonRpcMessage::Request(request) = message else { return Self::default() };
        request.request.extensions().get().copied().unwrap_or_default()
    }
}

impl OpenRequests {
    /// Records an outgoing message.
    pub(crate) fn record_sent(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.0.insert(request.id.clone(), ResultFormat::of_message(message));
            }
            JsonRpcMessage::Notification(notification) => {
                // A server does not need to respond to a cancelled request.
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

    /// Records an incoming message.
    pub(crate) fn record_received(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id.and_then(|id| self.own_id(id)) {
            self.0.remove(&id);
        }
    }

    /// Returns the id of the request that a server's id refers to: servers may return `"7"` for `7`, which rmcp
    /// accepts.
    pub(crate) fn own_id(&self, id: &RequestId) -> Option<RequestId> {
        if self.0.contains_key(id) {
            return Some(id.clone());
        }
        let RequestId::String(text) = id else { return None };
        let id = RequestId::Number(text.parse().ok()?);
        self.0.contains_key(&id).then_some(id)
    }

    /// Returns how the result of this request is parsed.
    pub(crate) fn result_format(&self, id: &RequestId) -> ResultFormat {
        self.own_id(id).and_then(|id| self.0.get(&id).copied()).unwrap_or_default()
    }

    /// Returns the open request, if there is exactly one.
    pub(crate) fn only_request(&self) -> Option<RequestId> {
        let mut ids = self.0.keys();
        let only = ids.next()?;
        ids.next().is_none().then(|| only.clone())
    }
}
