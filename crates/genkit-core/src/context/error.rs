//! The errors of contexts: questions, recorded results, time limits.

use std::time::Duration;

use serde_json::json;

use super::capability::Capability;
use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "the caller does not have the `{}` capability; connect a client that supports it", .0.name()
    )]
    MissingCapability(Capability),
    #[error(
        "the call needs approval, and the caller does not have the `elicitation` capability; connect a client that \
         supports it, or let the server decide with `.approval_fallback(..)`"
    )]
    CannotApprove,
    #[error(
        "the form asks for a secret in the field `{0}`; use `ctx.elicit_url(..)`, because answers to forms pass \
         through the client and its model"
    )]
    SecretField(String),
    #[error(
        "`elicit_url` needs an absolute `https://` or `http://` URL of at most {max} bytes, without spaces or \
         control characters"
    )]
    InvalidUrl { max: usize },
    #[error("the user declined to answer")]
    Declined,
    #[error("the user dismissed the question")]
    QuestionDismissed,
    #[error("the user did not approve{}", reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    NotApproved { reason: Option<String> },
    #[error("the user dismissed the approval request")]
    ApprovalDismissed,
    #[error("the user's answer does not match the form: {0}")]
    Form(serde_json::Error),
    #[error("the user's answer does not match the form: {0}")]
    FormBounds(String),
    #[error("the answer to a form has no `action`; send `accept`, `decline` or `cancel`")]
    MissingAction,
    #[error("the answer belongs to another question")]
    OtherQuestion,
    #[error("the answer to a sampling request has no `content`")]
    MissingContent,
    #[error("the list of roots is malformed: {0}")]
    Roots(serde_json::Error),
    #[error("failed to deserialize the recorded result of `{key}`")]
    RecordedResult { key: String, source: serde_json::Error },
    #[error("failed to serialize the result of `{key}` to JSON")]
    Unserializable { key: String, source: serde_json::Error },
    #[error("`{0}` was cancelled")]
    Cancelled(String),
    #[error("`{0}` asked its caller a question, but this caller supports none")]
    UnsupportedQuestion(String),
    #[error(
        "the test has no answer for {question}; add `.answer(..)` to `Context::testing()`, or \
         `.answer_to(..)` for this key"
    )]
    MissingTestAnswer { question: String },
    #[error("the test's answer does not match {question}: {why}")]
    TestAnswer { question: String, why: String },
    #[error("the test declined {question}")]
    DeclinedByTest { question: String },
    #[error("`{name}` did not finish within {limit:?}; try a smaller request")]
    TooSlow { name: String, limit: Duration },
    #[error(
        "`{name}` panicked; see the program's log for details (reference \
         {reference})"
    )]
    Panicked { name: String, reference: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingCapability(_)
            | Self::CannotApprove
            | Self::UnsupportedQuestion(_)
            | Self::SecretField(_) => ErrorKind::FailedPrecondition,
            Self::MissingTestAnswer { .. } => ErrorKind::OutOfRange,
            Self::Declined
            | Self::NotApproved { .. }
            | Self::ApprovalDismissed
            | Self::DeclinedByTest { .. } => ErrorKind::PermissionDenied,
            Self::QuestionDismissed | Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Form(_)
            | Self::FormBounds(_)
            | Self::MissingAction
            | Self::OtherQuestion
            | Self::MissingContent
            | Self::TestAnswer { .. }
            | Self::InvalidUrl { .. }
            | Self::Roots(_) => ErrorKind::InvalidArgument,
            Self::TooSlow { .. } => ErrorKind::DeadlineExceeded,
            Self::RecordedResult { .. } | Self::Unserializable { .. } | Self::Panicked { .. } => {
                ErrorKind::Internal
            }
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            Self::MissingCapability(capability) => {
                Some(json!({ "requiredCapabilities": capability.to_json() }))
            }
            Self::CannotApprove => {
                Some(json!({ "requiredCapabilities": Capability::Elicitation.to_json() }))
            }
            _ => None,
        }
    }
}
