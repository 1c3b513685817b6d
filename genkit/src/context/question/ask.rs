//! Asking: one mechanism for every kind of question, whoever called.

use super::answer::CallerAnswer;
use super::data::{Question, QuestionKind};
use crate::context::Context;
use crate::context::error::Error as E;
use crate::context::replay::LiveQuestion;
use crate::error::Result;

/// The error of a question that the caller cannot be asked.
#[cfg(feature = "mcp-server")]
pub(crate) fn unanswerable(kind: &QuestionKind) -> crate::error::Error {
    E::CannotBeAsked(kind.capability()).into()
}

impl Context {
    /// The answer as `read` understands it: recorded, live, or after the function ran again.
    pub(super) async fn ask<R>(
        &self,
        key: Option<String>,
        kind: QuestionKind,
        read: impl Fn(CallerAnswer) -> Result<R, E>,
    ) -> Result<R> {
        let capability = kind.capability();
        if !self.0.parts.caller.can(capability) {
            return Err(E::CannotBeAsked(capability).into());
        }
        let key = self.replay().key(key);
        let recorded = self.replay().answer(&key);
        if let Some(answer) = recorded {
            match read(answer) {
                Ok(answer) => {
                    self.replay().used(key);
                    return Ok(answer);
                }
                // The client answered something else: the same question goes out again.
                Err(error) => tracing::debug!(%key, %error, "an answer does not fit its question"),
            }
        }
        let question = Question { key, kind };
        if let Some(answering) = self.0.parts.caller.answer(&question) {
            let answer = {
                let _live = LiveQuestion::new(&self.0.replay);
                answering.await?
            };
            let understood = read(answer.clone())?;
            // A later question may make the function run again, and it must hear the same.
            self.replay().answered(question.key.clone(), answer);
            return Ok(understood);
        }
        self.replay().open(question);
        // The driver sees the open question, drops this future and runs the function again.
        std::future::pending().await
    }
}
