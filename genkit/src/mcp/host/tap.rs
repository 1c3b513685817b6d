//! A transport with an ear: what comes in passes here first, in order.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;

use super::inbox::Inbox;

type Incoming = RxJsonRpcMessage<RoleClient>;

/// A transport whose notifications go to an [`Inbox`], and whose probe always comes to an end.
///
/// rmcp asks a server whether it is new with `server/discover`, and takes only a JSON-RPC error with
/// the right id for a no. Old servers also keep silent, answer `{}`, or answer with an id of
/// their own: all of these are a no here.
pub(super) struct Tap<T> {
    inner: T,
    inbox: Arc<Inbox>,
    /// Whether a server that is silent is taken for an old one.
    guesses: bool,
    probe: Option<Probe>,
    /// The answer to a probe that was given up: rmcp waits for another by now.
    late: Option<RequestId>,
}

struct Probe {
    id: RequestId,
    until: Option<Instant>,
}

/// Resolves at the end of a probe that has one.
async fn over(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

impl<T> Tap<T> {
    pub(super) fn new(inner: T, inbox: Arc<Inbox>, guesses: bool) -> Self {
        Self { inner, inbox, guesses, probe: None, late: None }
    }

    /// A message on its way to rmcp; `None` where it stays here.
    fn pass(&mut self, message: Incoming) -> Option<Incoming> {
        let about = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = about {
            self.inbox.settled(id);
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
            self.inbox.sending(&request.id, &request.request);
            if matches!(request.request, ClientRequest::DiscoverRequest(_)) {
                let until = self.guesses.then(|| Instant::now() + self.inbox.settings.probe);
                self.probe = Some(Probe { id: request.id.clone(), until });
            }
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
                    () = over(probe.until) => {
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
