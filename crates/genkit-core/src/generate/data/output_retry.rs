//! Output retries, as marked in a stream and in a history.

use serde::{Deserialize, Serialize};

use crate::message::{Message, Role};
use crate::model::response::GenerateChunk;

/// The key that marks a chunk, and the message with the reason, as an output retry.
const OUTPUT_RETRY: &str = "outputRetry";

/// An output retry: a response did not match the requested output, and the model is called again. Discard the chunks
/// received for the message [`index`](Self::index). Returned by [`GenerateChunk::output_retry`].
///
/// ```
/// use genkit::testing::ScriptedModel;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Dish { name: String, minutes: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::texts([r#"{"name": "soup"}"#, r#"{"name": "soup", "minutes": 20}"#]);
/// let mut stream = genkit::generate("A dish?").model(model).extract::<Dish>().stream();
/// let mut told = Vec::new();
/// while let Some(chunk) = stream.next().await {
///     if let Some(retry) = chunk?.output_retry() {
///         told.push(retry.reason);
///         assert_eq!(stream.text(), ""); // the text starts again
///     }
/// }
/// assert_eq!(told, ["missing field `minutes`"]);
/// assert_eq!(stream.response().await?.output::<Dish>()?.minutes, 20);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputRetry {
    /// The number of the retry in this run, starting at 1.
    pub attempt: usize,
    /// The index of the rejected message; its chunks have the same index.
    pub index: usize,
    /// The reason for the retry, as sent to the model.
    pub reason: String,
}

impl OutputRetry {
    #[doc(hidden)]
    pub fn new(attempt: usize, index: usize, reason: String) -> Self {
        Self { attempt, index, reason }
    }

    /// Creates the message that requests a corrected response from the model.
    #[doc(hidden)]
    pub fn retry_message(&self) -> Message {
        let why = self.reason.trim_end_matches('.');
        let text = format!("The output was rejected: {why}. Send the complete output again.");
        let mut message = Message::user(text);
        message.metadata.insert(OUTPUT_RETRY.to_owned(), self.attempt.into());
        message
    }

    /// Creates the chunk that reports the retry in a stream. The chunk has no content.
    #[doc(hidden)]
    pub fn retry_chunk(&self) -> GenerateChunk {
        let told = serde_json::to_value(self).unwrap_or_default();
        GenerateChunk::new([])
            .with_role(Role::User)
            .with_index(self.index + 1)
            .with_custom(OUTPUT_RETRY, told)
    }
}

impl GenerateChunk {
    /// Returns the output retry that this chunk reports, if any. A chunk that reports a retry has no content. Discard
    /// the earlier chunks of the rejected response.
    pub fn output_retry(&self) -> Option<OutputRetry> {
        serde_json::from_value(self.custom.get(OUTPUT_RETRY)?.clone()).ok()
    }
}
