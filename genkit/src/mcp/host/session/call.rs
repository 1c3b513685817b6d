//! A request that is under way, as what comes in meanwhile finds it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{NumberOrString, ProgressToken, RequestId};
use tokio::sync::{mpsc, oneshot};

use crate::context::Progress;
use crate::mcp::host::input::elicit::{ElicitAnswer, ElicitRequest};
use crate::sync::lock;

/// How many signals may wait for a caller; progress above it is dropped.
const SIGNALS: usize = 64;

/// What a server sends while it works on a request.
pub(crate) enum Signal {
    /// How far it is.
    Progress(Progress),
    /// A question to whoever called; dropping the sender is no answer.
    Asked(ElicitRequest, oneshot::Sender<ElicitAnswer>),
}

/// A request that is under way. It rides in the request's extensions, so that it is known before
/// the request is written.
pub(crate) struct Call {
    /// The tool, prompt or resource, as the server names it.
    pub(crate) of: String,
    /// Whether whoever called can be asked.
    pub(crate) askable: bool,
    signals: mpsc::Sender<Signal>,
    /// A question of the server waits for whoever called.
    asked: AtomicBool,
    last_progress: Mutex<f64>,
}

impl Call {
    pub(crate) fn new(of: &str, askable: bool) -> (Self, mpsc::Receiver<Signal>) {
        let (signals, receiver) = mpsc::channel(SIGNALS);
        let call = Self {
            of: of.to_owned(),
            askable,
            signals,
            asked: AtomicBool::new(false),
            last_progress: Mutex::new(f64::NEG_INFINITY),
        };
        (call, receiver)
    }

    /// Hands on how far it is; progress must grow, and what does not is not passed on.
    pub(crate) fn progressed(&self, progress: Progress) -> bool {
        let mut last = lock(&self.last_progress);
        if progress.done.is_nan() || progress.done <= *last {
            return false;
        }
        *last = progress.done;
        let _ = self.signals.try_send(Signal::Progress(progress));
        true
    }

    /// Puts a question to whoever called; `None` if they went away.
    pub(crate) async fn ask(&self, question: ElicitRequest) -> Option<ElicitAnswer> {
        let (sender, receiver) = oneshot::channel();
        self.asked.store(true, Ordering::Release);
        let _done = Asked(&self.asked);
        self.signals.send(Signal::Asked(question, sender)).await.ok()?;
        receiver.await.ok()
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }
}

struct Asked<'a>(&'a AtomicBool);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The requests of a connection that are not answered yet, in the order in which they went out.
#[derive(Default)]
pub(crate) struct Calls(Vec<Entry>);

struct Entry {
    id: RequestId,
    token: Option<ProgressToken>,
    call: std::sync::Arc<Call>,
}

impl Calls {
    pub(crate) fn add(
        &mut self,
        id: RequestId,
        token: Option<ProgressToken>,
        call: std::sync::Arc<Call>,
    ) {
        self.0.push(Entry { id, token, call });
    }

    pub(crate) fn remove(&mut self, id: &RequestId) -> bool {
        let at = self.0.iter().position(|entry| same(&entry.id, id));
        at.map(|at| self.0.remove(at)).is_some()
    }

    pub(crate) fn by_id(&self, id: &RequestId) -> Option<std::sync::Arc<Call>> {
        self.0.iter().find(|entry| entry.id == *id).map(|entry| entry.call.clone())
    }

    pub(crate) fn by_token(&self, token: &ProgressToken) -> Option<std::sync::Arc<Call>> {
        let of = |entry: &&Entry| entry.token.as_ref().is_some_and(|t| same(&t.0, &token.0));
        self.0.iter().find(of).map(|entry| entry.call.clone())
    }

    /// Those of which a server may be asking something now, the oldest first.
    pub(crate) fn that_may_ask(&self) -> Vec<std::sync::Arc<Call>> {
        let free = self.0.iter().filter(|entry| !entry.call.is_asked());
        free.map(|entry| entry.call.clone()).collect()
    }
}

/// Some servers give a number back as text.
fn same(a: &NumberOrString, b: &NumberOrString) -> bool {
    match (a, b) {
        (NumberOrString::Number(n), NumberOrString::String(s))
        | (NumberOrString::String(s), NumberOrString::Number(n)) => s.parse() == Ok(*n),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn progress_grows_or_is_dropped() {
        let (call, mut signals) = Call::new("t", false);
        for done in [1.0, 3.0, 2.0, f64::NAN, 3.0, 4.0] {
            call.progressed(Progress::new(done));
        }
        let mut seen = Vec::new();
        while let Ok(Signal::Progress(progress)) = signals.try_recv() {
            seen.push(progress.done);
        }
        assert_eq!(seen, [1.0, 3.0, 4.0]);
    }

    #[test]
    fn an_id_that_comes_back_as_text_is_the_same() {
        let mut calls = Calls::default();
        let call = Arc::new(Call::new("t", false).0);
        calls.add(RequestId::Number(7), None, call);
        assert!(calls.remove(&RequestId::String("7".into())));
        assert!(!calls.remove(&RequestId::Number(7)));
    }
}
