//! An interceptor that processes the messages of a transport, in order, before rmcp does.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;

use super::notifications;
use super::state::SessionState;

/// A transport that handles notifications itself, and whose probe always completes.
///
/// rmcp sends `server/discover` to probe whether a server is new, and treats only a JSON-RPC error with the right id
/// as a negative answer. Old servers may also send no response, return `{}`, or respond with a different id. The
/// interceptor treats these cases as negative answers, too.
pub(crate) struct Interceptor<T> {
    inner: T,
    session: Arc<SessionState>,
    /// Whether a server that does not support `server/discover` may be an old server.
    probes: bool,
    probe: Option<Probe>,
    /// The id of a probe that timed out; rmcp no longer waits for its response.
    late: Option<RequestId>,
}

struct Probe {
    id: RequestId,
    until: Instant,
}

impl<T> Interceptor<T> {
    pub(crate) fn new(inner: T, session: Arc<SessionState>, probes: bool) -> Self {
        Self { inner, session, probes, probe: None, late: None }
    }

    /// Processes a message on its way to rmcp; returns `None` if it was handled here.
    fn process_incoming(
        &mut self,
        message: RxJsonRpcMessage<RoleClient>,
    ) -> Option<RxJsonRpcMessage<RoleClient>> {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Notification(_) | JsonRpcMessage::Request(_) => None,
        };
        if let Some(id) = answered {
            drop(self.session.in_flight.finish_request(id));
            if self.late.take_if(|late| late == id).is_some() {
                return None;
            }
        }
        match message {
            JsonRpcMessage::Notification(mut notified) => {
                notified.notification =
                    notifications::receive_notification(&self.session, notified.notification)?;
                Some(JsonRpcMessage::Notification(notified))
            }
            JsonRpcMessage::Response(response) if self.probe.is_some() => {
                let is_discovery = matches!(response.result, ServerResult::DiscoverResult(_));
                if self.probe.take_if(|probe| is_discovery && response.id == probe.id).is_some() {
                    return Some(JsonRpcMessage::Response(response));
                }
                self.reject_probe("the server does not support `server/discover`")
            }
            JsonRpcMessage::Error(error) => Some(match self.probe.take() {
                Some(probe) => JsonRpcMessage::error(error.error, Some(probe.id)),
                None => JsonRpcMessage::Error(error),
            }),
            other => Some(other),
        }
    }

    fn probe_until(&self) -> Instant {
        Instant::now() + self.session.settings.probe
    }

    /// Ends the probe as if the server had rejected it.
    fn reject_probe(&mut self, why: &'static str) -> Option<RxJsonRpcMessage<RoleClient>> {
        let probe = self.probe.take()?;
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None);
        Some(JsonRpcMessage::error(error, Some(probe.id)))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Interceptor<T> {
    type Error = T::Error;

    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (mut sent, mut cancelled) = (None, None);
        match &item {
            JsonRpcMessage::Request(request) => {
                self.session.in_flight.record_request(&request.id, &request.request);
                sent = Some((Arc::clone(&self.session), request.id.clone()));
                let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
                if is_probe && self.probes {
                    self.probe = Some(Probe { id: request.id.clone(), until: self.probe_until() });
                }
            }
            JsonRpcMessage::Notification(notified) => {
                if let ClientNotification::CancelledNotification(notified) = &notified.notification
                    && let Some(id) = &notified.params.request_id
                {
                    cancelled = self.session.in_flight.give_up(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let sending = self.inner.send(item);
        async move {
            let result = sending.await;
            if let (Err(_), Some((session, id))) = (&result, sent) {
                drop(session.in_flight.finish_request(&id));
            }
            // A cancelled request is over when its cancellation is written.
            drop(cancelled);
            result
        }
    }

    // Cancel safe: the inner `receive` is cancel safe, and no state is held across it.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let received = match &self.probe {
                None => self.inner.receive().await,
                Some(probe) => tokio::select! {
                    biased;
                    received = self.inner.receive() => received,
                    () = tokio::time::sleep_until(probe.until) => {
                        if self.session.is_answering() {
                            let until = self.probe_until();
                            self.probe.iter_mut().for_each(|probe| probe.until = until);
                            continue;
                        }
                        self.late = Some(probe.id.clone());
                        return self.reject_probe("the server did not respond to `server/discover`");
                    }
                },
            };
            let is_unasked = matches!(
                received,
                Some(JsonRpcMessage::Notification(_) | JsonRpcMessage::Request(_))
            );
            let received = received.filter(|_| !is_unasked || self.session.is_within_rate());
            let Some(message) = received else {
                self.session.end_session();
                return None;
            };
            if let Some(message) = self.process_incoming(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.session.end_session();
        self.inner.close().await
    }
}

impl<T> Drop for Interceptor<T> {
    fn drop(&mut self) {
        self.session.end_session();
    }
}
