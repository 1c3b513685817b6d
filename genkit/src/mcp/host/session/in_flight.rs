//! Requests in flight: which of them a message of the server is about.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{ClientRequest, GetExtensions as _, GetMeta as _, ProgressToken, RequestId};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncGuard, Notify, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::context::{Elicited, Progress};
use crate::mcp::host::input::elicit::ElicitRequest;
use crate::mcp::host::transport::request_id::means;
use crate::sync::lock;
use serde_json::Value;

/// How long a question waits until it is certain which request it is about. Default is 30 seconds.
const MATCH_TIMEOUT: Duration = Duration::from_secs(30);

/// How many signals may wait for a caller; progress above it is dropped.
const SIGNALS: usize = 64;

/// What a server sends while it works on a request.
pub(crate) enum Signal {
    Progress(Progress),
    /// A question to the caller; dropping the sender is no answer.
    Question(ElicitRequest, oneshot::Sender<Elicited<Value>>),
}

/// A request in flight.
pub(crate) struct OpenRequest {
    /// The tool, prompt or resource, as the server names it.
    pub(crate) target: String,
    /// Whether the caller can be asked.
    pub(crate) can_elicit: bool,
    signals: mpsc::Sender<Signal>,
    /// A question of the server waits for the caller.
    is_asking: AtomicBool,
    last_progress: Mutex<f64>,
    /// It is answered, or its cancellation is written.
    over: CancellationToken,
}

/// A request in flight, in the extensions of the request itself: it is known before it is written.
#[derive(Clone)]
pub(crate) struct RequestTag(pub(crate) Arc<OpenRequest>);

impl OpenRequest {
    pub(crate) fn new(target: &str, can_elicit: bool) -> (Self, mpsc::Receiver<Signal>) {
        let (signals, receiver) = mpsc::channel(SIGNALS);
        let request = Self {
            target: target.to_owned(),
            can_elicit,
            signals,
            is_asking: AtomicBool::new(false),
            last_progress: Mutex::new(f64::NEG_INFINITY),
            over: CancellationToken::new(),
        };
        (request, receiver)
    }

    /// Hands progress to the caller; progress must grow, and what does not is dropped.
    pub(crate) fn progressed(&self, progress: Progress) -> bool {
        let mut last = lock(&self.last_progress);
        if progress.done.is_nan() || progress.done <= *last {
            return false;
        }
        *last = progress.done;
        let _ = self.signals.try_send(Signal::Progress(progress));
        true
    }

    /// Puts a question to the caller; `None` if the caller went away.
    pub(crate) async fn ask(&self, question: ElicitRequest) -> Option<Elicited<Value>> {
        struct AskingGuard<'a>(&'a AtomicBool);
        impl Drop for AskingGuard<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        let (sender, receiver) = oneshot::channel();
        self.is_asking.store(true, Ordering::Release);
        let _asking = AskingGuard(&self.is_asking);
        self.signals.send(Signal::Question(question, sender)).await.ok()?;
        receiver.await.ok()
    }

    /// Resolves when the request is answered, or its cancellation is written.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }
}

struct InFlightEntry {
    id: RequestId,
    token: Option<ProgressToken>,
    request: Arc<OpenRequest>,
}

/// The requests of one connection that are in flight.
#[derive(Default)]
pub(crate) struct InFlight {
    /// In the order in which they went out.
    entries: Mutex<Vec<InFlightEntry>>,
    /// A request is over, or a question was matched.
    changed: Notify,
    /// Questions of which it is not known which request they are about.
    unmatched: Mutex<usize>,
    /// The server asks questions, and not about which request: calls are made one by one.
    one_by_one: AtomicBool,
    turns: AsyncMutex<()>,
}

impl InFlight {
    /// Notes a request before it is written, so that nothing about it can come too early.
    pub(crate) fn sending(&self, id: &RequestId, request: &ClientRequest) {
        if let Some(RequestTag(tag)) = request.extensions().get::<RequestTag>() {
            let token = request.get_meta().get_progress_token();
            let request = Arc::clone(tag);
            lock(&self.entries).push(InFlightEntry { id: id.clone(), token, request });
        }
    }

    /// Forgets a request that is answered, cancelled or not sent; it is over when the guard is dropped.
    pub(crate) fn finish(&self, id: &RequestId) -> Option<DropGuard> {
        let mut entries = lock(&self.entries);
        let at = entries.iter().position(|entry| means(id, &entry.id))?;
        let entry = entries.remove(at);
        drop(entries);
        self.changed.notify_waiters();
        Some(entry.request.over.clone().drop_guard())
    }

    /// The request of this id: transports with a stream for each request know it.
    pub(crate) fn by_id(&self, id: &RequestId) -> Option<Arc<OpenRequest>> {
        self.find(|entry| entry.id == *id)
    }

    pub(crate) fn by_token(&self, token: &ProgressToken) -> Option<Arc<OpenRequest>> {
        self.find(|entry| entry.token.as_ref().is_some_and(|own| means(&token.0, &own.0)))
    }

    fn find(&self, is_meant: impl Fn(&InFlightEntry) -> bool) -> Option<Arc<OpenRequest>> {
        let entries = lock(&self.entries);
        entries.iter().find(|entry| is_meant(entry)).map(|entry| Arc::clone(&entry.request))
    }

    /// The requests that a question may be about now, the oldest first.
    fn candidates(&self) -> Vec<Arc<OpenRequest>> {
        let entries = lock(&self.entries);
        let requests = entries.iter().map(|entry| &entry.request);
        // A caller that went away is asked nothing.
        let free = requests.filter(|request| {
            !request.is_asking.load(Ordering::Acquire) && !request.signals.is_closed()
        });
        free.cloned().collect()
    }

    /// The request that a question is about, over a transport that does not tell: certain where only
    /// one is open. A guess could show one user the question of another.
    pub(crate) async fn match_question(&self, server: &str) -> Option<Arc<OpenRequest>> {
        self.one_by_one.store(true, Ordering::Release);
        *lock(&self.unmatched) += 1;
        let _unmatched = Unmatched(self);
        let certain = async {
            loop {
                let changed = self.changed.notified();
                let mut candidates = self.candidates();
                let is_hopeless = !candidates.iter().any(|request| request.can_elicit)
                    || candidates.len() <= *lock(&self.unmatched) && candidates.len() > 1;
                match candidates.len() {
                    1 => return candidates.pop(),
                    _ if is_hopeless => return None,
                    _ => changed.await,
                }
            }
        };
        let request = tokio::time::timeout(MATCH_TIMEOUT, certain).await.ok().flatten();
        if request.is_none() {
            tracing::warn!(
                server,
                "a server asks the user something, and it is not known for which of its calls: it is \
                 declined, and calls are made one by one from now on. `.on_elicit(..)` answers all"
            );
        }
        request
    }

    /// Waits for its turn where calls are made one by one.
    pub(crate) async fn turn(&self) -> Option<AsyncGuard<'_, ()>> {
        match self.one_by_one.load(Ordering::Acquire) {
            true => Some(self.turns.lock().await),
            false => None,
        }
    }
}

struct Unmatched<'a>(&'a InFlight);

impl Drop for Unmatched<'_> {
    fn drop(&mut self) {
        *lock(&self.0.unmatched) -= 1;
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_grows_or_is_dropped() {
        let (request, mut signals) = OpenRequest::new("t", false);
        for done in [1.0, 3.0, 2.0, f64::NAN, 3.0, 4.0] {
            request.progressed(Progress::new(done));
        }
        let mut seen = Vec::new();
        while let Ok(Signal::Progress(progress)) = signals.try_recv() {
            seen.push(progress.done);
        }
        assert_eq!(seen, [1.0, 3.0, 4.0]);
    }

    /// Notes a request of this id.
    fn noted(in_flight: &InFlight, id: i64) -> mpsc::Receiver<Signal> {
        let (request, signals) = OpenRequest::new("t", true);
        let request = Arc::new(request);
        let id = RequestId::Number(id);
        lock(&in_flight.entries).push(InFlightEntry { id, token: None, request });
        signals
    }

    #[test]
    fn an_id_that_comes_back_as_text_is_the_same() {
        let in_flight = InFlight::default();
        let _signals = noted(&in_flight, 7);
        assert!(in_flight.finish(&RequestId::String("7".into())).is_some());
        assert!(in_flight.finish(&RequestId::Number(7)).is_none());
    }

    #[tokio::test]
    async fn a_request_is_over_when_its_cancellation_is_written() {
        let in_flight = InFlight::default();
        let signals = noted(&in_flight, 7);
        let request = in_flight.by_id(&RequestId::Number(7)).expect("it is in flight");
        let written = in_flight.finish(&RequestId::Number(7)).expect("it is in flight");
        drop(signals);
        assert!(!request.over.is_cancelled());
        drop(written);
        request.over().await;
    }

    #[test]
    fn a_caller_that_went_away_is_no_candidate() {
        let in_flight = InFlight::default();
        let (gone, _there) = (noted(&in_flight, 1), noted(&in_flight, 2));
        assert_eq!(in_flight.candidates().len(), 2);
        drop(gone);
        assert_eq!(in_flight.candidates().len(), 1);
    }
}
