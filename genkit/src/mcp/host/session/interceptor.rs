//! A transport with an ear: what comes in passes here first, in order.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;

use super::notifications::Inbox;

type Incoming = RxJsonRpcMessage<RoleClient>;

/// A transport whose notifications go to an [`Inbox`], and whose probe always comes to an end.
///
/// rmcp asks a server whether it is new with `server/discover`, and takes only a JSON-RPC error with
/// the right id for a no. Old servers also keep silent, answer `{}`, or answer with an id of
/// their own: all of these are a no here.
pub(crate) struct Tap<T> {
    inner: T,
    inbox: Arc<Inbox>,
    /// Whether a server that does not know `server/discover` may be an old one.
    probes: bool,
    probe: Option<Probe>,
    /// The answer to a probe that was given up: rmcp waits for another by now.
    late: Option<RequestId>,
}

struct Probe {
    id: RequestId,
    until: Instant,
}

impl<T> Tap<T> {
    pub(crate) fn new(inner: T, inbox: Arc<Inbox>, probes: bool) -> Self {
        Self { inner, inbox, probes, probe: None, late: None }
    }

    /// A message on its way to rmcp; `None` where it stays here.
    fn pass(&mut self, message: Incoming) -> Option<Incoming> {
        let about = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = about {
            self.inbox.desk.settled(id);
            if self.late.take_if(|late| late == id).is_some() {
                return None;
            }
        }
        let Some(probe) = &self.probe else { return Some(message) };
        match &message {
            JsonRpcMessage::Response(response) => {
                let discovered = matches!(response.result, ServerResult::DiscoverResult(_));
                if discovered && response.id == probe.id {
                    self.probe = None;
                    return Some(message);
                }
                self.no("the server does not know `server/discover`")
            }
            JsonRpcMessage::Error(error) => {
                let id = Some(probe.id.clone());
                self.probe = None;
                Some(JsonRpcMessage::error(error.error.clone(), id))
            }
            _ => Some(message),
        }
    }

    /// Gives the probe its time once more.
    fn put_off(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.until = Instant::now() + self.inbox.settings.probe;
        }
    }

    /// Ends the probe with the answer of an old server.
    fn no(&mut self, said: &'static str) -> Option<Incoming> {
        let probe = self.probe.take()?;
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, said, None);
        Some(JsonRpcMessage::error(error, Some(probe.id)))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Tap<T> {
    type Error = T::Error;

    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            self.inbox.desk.sending(&request.id, &request.request);
            let asked = matches!(request.request, ClientRequest::DiscoverRequest(_));
            if asked && self.probes {
                let until = Instant::now() + self.inbox.settings.probe;
                self.probe = Some(Probe { id: request.id.clone(), until });
            }
        }
        if let JsonRpcMessage::Notification(told) = &item
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let Some(id) = &cancelled.params.request_id
        {
            // It may have been given up before it went out.
            self.inbox.desk.settled(id);
        }
        self.inner.send(item)
    }

    // Safe to cancel: the inner transport's `receive` is, and nothing is held across it.
    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            let received = match &self.probe {
                None => self.inner.receive().await,
                Some(probe) => tokio::select! {
                    biased;
                    received = self.inner.receive() => received,
                    () = tokio::time::sleep_until(probe.until) => {
                        if self.inbox.is_answering() {
                            self.put_off();
                            continue;
                        }
                        self.late = Some(probe.id.clone());
                        return self.no("the server does not answer `server/discover`");
                    }
                },
            };
            let Some(message) = received else {
                self.inbox.end();
                return None;
            };
            let message = match message {
                JsonRpcMessage::Notification(mut told) => {
                    match self.inbox.notified(told.notification) {
                        Ok(None) => continue,
                        Ok(Some(needed)) => {
                            told.notification = needed;
                            JsonRpcMessage::Notification(told)
                        }
                        Err(_) => {
                            self.inbox.end();
                            return None;
                        }
                    }
                }
                JsonRpcMessage::Request(request) => {
                    if self.inbox.count().is_err() {
                        self.inbox.end();
                        return None;
                    }
                    JsonRpcMessage::Request(request)
                }
                other => other,
            };
            if let Some(message) = self.pass(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inbox.end();
        self.inner.close().await
    }
}

impl<T> Drop for Tap<T> {
    fn drop(&mut self) {
        self.inbox.end();
    }
}
