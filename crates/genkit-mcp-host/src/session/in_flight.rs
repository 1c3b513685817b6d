//! Requests in flight, and the assignment of the server's messages to them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::model::{ClientRequest, GetExtensions as _, GetMeta as _, ProgressToken, RequestId};
use tokio::sync::{
    Mutex as AsyncMutex, MutexGuard as AsyncGuard, Notify, Semaphore, mpsc, oneshot,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::input::elicit::ElicitRequest;
use crate::limits::MAX_SERVER_REQUESTS;
use crate::transport::request_id::is_same_id;
use genkit_core::internal::context::QuestionChannel;
use genkit_core::internal::sync::lock;
use genkit_core::internal::warnings::WarningBudget;
use genkit_core::{Context, Elicited, Progress};
use serde_json::Value;

/// How long a question waits until it can be assigned to a request. Default is 30 seconds.
const MATCH_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the server may still ask a question about a call that was cancelled without a response. Default is 10
/// minutes.
const ABANDONED_FOR: Duration = Duration::from_secs(600);

/// How many cancelled calls are remembered; beyond that the oldest is forgotten. Default is 256.
const MAX_ABANDONED: usize = 256;

/// How many signals may be queued for a caller; later progress is dropped.
const SIGNALS: usize = 64;

/// A signal that a server sends while it processes a request.
pub(crate) enum Signal {
    Progress(Progress),
    /// A question to the caller. Dropping the sender means that there is no answer.
    Question(ElicitRequest, oneshot::Sender<Elicited<Value>>),
}

/// A request in flight.
pub(crate) struct OpenRequest {
    /// The server's own name for the tool or prompt, or the URI of the resource.
    pub(crate) target: String,
    /// Whether the caller can be asked.
    pub(crate) can_elicit: bool,
    /// The channel that questions are sent to. Unknown callers never share a channel.
    asker: Option<QuestionChannel>,
    signals: mpsc::Sender<Signal>,
    /// Limits the questions that wait for the caller.
    questions: Semaphore,
    /// Whether the caller left while a question was open; the server is then notified twice that the call has ended.
    dropped_while_asked: AtomicBool,
    last_progress: Mutex<f64>,
    /// Cancelled when the request is answered, or its cancellation is written.
    finished: CancellationToken,
}

/// A request in flight, stored in the extensions of the rmcp request, so that it is known before it is written.
#[derive(Clone)]
pub(crate) struct RequestTag(pub(crate) Arc<OpenRequest>);

impl OpenRequest {
    pub(crate) fn new(target: &str, context: &Context) -> (Self, mpsc::Receiver<Signal>) {
        Self::with_asker(target, context.can_elicit(), context.question_channel())
    }

    fn with_asker(
        target: &str,
        can_elicit: bool,
        asker: Option<QuestionChannel>,
    ) -> (Self, mpsc::Receiver<Signal>) {
        let (signals, receiver) = mpsc::channel(SIGNALS);
        let request = Self {
            target: target.to_owned(),
            can_elicit,
            asker,
            signals,
            questions: Semaphore::new(MAX_SERVER_REQUESTS),
            dropped_while_asked: AtomicBool::new(false),
            last_progress: Mutex::new(f64::NEG_INFINITY),
            finished: CancellationToken::new(),
        };
        (request, receiver)
    }

    /// Passes progress to the caller; progress that does not increase is dropped.
    pub(crate) fn forward_progress(&self, progress: Progress) -> bool {
        let mut last = lock(&self.last_progress);
        if progress.done.is_nan() || progress.done <= *last {
            return false;
        }
        *last = progress.done;
        let _ = self.signals.try_send(Signal::Progress(progress));
        true
    }

    /// Asks the caller; returns `None` if the caller left. Questions beyond the limit are declined.
    pub(crate) async fn ask_caller(&self, question: ElicitRequest) -> Option<Elicited<Value>> {
        let Ok(_open) = self.questions.try_acquire() else { return Some(Elicited::Declined) };
        let (sender, receiver) = oneshot::channel();
        let answer = match self.signals.send(Signal::Question(question, sender)).await {
            Ok(()) => receiver.await.ok(),
            Err(_) => None,
        };
        self.dropped_while_asked.fetch_or(answer.is_none(), Ordering::AcqRel);
        answer
    }

    /// Resolves when the request is answered, or its cancellation is written.
    pub(crate) async fn wait_until_over(&self) {
        self.finished.cancelled().await;
    }
}

struct InFlightEntry {
    id: RequestId,
    token: Option<ProgressToken>,
    request: Arc<OpenRequest>,
    /// Whether the host itself sent it, for a list or a ping; a server does not ask questions about such requests.
    is_own: bool,
    /// When the caller cancelled it. The cancellation can be lost, and the server can ignore it.
    given_up: Option<Instant>,
}

impl InFlightEntry {
    fn is_live(&self) -> bool {
        self.given_up.is_none() && !self.request.signals.is_closed()
    }

    /// Returns whether the server may still ask a question about this request after the caller gave it up.
    fn may_ask_on(&self) -> bool {
        // A run that is interrupted continues with a new call.
        let is_told = self.request.dropped_while_asked.load(Ordering::Acquire)
            && self.request.asker.is_some_and(QuestionChannel::can_resume);
        !is_told && self.given_up.is_none_or(|when| when.elapsed() < ABANDONED_FOR)
    }
}

/// The requests of one connection that are in flight.
#[derive(Default)]
pub(crate) struct InFlight {
    /// In sending order.
    entries: Mutex<Vec<InFlightEntry>>,
    /// Notified when a request is over, or a question was matched.
    changed: Notify,
    /// How many questions are not yet assigned to a request.
    unmatched: Mutex<usize>,
    /// Whether the server asks questions without specifying the request; calls are then sent one at a time.
    one_by_one: AtomicBool,
    turns: AsyncMutex<()>,
    /// Limits the warnings about questions that were declined.
    warnings: WarningBudget,
}

/// The result of assigning a question to a request.
enum Match {
    Certain(Arc<OpenRequest>),
    /// The request is known only after other requests are answered.
    Open,
    /// The request cannot be determined, for this reason.
    Unknown(&'static str),
}

impl InFlight {
    /// Records a request before it is written, so that no message about it can arrive too early.
    pub(crate) fn record_request(&self, id: &RequestId, request: &ClientRequest) {
        if let Some(RequestTag(tag)) = request.extensions().get::<RequestTag>() {
            let token = request.get_meta().get_progress_token();
            let is_own = !matches!(
                request,
                ClientRequest::CallToolRequest(_)
                    | ClientRequest::GetPromptRequest(_)
                    | ClientRequest::ReadResourceRequest(_)
                    | ClientRequest::CompleteRequest(_)
            );
            let request = Arc::clone(tag);
            let (id, given_up) = (id.clone(), None);
            lock(&self.entries).push(InFlightEntry { id, token, request, is_own, given_up });
        }
    }

    /// Removes a request that is answered or was not sent; it is over when the guard is dropped.
    pub(crate) fn finish_request(&self, id: &RequestId) -> Option<DropGuard> {
        let mut entries = lock(&self.entries);
        let at = entries.iter().position(|entry| is_same_id(id, &entry.id))?;
        let entry = entries.remove(at);
        drop(entries);
        self.changed.notify_waiters();
        Some(entry.request.finished.clone().drop_guard())
    }

    /// Records that a request is given up; it is over when the guard is dropped. A question about it may be in transit,
    /// and a server that ignores the cancellation may ask later.
    pub(crate) fn give_up(&self, id: &RequestId) -> Option<DropGuard> {
        let mut entries = lock(&self.entries);
        let at = entries.iter().position(|entry| is_same_id(id, &entry.id))?;
        let over = entries[at].request.finished.clone().drop_guard();
        if entries[at].is_own {
            entries.remove(at);
        } else {
            entries[at].given_up.get_or_insert_with(Instant::now);
        }
        remove_finished(&mut entries);
        let mut given_up = entries.iter().filter(|entry| entry.given_up.is_some());
        if let Some(oldest) = given_up.next().map(|entry| entry.id.clone())
            && given_up.count() >= MAX_ABANDONED
        {
            entries.retain(|entry| entry.id != oldest);
        }
        drop(entries);
        self.changed.notify_waiters();
        Some(over)
    }

    /// Returns the request with this id, which transports with a stream per request provide.
    pub(crate) fn by_id(&self, id: &RequestId) -> Option<Arc<OpenRequest>> {
        self.find_request(|entry| entry.id == *id)
    }

    pub(crate) fn by_token(&self, token: &ProgressToken) -> Option<Arc<OpenRequest>> {
        self.find_request(|entry| {
            entry.token.as_ref().is_some_and(|own| is_same_id(&token.0, &own.0))
        })
    }

    fn find_request(&self, is_meant: impl Fn(&InFlightEntry) -> bool) -> Option<Arc<OpenRequest>> {
        let entries = lock(&self.entries);
        let mut open = entries.iter().filter(|entry| entry.given_up.is_none());
        open.find(|entry| is_meant(entry)).map(|entry| Arc::clone(&entry.request))
    }

    /// Returns the ids of the requests that a question arriving now may be about.
    fn request_ids(&self) -> Vec<RequestId> {
        let mut entries = lock(&self.entries);
        remove_finished(&mut entries);
        entries.iter().map(|entry| entry.id.clone()).collect()
    }

    /// Determines the request that a question is about, among the requests that were open when it arrived. Some of them
    /// may have been answered since.
    ///
    /// If they belong to several callers, later events do not determine the request: a call may be given up, or fail,
    /// while its question is in transit.
    fn match_to_request(&self, at_first: &[RequestId]) -> Match {
        let entries = lock(&self.entries);
        let left: Vec<&InFlightEntry> =
            entries.iter().filter(|entry| at_first.contains(&entry.id)).collect();
        let (own, calls): (Vec<_>, Vec<_>) = left.into_iter().partition(|entry| entry.is_own);
        let live: Vec<_> = calls.iter().copied().filter(|entry| entry.is_live()).collect();
        if !live.iter().any(|entry| entry.request.can_elicit) {
            return Match::Unknown("no caller with an open call can be asked");
        }
        let first = live[0].request.asker;
        let is_one_person = calls.len() == 1
            || first.is_some() && calls.iter().all(|entry| entry.request.asker == first);
        match live.len() {
            _ if !is_one_person && calls.len() > live.len() => Match::Unknown(
                "another caller no longer waits for a call to which the server has not responded",
            ),
            _ if !is_one_person => Match::Unknown("several callers have calls open"),
            1 if own.is_empty() => Match::Certain(Arc::clone(&live[0].request)),
            count if count > 1 && count <= *lock(&self.unmatched) => {
                Match::Unknown("there are as many questions as calls")
            }
            _ => Match::Open,
        }
    }

    /// Returns the request that a question is about, over a transport that does not specify it. A guess could show a
    /// user's question to another user.
    pub(crate) async fn match_question(&self, server: &str) -> Option<Arc<OpenRequest>> {
        self.one_by_one.store(true, Ordering::Release);
        let at_first = self.request_ids();
        *lock(&self.unmatched) += 1;
        let _unmatched = UnmatchedQuestion(self);
        let certain = async {
            loop {
                let changed = self.changed.notified();
                match self.match_to_request(&at_first) {
                    Match::Certain(request) => return Ok(request),
                    Match::Unknown(why) => return Err(why),
                    Match::Open => changed.await,
                }
            }
        };
        let matched = tokio::time::timeout(MATCH_TIMEOUT, certain).await;
        match matched.unwrap_or(Err("the other calls have no response yet")) {
            Ok(request) => Some(request),
            Err(why) => {
                let warnings = self.warnings.count_warning()?;
                tracing::warn!(
                    server,
                    warnings,
                    why,
                    "declined a question from a server because it cannot be assigned to one of its calls, which are \
                     sent one at a time from now on; set `.on_elicit(..)` to answer such questions"
                );
                None
            }
        }
    }

    /// Waits for its turn if calls are sent one at a time.
    pub(crate) async fn wait_for_turn(&self) -> Option<AsyncGuard<'_, ()>> {
        match self.one_by_one.load(Ordering::Acquire) {
            true => Some(self.turns.lock().await),
            false => None,
        }
    }
}

/// Removes calls that were given up and that the server can no longer ask about.
fn remove_finished(entries: &mut Vec<InFlightEntry>) {
    // A caller may leave before there is anything to cancel.
    for left in entries.iter_mut().filter(|entry| !entry.is_live()) {
        left.given_up.get_or_insert_with(Instant::now);
    }
    entries.retain(|entry| entry.is_live() || entry.may_ask_on());
}

struct UnmatchedQuestion<'a>(&'a InFlight);

impl Drop for UnmatchedQuestion<'_> {
    fn drop(&mut self) {
        *lock(&self.0.unmatched) -= 1;
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
