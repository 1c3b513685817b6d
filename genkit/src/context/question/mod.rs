//! Questions to the caller (human in the loop, sampling, roots): one mechanism, whoever called.

mod answer;
mod approve;
mod elicit;
mod interrupt;
mod roots;
mod sample;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Context;
use super::error::Error as E;
use super::replay::LiveQuestion;
use crate::error::Result;

pub(crate) use answer::{CallerAnswer, Decision, UserAction};
pub(crate) use approve::APPROVAL_KEY;

pub use elicit::{Elicit, Elicited};
pub use roots::{Root, Roots};
pub use sample::{Sample, SampleRequest, Sampled};

/// A capability that a caller must have to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capability {
    Elicitation,
    Sampling,
    Roots,
}

impl Capability {
    #[cfg(feature = "mcp-server")]
    pub(crate) const ALL: [Self; 3] = [Self::Elicitation, Self::Sampling, Self::Roots];

    /// Its name in MCP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// A question with the key that its answer comes under; also as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) key: String,
    #[serde(flatten)]
    pub(crate) kind: QuestionKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum QuestionKind {
    /// A form for the user.
    Elicitation { message: String, schema: Value },
    /// Yes or no from the user.
    Approval { message: String },
    /// Anything, for whoever called `generate`.
    Interrupt { metadata: Value },
    /// Text from the client's model; it is asked at once and never stored.
    #[serde(skip)]
    Sampling(SampleRequest),
    /// The client's folders; they are asked for at once and never stored.
    #[serde(skip)]
    Roots,
}

impl QuestionKind {
    pub(crate) fn capability(&self) -> Capability {
        match self {
            Self::Elicitation { .. } | Self::Approval { .. } | Self::Interrupt { .. } => {
                Capability::Elicitation
            }
            Self::Sampling(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }
}

impl Context {
    /// The answer as `read` understands it: recorded, live, or after the function ran again.
    async fn ask<R>(
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
