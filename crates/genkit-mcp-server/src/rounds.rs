//! The rounds of a request in protocol 2026-07-28: the questions sent to the client, and its answers.

use std::sync::{Arc, Mutex};

use rmcp::model::InputResponses;
use serde::Serialize;
use serde_json::{Map, Value};

use super::caller::input_request;
use super::error::Error as E;
use super::session::{KeyIndex, OpenedState, StateBinding, StateNumber};
use super::state::SharedState;
use genkit_core::Result;
use genkit_core::internal::context::{CallerAnswer, Question, Recording, Rounds};
use genkit_core::internal::sync::lock;

/// One round of a request. It resumes from a state that only one request can claim.
pub(super) struct Round {
    shared: Arc<SharedState>,
    binding: StateBinding,
    /// The number of the state in the request.
    number: Option<StateNumber>,
    key: KeyIndex,
    claim: Mutex<Claim>,
}

/// Questions as a result, serialized as rmcp's type expects.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputRequired {
    result_type: &'static str,
    input_requests: Map<String, Value>,
    request_state: String,
}

/// The owner of the answers to a state.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Open,
    Ours,
    OfAnother,
}

impl Round {
    /// Opens the state in the request and validates its answers.
    ///
    /// # Errors
    /// Returns an error if the state is invalid for this request.
    pub(super) fn begin_round(
        shared: &Arc<SharedState>,
        binding: StateBinding,
        state: Option<&str>,
        responses: Option<InputResponses>,
    ) -> Result<(Self, Recording), E> {
        let (mut recording, number, key) = match state {
            Some(state) => {
                let OpenedState { recording, number, key } =
                    shared.sealer.open_state(state, &binding)?;
                (recording, Some(number), key)
            }
            None => (Recording::default(), None, KeyIndex::default()),
        };
        for (key, answer) in responses.unwrap_or_default() {
            let answer = CallerAnswer::from_json(answer);
            if number.is_none() {
                recording.unasked.insert(key, answer);
            } else if recording.asked.contains_key(&key) && !recording.answers.contains_key(&key) {
                // Accept answers only to questions that were asked, and keep the first answer to each.
                recording.answers.insert(key, answer);
            }
        }
        let shared = Arc::clone(shared);
        Ok((Self { shared, binding, number, key, claim: Mutex::new(Claim::Open) }, recording))
    }

    /// Returns whether another request claimed this state first.
    pub(super) fn is_taken(&self) -> bool {
        *lock(&self.claim) == Claim::OfAnother
    }

    /// Builds the result that contains the questions of a run, and the state for the next round.
    pub(super) fn input_required(
        &self,
        questions: Vec<Question>,
        mut recording: Recording,
    ) -> Result<InputRequired> {
        let mut requests = Map::new();
        for Question { key, kind } in questions {
            // A context does not record the questions of middleware.
            let asked = recording.asked.entry(key.clone());
            asked.or_insert_with(|| self.identify_question(&kind.canonical_text()));
            requests.insert(key, input_request(&kind)?);
        }
        // If no answer was used, the questions are unchanged. Reuse the number, so that they can be answered only
        // once.
        let again = self.number.filter(|_| *lock(&self.claim) == Claim::Open);
        let number = again.unwrap_or_else(|| self.shared.sealer.new_number());
        let state = self.shared.sealer.seal_state(&recording, number, self.key, &self.binding)?;
        Ok(InputRequired {
            result_type: "input_required",
            input_requests: requests,
            request_state: state,
        })
    }
}

impl Rounds for Round {
    fn identify_question(&self, question: &str) -> String {
        self.shared.sealer.digest_question(question, self.key)
    }

    fn claim_answers(&self) -> bool {
        let Some(number) = self.number else { return true };
        let mut claim = lock(&self.claim);
        if *claim == Claim::Open {
            let is_ours = self.shared.sealer.claim_number(number);
            *claim = if is_ours { Claim::Ours } else { Claim::OfAnother };
        }
        *claim == Claim::Ours
    }
}
