//! The state of a connection: the result of its handshake, and the open requests of both sides.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{ClientDescription, Session};
use crate::error::Error as E;
use genkit_core::internal::sync::lock;

/// The maximum number of open requests per connection, including list requests. Default is 4,096.
pub(crate) const MAX_OPEN_REQUESTS: usize = 4096;

/// The result of a session's handshake, and the open requests of both sides.
#[derive(Default)]
pub(crate) struct Connection(Mutex<State>);

#[derive(Default)]
struct State {
    handshake: Handshake,
    client: Option<Arc<ClientDescription>>,
    /// The client's requests that are not yet answered.
    running: HashMap<RequestId, RunningRequest>,
    /// The server's questions that are not yet answered.
    questions: BTreeMap<i64, oneshot::Sender<Answer>>,
    /// The last number assigned to a request of either side.
    last: i64,
    /// Whether the client has disconnected, so that no more answers can arrive.
    closed: bool,
}

struct RunningRequest {
    number: i64,
    cancel: CancellationToken,
}

/// The progress of a connection's handshake.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Handshake {
    /// No request has determined the protocol yet.
    #[default]
    Waiting,
    /// Requests contain their own client description, so no handshake is needed.
    Described,
    /// `initialize` negotiated this version.
    Initialized(ProtocolVersion),
    /// An HTTP request without a session, with the version from its header.
    #[cfg_attr(not(feature = "http"), expect(unused, reason = "a pipe has a handshake"))]
    Without(ProtocolVersion),
}

/// A client's answer to a question: the JSON of its result, or its error.
pub(crate) type Answer = Result<Box<str>, ErrorData>;

/// A running request from the client; ends on drop.
pub(crate) struct OpenRequest {
    session: Arc<Session>,
    id: RequestId,
    number: i64,
}

/// An open question from the server; ends on drop.
pub(crate) struct OpenQuestion {
    session: Arc<Session>,
    id: i64,
    answer: oneshot::Receiver<Answer>,
}

impl Connection {
    /// Creates the connection of a request without a session.
    #[cfg(any(feature = "http", test))]
    pub(crate) fn without_handshake(version: ProtocolVersion) -> Self {
        let state = State { handshake: Handshake::Without(version), ..State::default() };
        Self(Mutex::new(state))
    }

    /// Starts the numbering of questions at a random number, so that an answer to another instance's question does not
    /// match a question of this instance. Uses at most 53 bits, the precision of JSON numbers.
    #[cfg(feature = "http")]
    pub(crate) fn number_at_random(&self) {
        let [b0, b1, b2, b3, b4, b5] = super::random_bytes();
        self.state().last = i64::from_le_bytes([b0, b1, b2, b3, b4, b5, 0, 0]) << 4;
    }

    /// Returns whether a question with this id waits for its answer on this connection.
    #[cfg(feature = "http")]
    pub(crate) fn has_question(&self, id: &RequestId) -> bool {
        matches!(id, RequestId::Number(id) if self.state().questions.contains_key(id))
    }

    pub(crate) fn handshake(&self) -> Handshake {
        self.state().handshake.clone()
    }

    /// Returns the client description from the handshake.
    pub(crate) fn client(&self) -> Option<Arc<ClientDescription>> {
        self.state().client.clone()
    }

    /// Records the result of a handshake, which can also follow self-describing requests. Later self-describing
    /// requests still use their own description; all others use that of the session.
    pub(crate) fn set_initialized(&self, version: ProtocolVersion, client: ClientDescription) {
        let mut state = self.state();
        // HTTP requests without a session have no state.
        if !matches!(state.handshake, Handshake::Without(_)) {
            state.handshake = Handshake::Initialized(version);
            state.client = Some(Arc::new(client));
        }
    }

    /// Records that a self-describing request was accepted.
    pub(crate) fn set_described(&self) {
        let mut state = self.state();
        if state.handshake == Handshake::Waiting {
            state.handshake = Handshake::Described;
        }
    }

    /// Cancels a request from the client; no response is sent.
    pub(crate) fn cancel_request(&self, id: &RequestId) {
        let running = self.state().running.remove(id);
        if let Some(running) = running {
            running.cancel.cancel();
        }
    }

    /// Delivers the answer to a question; ignores it if no question matches.
    pub(crate) fn deliver_answer(&self, id: &RequestId, answer: Answer) {
        let RequestId::Number(id) = id else { return };
        let waiting = self.state().questions.remove(id);
        if let Some(waiting) = waiting {
            // The function may have stopped waiting.
            let _ = waiting.send(answer);
        }
    }

    /// Ends all questions without an answer, because no more answers can arrive.
    pub(crate) fn end_questions(&self) {
        let mut state = self.state();
        state.closed = true;
        let questions = std::mem::take(&mut state.questions);
        drop(state);
        drop(questions);
    }

    /// Cancels all running requests.
    pub(crate) fn cancel_all(&self) {
        let running = std::mem::take(&mut self.state().running);
        for running in running.into_values() {
            running.cancel.cancel();
        }
    }

    /// Returns whether an open request from the client has this id.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.state().running.contains_key(id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl OpenRequest {
    /// Registers a request, if no open request from the client has the same id.
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
        state.running.insert(id.clone(), RunningRequest { number, cancel: cancel.clone() });
        drop(state);
        Ok(Self { session: Arc::clone(session), id: id.clone(), number })
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Ends the request; returns whether the client still waits for the response.
    pub(crate) fn finish_request(self) -> bool {
        self.remove_request()
    }

    /// Removes the request; returns whether it was open and not cancelled. After a cancellation, a newer request can
    /// have the same id.
    fn remove_request(&self) -> bool {
        let mut state = self.session.connection.state();
        let own = state.running.get(&self.id).is_some_and(|open| open.number == self.number);
        own && state.running.remove(&self.id).is_some_and(|open| !open.cancel.is_cancelled())
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.remove_request();
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

    /// Waits for the answer. Returns an error if the connection ends.
    pub(crate) async fn wait_for_answer(&mut self) -> Result<Answer, E> {
        (&mut self.answer).await.map_err(|_| E::ClientGone)
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.session.connection.state().questions.remove(&self.id);
    }
}
