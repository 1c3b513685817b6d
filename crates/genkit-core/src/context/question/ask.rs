//! Sends questions, with one mechanism for every kind of question and caller.

use super::answer::CallerAnswer;
use super::data::{Question, QuestionKind};
use crate::context::Context;
use crate::context::error::Error as E;
use crate::context::replay::LiveQuestion;
use crate::error::Result;
use genkit_untrusted::visible::Logged;

/// Returns the error for a question of a kind that the caller does not support.
pub fn unanswerable_error(kind: &QuestionKind) -> crate::error::Error {
    refuse_question(kind).into()
}

fn refuse_question(kind: &QuestionKind) -> E {
    match kind {
        QuestionKind::Approval { .. } => E::CannotApprove,
        other => E::MissingCapability(other.capability()),
    }
}

impl Context {
    /// Asks a question and returns the answer, decoded by `read`. The answer was recorded by an earlier run, arrives
    /// while the function waits, or arrives with the next run of the function.
    pub(super) async fn ask_question<R>(
        &self,
        key: Option<String>,
        kind: QuestionKind,
        read: impl Fn(CallerAnswer) -> Result<R, E>,
    ) -> Result<R> {
        self.ask_with(key, kind, false, read).await
    }

    /// Asks a question like [`ask_question`](Self::ask_question). If `takes_unasked` is set, also accepts an answer
    /// that arrived before the question was asked.
    pub(super) async fn ask_with<R>(
        &self,
        key: Option<String>,
        kind: QuestionKind,
        takes_unasked: bool,
        read: impl Fn(CallerAnswer) -> Result<R, E>,
    ) -> Result<R> {
        let parts = &self.0.parts;
        let capability = kind.capability();
        if !parts.caller.has_capability(capability) {
            return Err(refuse_question(&kind).into());
        }
        let asked = match (&parts.rounds, kind.canonical_text()) {
            (Some(rounds), asked) => rounds.identify_question(&asked),
            (None, asked) => asked,
        };
        let key = key.map(|key| self.scoped_key(&key).into_owned());
        let key = self.lock_replay().question_key(key, &asked);
        let not_fit = |error: E| {
            // The client's answer is not valid for this question, so the question is sent again.
            tracing::debug!(
                key = %Logged::name(&key), error = %Logged::text(&error),
                "an answer does not match its question"
            );
        };
        let recorded = self.lock_replay().recorded_answer(&key, &asked);
        if let Some(answer) = recorded {
            let is_ours = || parts.rounds.as_ref().is_none_or(|rounds| rounds.claim_answers());
            let understood = read(answer).map_err(not_fit).ok();
            // If another request has claimed the answers first, the question stays open and the caller rejects the
            // round.
            if let Some(answer) = understood.filter(|_| is_ours()) {
                self.lock_replay().mark_used(key);
                return Ok(answer);
            }
        }
        let early = if takes_unasked { self.lock_replay().take_unasked(&key) } else { None };
        if let Some(answer) = early {
            match read(answer.clone()) {
                Ok(understood) => {
                    self.lock_replay().record_answer(key, asked, answer);
                    return Ok(understood);
                }
                Err(error) => not_fit(error),
            }
        }
        let question = Question { key, kind };
        if let Some(answering) = parts.caller.answer_question(&question) {
            let answer = {
                let _live = LiveQuestion::new(self.shared_replay());
                answering.await?
            };
            let understood = read(answer.clone())?;
            // A later question may make the function run again, and the function must then receive the same answer.
            self.lock_replay().record_answer(question.key.clone(), asked, answer);
            return Ok(understood);
        }
        self.lock_replay().open_question(question, asked);
        // The driver finds the open question, drops this future and runs the function again.
        std::future::pending().await
    }
}
