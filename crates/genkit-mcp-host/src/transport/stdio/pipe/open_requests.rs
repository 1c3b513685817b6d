//! Open requests: those of ours that wait for their answer.

use std::collections::HashMap;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetExtensions as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};

/// Knows which requests went out and were not answered.
#[derive(Debug, Default)]
pub(crate) struct OpenRequests(HashMap<RequestId, ResultFormat>);

/// How the result of a request is read; it lies in the request's extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum ResultFormat {
    /// As the kind of result that rmcp takes it for.
    #[default]
    Typed,
    /// As it is. rmcp tells results apart by their members, and one member too many makes a list of
    /// tools of what a tool returned.
    Untyped,
}

impl OpenRequests {
    /// Takes note of what goes out.
    pub(crate) fn sent(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                let format = request.request.extensions().get().copied().unwrap_or_default();
                self.0.insert(request.id.clone(), format);
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
    pub(crate) fn received(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id.and_then(|id| self.own_id(id)) {
            self.0.remove(&id);
        }
    }

    /// The id of ours that this one means: servers may give `"7"` for `7`, as rmcp accepts it.
    pub(crate) fn own_id(&self, id: &RequestId) -> Option<RequestId> {
        if self.0.contains_key(id) {
            return Some(id.clone());
        }
        let RequestId::String(text) = id else { return None };
        let id = RequestId::Number(text.parse().ok()?);
        self.0.contains_key(&id).then_some(id)
    }

    /// How the result of this request is read.
    pub(crate) fn format(&self, id: &RequestId) -> ResultFormat {
        self.own_id(id).and_then(|id| self.0.get(&id).copied()).unwrap_or_default()
    }

    /// The one request that is open, if it is one.
    pub(crate) fn only(&self) -> Option<RequestId> {
        let mut ids = self.0.keys();
        let only = ids.next()?;
        ids.next().is_none().then(|| only.clone())
    }
}
