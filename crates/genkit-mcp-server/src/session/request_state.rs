//! Request state: the questions and completed work of a function, signed because the client stores the state and
//! sends it back.
//!
//! In protocol 2026-07-28 the client echoes the state that it received. Any server instance with the same key can
//! resume from it. An instance rejects a state that was already answered on this instance.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answered_states::{AnsweredStates, StateNumber};
use super::random_bytes;
use crate::error::Error as E;
use genkit_core::internal::context::Recording;
use genkit_core::internal::seal::{MIN_KEY, Seal, SealError};
use genkit_core::internal::sync::lock;
use genkit_schema::internal::canonical::canonical;

/// The time that a question of the 2026-07-28 protocol can stay open. Default is 1 hour.
pub(super) const STATE_TTL: Duration = Duration::from_secs(3600);

/// The domain separator of request states, unique among all uses of the same key.
const DOMAIN: &[u8] = b"genkit/request-state/1\0";

/// The maximum size of a sealed state, in bytes; it is sent in every round. Default is 256 KiB.
const MAX_STATE: usize = 256 * 1024;

/// The context for digests of questions. It cannot collide with the binding of a request, which begins with a length.
const QUESTION: &[u8] = b"question\0";

/// Signs and verifies request states.
pub(crate) struct StateSealer {
    /// The keys. New states are sealed with the first; all keys are tried to open a state.
    keys: Vec<Seal>,
    /// A random number that distinguishes this instance from others with the same key.
    instance: u64,
    next: AtomicU64,
    answered: Mutex<AnsweredStates>,
}

/// The request that a state is bound to. The state can only be opened for the same request.
pub(crate) struct StateBinding(Vec<u8>);

/// The index of the key with which a call started. The call continues to use this key, because the key also
/// identifies its questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyIndex(usize);

/// The contents of an opened state.
#[derive(Debug)]
pub(crate) struct OpenedState {
    pub(crate) recording: Recording,
    pub(crate) number: StateNumber,
    pub(crate) key: KeyIndex,
}

/// The serialized contents of a state.
#[derive(Serialize, Deserialize)]
struct Sealed<R> {
    #[serde(rename = "s")]
    number: StateNumber,
    #[serde(rename = "r")]
    recording: R,
}

impl StateBinding {
    pub(crate) fn new(method: &str, name: &str, arguments: &Value, principal: &str) -> Self {
        let mut bytes = Vec::new();
        for piece in [method, name, &canonical(arguments), principal] {
            bytes.extend_from_slice(&(piece.len() as u64).to_be_bytes());
            bytes.extend_from_slice(piece.as_bytes());
        }
        Self(bytes)
    }
}

impl StateSealer {
    /// Creates a sealer with the given keys, or with a random key of this process if there are none.
    pub(crate) fn new(keys: &[Vec<u8>]) -> Self {
        let keys = match keys {
            [] => vec![Seal::new(process_key(), DOMAIN)],
            keys => keys.iter().map(|key| Seal::new(key, DOMAIN)).collect(),
        };
        let instance = u64::from_ne_bytes(random_bytes());
        Self { keys, instance, next: AtomicU64::new(0), answered: Mutex::default() }
    }

    /// Returns the number for a state with new questions.
    pub(crate) fn new_number(&self) -> StateNumber {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        StateNumber { instance: self.instance, number }
    }

    pub(crate) fn seal_state(
        &self,
        recording: &Recording,
        number: StateNumber,
        key: KeyIndex,
        binding: &StateBinding,
    ) -> Result<String, E> {
        let content = serde_json::to_vec(&Sealed { number, recording });
        let content = content.map_err(|source| E::StateUnserializable { source })?;
        let sealed = self.keys[key.0].seal_text(&content, &binding.0, STATE_TTL);
        if sealed.len() > MAX_STATE {
            return Err(E::StateTooLarge { size: sealed.len(), limit: MAX_STATE });
        }
        Ok(sealed)
    }

    /// Opens a state. Clients receive the same error for every rejected state; the log contains the reason.
    pub(crate) fn open_state(&self, state: &str, binding: &StateBinding) -> Result<OpenedState, E> {
        let refused = |why: &str| {
            tracing::info!(why, "rejected a requestState");
            E::InvalidState
        };
        if state.len() > MAX_STATE {
            return Err(refused("it is too large"));
        }
        let (key, content) = self.open_with_keys(state, &binding.0).map_err(|broken| {
            refused(match broken {
                SealError::Expired => "it expired",
                SealError::Forged => {
                    "it was modified, or belongs to another request, principal or key"
                }
                SealError::Malformed => "it was not issued by this server",
            })
        })?;
        let sealed = serde_json::from_slice::<Sealed<Recording>>(&content);
        let Sealed { number, recording } =
            sealed.map_err(|_| refused("it was issued by another version of this server"))?;
        if lock(&self.answered).has_number(number) {
            return Err(refused("it was already answered"));
        }
        Ok(OpenedState { recording, number, key })
    }

    fn open_with_keys(
        &self,
        state: &str,
        bound_to: &[u8],
    ) -> Result<(KeyIndex, Vec<u8>), SealError> {
        let mut why = SealError::Malformed;
        for (index, key) in self.keys.iter().enumerate() {
            match key.open_text(state, bound_to) {
                Ok(content) => return Ok((KeyIndex(index), content)),
                Err(SealError::Expired) => return Err(SealError::Expired),
                Err(broken) => why = broken,
            }
        }
        Err(why)
    }

    /// Marks a state as answered; returns `false` if it was already answered.
    pub(crate) fn claim_number(&self, number: StateNumber) -> bool {
        lock(&self.answered).insert_number(number)
    }

    /// Returns a digest that identifies a question. It is the same on all instances with the key, and does not reveal
    /// the question.
    pub(crate) fn digest_question(&self, question: &str, key: KeyIndex) -> String {
        self.keys[key.0].digest_text(QUESTION, question.as_bytes())
    }
}

impl fmt::Debug for StateSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateSealer(..)")
    }
}

/// Returns a random key of this process. Without a configured key, states do not outlive the process.
fn process_key() -> &'static [u8; MIN_KEY] {
    static KEY: OnceLock<[u8; MIN_KEY]> = OnceLock::new();
    KEY.get_or_init(random_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn binding(arguments: Value) -> StateBinding {
        StateBinding::new("tools/call", "buy", &arguments, "")
    }

    fn sealer(key: u8) -> StateSealer {
        StateSealer::new(&[vec![key; 32]])
    }

    #[test]
    fn state_opens_for_its_own_request_only() {
        let (sealer, other, stranger) = (sealer(7), sealer(7), sealer(8));
        let mut recording = Recording::default();
        recording.once.insert("charge".into(), json!("receipt"));
        let number = sealer.new_number();
        let state =
            sealer.seal_state(&recording, number, KeyIndex(0), &binding(json!({"a": 1, "b": 2})));
        let state = state.expect("small");
        let opened = other.open_state(&state, &binding(json!({"b": 2, "a": 1})));
        let opened = opened.expect("same key, same request");
        assert_eq!((opened.recording, opened.number), (recording, number));
        let tampered = format!("{}x", &state[..state.len() - 1]);
        let same = json!({"a": 1, "b": 2});
        let refused = [
            other.open_state(&state, &binding(json!({"a": 2, "b": 2}))),
            other.open_state(&tampered, &binding(same.clone())),
            other.open_state("nonsense", &binding(same.clone())),
            other.open_state(&"x".repeat(MAX_STATE + 1), &binding(same.clone())),
            stranger.open_state(&state, &binding(same)),
        ];
        for refused in refused {
            assert!(matches!(refused, Err(E::InvalidState)), "{refused:?}");
        }
    }

    #[test]
    fn state_that_was_answered_opens_no_more() {
        let sealer = sealer(7);
        let number = sealer.new_number();
        let asked_again =
            || sealer.seal_state(&Recording::default(), number, KeyIndex(0), &binding(json!({})));
        let (state, again) = (asked_again().expect("small"), asked_again().expect("small"));
        assert!(sealer.open_state(&state, &binding(json!({}))).is_ok());
        assert!(sealer.claim_number(number) && !sealer.claim_number(number));
        for state in [state, again] {
            let refused = sealer.open_state(&state, &binding(json!({})));
            assert!(matches!(refused, Err(E::InvalidState)), "{refused:?}");
        }
    }

    #[test]
    fn question_is_known_again_by_every_instance_with_the_key() {
        let (one, two, stranger) = (sealer(7), sealer(7), sealer(8));
        assert_eq!(
            one.digest_question("Pay 10?", KeyIndex(0)),
            two.digest_question("Pay 10?", KeyIndex(0))
        );
        assert_ne!(
            one.digest_question("Pay 10?", KeyIndex(0)),
            one.digest_question("Pay 1000?", KeyIndex(0))
        );
        assert_ne!(
            one.digest_question("Pay 10?", KeyIndex(0)),
            stranger.digest_question("Pay 10?", KeyIndex(0))
        );
        assert!(one.digest_question("Pay 10?", KeyIndex(0)).len() > 40);
    }

    #[test]
    fn call_ends_with_the_key_that_it_began_with() {
        let (old, new) = (sealer(7), sealer(8));
        let turned = StateSealer::new(&[vec![8; 32], vec![7; 32]]);
        let (number, request) = (old.new_number(), || binding(json!({})));
        let state = old.seal_state(&Recording::default(), number, KeyIndex(0), &request());
        let opened =
            turned.open_state(&state.expect("small"), &request()).expect("the previous key");
        assert_eq!(opened.key, KeyIndex(1));
        assert_eq!(
            turned.digest_question("Pay?", opened.key),
            old.digest_question("Pay?", KeyIndex(0))
        );
        let again = turned.seal_state(&opened.recording, number, opened.key, &request());
        assert!(old.open_state(&again.expect("small"), &request()).is_ok());
        let fresh =
            turned.seal_state(&Recording::default(), number, KeyIndex::default(), &request());
        let fresh = fresh.expect("small");
        assert!(
            new.open_state(&fresh, &request()).is_ok()
                && old.open_state(&fresh, &request()).is_err()
        );
    }
}
