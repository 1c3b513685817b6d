//! One connection of the protocol: what its client settled, and which requests of either side are open.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{ClientDescription, Session};
use crate::error::Error as E;
use genkit_core::internal::sync::lock;

/// How many requests of one connection may be open at once, those that wait for nothing but a list
/// included. Default is 4,096.
pub(crate) const MAX_OPEN_REQUESTS: usize = 4096;

/// What the client of a session settled, and what is open on both sides.
#[derive(Default)]
pub(crate) struct Connection(Mutex<State>);

#[derive(Default)]
struct State {
    handshake: Handshake,
    client: Option<Arc<ClientDescription>>,
    /// Requests of the client that are not answered.
    running: HashMap<RequestId, Running>,
    /// Questions of the server that are not answered.
    questions: BTreeMap<i64, oneshot::Sender<Answer>>,
    /// The last number that a request of either side was given here.
    last: i64,
    /// Nobody is there any more who could answer.
    closed: bool,
}

struct Running {
    number: i64,
    cancel: CancellationToken,
}

/// How far a connection is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Handshake {
    /// No request has settled what is spoken.
    #[default]
    Waiting,
    /// Requests describe themselves: they need no handshake.
    Described,
    /// `initialize` settled this version.
    Initialized(ProtocolVersion),
    /// There is none: a request of HTTP without a session, of the version that its header names.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "a pipe has one"))]
    Without(ProtocolVersion),
}

/// The answer of a client to a question: the JSON of its result, or its error.
pub(crate) type Answer = Result<Box<str>, ErrorData>;

/// A request of the client that runs, until it is dropped.
pub(crate) struct OpenRequest {
    session: Arc<Session>,
    id: RequestId,
    number: i64,
}

/// A question of the server that is open, until it is dropped.
pub(crate) struct OpenQuestion {
    session: Arc<Session>,
    id: i64,
    answer: oneshot::Receiver<Answer>,
}

impl Connection {
    /// That of a request which stands by itself.
    #[cfg(any(feature = "http", test))]
    pub(crate) fn without_handshake(version: ProtocolVersion) -> Self {
        let state = State { handshake: Handshake::Without(version), ..State::default() };
        Self(Mutex::new(state))
    }

    /// Numbers questions from a random one on: an answer to what another instance asked is none to what this one
    /// asks. JSON has 53 bits for it.
    #[cfg(feature = "http")]
    pub(crate) fn number_at_random(&self) {
        let mut bytes = [0; 8];
        super::random::fill(&mut bytes);
        let [b0, b1, b2, b3, b4, b5, ..] = bytes;
        self.state().last = i64::from_le_bytes([b0, b1, b2, b3, b4, b5, 0, 0]) << 4;
    }

    /// Whether a question of this id waits for its answer here.
    #[cfg(feature = "http")]
    pub(crate) fn asks(&self, id: &RequestId) -> bool {
        matches!(id, RequestId::Number(id) if self.state().questions.contains_key(id))
    }

    pub(crate) fn handshake(&self) -> Handshake {
        self.state().handshake.clone()
    }

    /// What the client said of itself in the handshake.
    pub(crate) fn client(&self) -> Option<Arc<ClientDescription>> {
        self.state().client.clone()
    }

    /// A handshake settles the session, also after requests that described themselves: what describes
    /// itself still may, and everything else is of the session.
    pub(crate) fn initialize(&self, version: ProtocolVersion, client: ClientDescription) {
        let mut state = self.state();
        // Over HTTP without sessions nothing is kept.
        if !matches!(state.handshake, Handshake::Without(_)) {
            state.handshake = Handshake::Initialized(version);
            state.client = Some(Arc::new(client));
        }
    }

    /// A request that described itself was taken.
    pub(crate) fn described(&self) {
        let mut state = self.state();
        if state.handshake == Handshake::Waiting {
            state.handshake = Handshake::Described;
        }
    }

    /// Cancels a request of the client: it is not answered.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let running = self.state().running.remove(id);
        if let Some(running) = running {
            running.cancel.cancel();
        }
    }

    /// Takes the answer to a question; one to no question is dropped.
    pub(crate) fn answer(&self, id: &RequestId, answer: Answer) {
        let RequestId::Number(id) = id else { return };
        let waiting = self.state().questions.remove(id);
        if let Some(waiting) = waiting {
            // Who asked may have given up.
            let _ = waiting.send(answer);
        }
    }

    /// Nobody answers any more: what asks goes on at once, without an answer.
    pub(crate) fn no_more_answers(&self) {
        let mut state = self.state();
        state.closed = true;
        let questions = std::mem::take(&mut state.questions);
        drop(state);
        drop(questions);
    }

    /// Cancels everything that runs.
    pub(crate) fn cancel_all(&self) {
        let running = std::mem::take(&mut self.state().running);
        for running in running.into_values() {
            running.cancel.cancel();
        }
    }

    /// Whether a request of the client has this id and is not answered.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.state().running.contains_key(id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl OpenRequest {
    /// Takes an id that no open request of the client has.
    pub(crate) fn new(
        session: &Arc<Session>,
        id: &RequestId,
        cancel: &CancellationToken,
    ) -> Result<Self, E> {
        let mut state = session.connection.state();
        if state.running.contains_key(id) {
            return Err(E::IdInUse);
        }
        if state.running.len() >= MAX_OPEN_REQUESTS {
            return Err(E::TooManyRunning(MAX_OPEN_REQUESTS));
        }
        state.last += 1;
        let number = state.last;
        state.running.insert(id.clone(), Running { number, cancel: cancel.clone() });
        drop(state);
        Ok(Self { session: Arc::clone(session), id: id.clone(), number })
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Ends it: whether the client still waits for its answer.
    pub(crate) fn finish(self) -> bool {
        self.take()
    }

    /// The id may be in use again, where this one was cancelled.
    fn take(&self) -> bool {
        let mut state = self.session.connection.state();
        let own = state.running.get(&self.id).is_some_and(|open| open.number == self.number);
        own && state.running.remove(&self.id).is_some()
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.take();
    }
}

impl OpenQuestion {
    pub(crate) fn new(session: &Arc<Session>) -> Result<Self, E> {
        let mut state = session.connection.state();
        if state.closed {
            return Err(E::ClientGone);
        }
        state.last += 1;
        let id = state.last;
        let (sender, answer) = oneshot::channel();
        state.questions.insert(id, sender);
        drop(state);
        Ok(Self { session: Arc::clone(session), id, answer })
    }

    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// Waits for the answer; an error is the end of the connection.
    pub(crate) async fn answer(&mut self) -> Result<Answer, E> {
        (&mut self.answer).await.map_err(|_| E::ClientGone)
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.session.connection.state().questions.remove(&self.id);
    }
}
