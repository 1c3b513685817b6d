//! The typed results of questions: forms, sampling and roots.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::error::Error as E;
use crate::error::Result;

/// The result of an elicitation: the user's answer, or `Declined` or `Cancelled`.
///
/// ```
/// use genkit::Elicited;
///
/// fn words(answer: Elicited<u8>) -> String {
///     match answer {
///         Elicited::Accepted(days) => format!("{days} days"),
///         Elicited::Declined => "you would not say".into(),
///         Elicited::Cancelled => "you went away".into(),
///     }
/// }
/// assert_eq!(words(Elicited::Accepted(3)), "3 days");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user answered.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user dismissed the question.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the answer, or an error if the user gave no answer.
    ///
    /// # Errors
    /// Returns [`ErrorKind::PermissionDenied`](crate::error::ErrorKind::PermissionDenied) if the user declined, and
    /// [`ErrorKind::Cancelled`](crate::error::ErrorKind::Cancelled) if the user dismissed the question.
    ///
    /// ```
    /// use genkit::Elicited;
    ///
    /// assert_eq!(Elicited::Accepted(1).accepted()?, 1);
    /// assert!(Elicited::<u8>::Declined.accepted().is_err());
    /// # Ok::<(), genkit::Error>(())
    /// ```
    pub fn accepted(self) -> Result<T> {
        match self {
            Self::Accepted(answer) => Ok(answer),
            Self::Declined => Err(E::Declined.into()),
            Self::Cancelled => Err(E::QuestionDismissed.into()),
        }
    }
}

/// The result of a sampling request: the response from the client's model.
///
/// ```
/// use genkit::{Context, Result, tool};
///
/// /// Sums a text up.
/// #[tool]
/// async fn sum_up(ctx: &Context, text: String) -> Result<String> {
///     let reply = ctx.sample(format!("Sum up: {text}")).await?;
///     if reply.stop_reason() == Some("maxTokens") {
///         ctx.warn("the summary is cut").await;
///     }
///     Ok(format!("{} ({})", reply.text(), reply.model().unwrap_or("unknown")))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// The content of the response in MCP's JSON: one block, or several.
    content: Value,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Sampled {
    /// Returns the text of the response.
    pub fn text(&self) -> String {
        let content = &self.content;
        let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
        blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect()
    }

    /// Returns the name of the model that the client used.
    pub fn model(&self) -> Option<&str> {
        self.rest.get("model")?.as_str()
    }

    /// Returns the stop reason in MCP's terms: `endTurn`, `maxTokens`, ….
    pub fn stop_reason(&self) -> Option<&str> {
        self.rest.get("stopReason")?.as_str()
    }

    /// Returns whether the content has the form of one or more blocks.
    pub(super) fn has_blocks(&self) -> bool {
        self.content.is_object() || self.content.is_array()
    }
}
