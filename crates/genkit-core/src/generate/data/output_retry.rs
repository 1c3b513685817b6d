//! Output retries: the mark in a stream that the model was asked again, and in a history.

use serde::{Deserialize, Serialize};

use crate::message::{Message, Role};
use crate::model::response::GenerateChunk;

/// Where a chunk says it, and the message with the reason.
const OUTPUT_RETRY: &str = "outputRetry";

/// Output retry: an answer did not fit, and the model is asked again. What the stream brought of the
/// message [`index`](Self::index) is void. Read it with [`GenerateChunk::output_retry`].
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
///         assert_eq!(stream.text(), ""); // it begins anew
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
    /// Which retry of the run it is, from 1.
    pub attempt: usize,
    /// Which of the produced messages does not fit: that of its chunks.
    pub index: usize,
    /// Reason why it does not fit, as the model is told.
    pub reason: String,
}

impl OutputRetry {
    #[doc(hidden)]
    pub fn new(attempt: usize, index: usize, reason: String) -> Self {
        Self { attempt, index, reason }
    }

    /// What the model is told.
    pub fn message(&self) -> Message {
        let why = self.reason.trim_end_matches('.');
        let text = format!("The answer does not fit: {why}. Give it again, all of it.");
        let mut message = Message::user(text);
        message.metadata.insert(OUTPUT_RETRY.to_owned(), self.attempt.into());
        message
    }

    /// What a stream is told: a chunk without content.
    pub fn chunk(&self) -> GenerateChunk {
        let told = serde_json::to_value(self).unwrap_or_default();
        GenerateChunk::new([])
            .with_role(Role::User)
            .with_index(self.index + 1)
            .with_custom(OUTPUT_RETRY, told)
    }
}

impl GenerateChunk {
    /// Output retry, if that is what this chunk tells: what came of the answer before it is void. Such a
    /// chunk has no content.
    pub fn output_retry(&self) -> Option<OutputRetry> {
        serde_json::from_value(self.custom.get(OUTPUT_RETRY)?.clone()).ok()
    }
}
