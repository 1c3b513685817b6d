//! The cache mark: up to where a provider keeps the prompt for the next request.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Message, Part};

/// Where the mark stands in metadata: Genkit's key.
const CACHE_CONTROL: &str = "cache_control";

/// The time that a provider keeps a prompt where none is said.
const USUAL: Duration = Duration::from_secs(5 * 60);

impl Part {
    /// Cache mark of the part: the provider keeps the prompt up to its end, for five minutes after each use, and
    /// later requests that begin with it cost less.
    ///
    /// Anthropic reads it, at most 4 in a request; with more the first of the conversation are left out. Providers
    /// that cache by themselves need no mark. A mark on the system message keeps the tools, too, which stand before
    /// it.
    ///
    /// ```
    /// use genkit::Part;
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let (book, model) = ("Call me Ishmael.", ScriptedModel::text("Ishmael"));
    /// let run = genkit::generate("Who speaks?").model(model).system(Part::text(book).with_cache());
    /// assert_eq!(run.await?.text(), "Ishmael");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_cache(self) -> Self {
        self.with_cache_for(USUAL)
    }

    /// Cache mark of the part, for as long: Anthropic has five minutes and an hour, and takes the hour for all that
    /// is longer than five minutes.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let part = genkit::Part::text("a book").with_cache_for(Duration::from_secs(3600));
    /// assert_eq!(part.metadata()["cache_control"]["ttl"], "1h");
    /// ```
    #[must_use]
    pub fn with_cache_for(mut self, time: Duration) -> Self {
        put_cache_mark(self.metadata_mut(), time);
        self
    }
}

impl Message {
    /// Cache mark at the end of the message. See [`Part::with_cache`].
    ///
    /// ```
    /// let message = genkit::Message::user("a long question").with_cache();
    /// assert_eq!(message.metadata["cache_control"]["type"], "ephemeral");
    /// ```
    #[must_use]
    pub fn with_cache(self) -> Self {
        self.with_cache_for(USUAL)
    }

    /// Cache mark at the end of the message, for as long. See [`Part::with_cache_for`].
    #[must_use]
    pub fn with_cache_for(mut self, time: Duration) -> Self {
        put_cache_mark(&mut self.metadata, time);
        self
    }
}

/// Writes a mark.
pub fn put_cache_mark(metadata: &mut Map<String, Value>, time: Duration) {
    let mut mark = json!({ "type": "ephemeral" });
    if time > USUAL {
        mark["ttl"] = "1h".into();
    }
    metadata.insert(CACHE_CONTROL.to_owned(), mark);
}

/// The mark in metadata, if there is one.
pub fn cache_mark(metadata: &Map<String, Value>) -> Option<&Value> {
    metadata.get(CACHE_CONTROL).filter(|mark| mark.is_object())
}
