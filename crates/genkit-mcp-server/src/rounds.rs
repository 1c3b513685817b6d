//! Rounds of a request of the 2026-07-28 protocol: what the client was asked, and what it answers.

use std::sync::{Arc, Mutex};

use rmcp::model::InputResponses;
use serde::Serialize;
use serde_json::{Map, Value};

use super::caller::input_request;
use super::error::Error as E;
use super::session::{KeyIndex, Opened, StateBinding, StateNumber};
use super::state::SharedState;
use genkit_core::Result;
use genkit_core::internal::context::{CallerAnswer, Question, Recording, Rounds};
use genkit_core::internal::sync::lock;

/// One round: the state that it goes on from, which only one request may answer.
pub(super) struct Round {
    shared: Arc<SharedState>,
    binding: StateBinding,
    /// That of the state that came with the request.
    number: Option<StateNumber>,
    key: KeyIndex,
    claim: Mutex<Claim>,
}

/// Questions as a result, as rmcp's type has them that reads what servers say.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputRequired {
    result_type: &'static str,
    input_requests: Map<String, Value>,
    request_state: String,
}

/// Whose the answers to a state are.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Open,
    Ours,
    OfAnother,
}

impl Round {
    /// Reads what the request says of earlier rounds.
    ///
    /// # Errors
    /// The state is none that this request may go on from.
    pub(super) fn begin(
        shared: &Arc<SharedState>,
        binding: StateBinding,
        state: Option<&str>,
        responses: Option<InputResponses>,
    ) -> Result<(Self, Recording), E> {
        let (mut recording, number, key) = match state {
            Some(state) => {
                let Opened { recording, number, key } = shared.sealer.open(state, &binding)?;
                (recording, Some(number), key)
            }
            None => (Recording::default(), None, KeyIndex::default()),
        };
        for (key, answer) in responses.unwrap_or_default() {
            let answer = CallerAnswer::from_json(answer);
            if number.is_none() {
                recording.unasked.insert(key, answer);
            } else if recording.asked.contains_key(&key) && !recording.answers.contains_key(&key) {
                // What was answered stays answered, and only what was asked can be.
                recording.answers.insert(key, answer);
            }
        }
        let shared = Arc::clone(shared);
        Ok((Self { shared, binding, number, key, claim: Mutex::new(Claim::Open) }, recording))
    }

    /// Whether another request answered the state of this one first.
    pub(super) fn is_taken(&self) -> bool {
        *lock(&self.claim) == Claim::OfAnother
    }

    /// The questions of a run as a result, with the state that the next round goes on from.
    pub(super) fn input_required(
        &self,
        questions: Vec<Question>,
        mut recording: Recording,
    ) -> Result<InputRequired> {
        let mut requests = Map::new();
        for Question { key, kind } in questions {
            // A question of middleware was asked by no context.
            let asked = recording.asked.entry(key.clone());
            asked.or_insert_with(|| self.know(&kind.canonical()));
            requests.insert(key, input_request(&kind)?);
        }
        // Where nothing was answered the questions are those of before, and are answered once.
        let again = self.number.filter(|_| *lock(&self.claim) == Claim::Open);
        let number = again.unwrap_or_else(|| self.shared.sealer.new_number());
        let state = self.shared.sealer.seal(&recording, number, self.key, &self.binding)?;
        Ok(InputRequired {
            result_type: "input_required",
            input_requests: requests,
            request_state: state,
        })
    }
}

impl Rounds for Round {
    fn know(&self, question: &str) -> String {
        self.shared.sealer.digest(question, self.key)
    }

    fn claim(&self) -> bool {
        let Some(number) = self.number else { return true };
        let mut claim = lock(&self.claim);
        if *claim == Claim::Open {
            let is_ours = self.shared.sealer.claim(number);
            *claim = if is_ours { Claim::Ours } else { Claim::OfAnother };
        }
        *claim == Claim::Ours
    }
}
