//! Requests that wait for their answer.

use std::collections::HashSet;

use rmcp::{
    RoleServer,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
        JsonRpcMessage, RequestId,
    },
    service::TxJsonRpcMessage,
};

use super::message::ClientMessage;

/// Knows which requests came and were not answered.
#[derive(Debug, Default)]
pub(crate) struct UnansweredRequests {
    requests: HashSet<RequestId>,
    /// Subscription streams: they are answered when they are cancelled.
    streams: Vec<RequestId>,
}

impl UnansweredRequests {
    /// Takes note of what comes in.
    pub(crate) fn received(&mut self, message: &ClientMessage) {
        match message {
            JsonRpcMessage::Request(request) => match request.request {
                ClientRequest::SubscriptionsListenRequest(_) => {
                    self.streams.push(request.id.clone());
                }
                _ => {
                    self.requests.insert(request.id.clone());
                }
            },
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.answered(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Takes note of what goes out.
    pub(crate) fn sent(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Response(response) => self.answered(&response.id),
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.answered(id);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
    }

    /// Whether there are requests that end by themselves.
    pub(crate) fn any_function(&self) -> bool {
        !self.requests.is_empty()
    }

    /// The subscription streams.
    pub(super) fn streams(&self) -> &[RequestId] {
        &self.streams
    }

    /// Cancels a stream in the client's name, which is gone; `None` if there is no more.
    pub(crate) fn cancel_stream(&mut self) -> Option<ClientMessage> {
        let id = self.streams.pop()?;
        let params = CancelledNotificationParam::new(Some(id), None);
        let cancelled = CancelledNotification::new(params);
        Some(JsonRpcMessage::notification(ClientNotification::CancelledNotification(cancelled)))
    }

    fn answered(&mut self, id: &RequestId) {
        if !self.requests.remove(id) {
            self.streams.retain(|stream| stream != id);
        }
    }
}
