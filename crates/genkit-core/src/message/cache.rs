//! The cache breakpoint: the end of the prompt prefix that a provider caches for the next request.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Message, Part};

/// Genkit's metadata key for the breakpoint.
const CACHE_CONTROL: &str = "cache_control";

/// The cache duration that providers use by default.
const USUAL: Duration = Duration::from_secs(5 * 60);

impl Part {
    /// Sets a cache breakpoint on the part: the provider caches the prompt up to the end of this part, for five minutes
    /// after each use. Later requests that start with the same prompt cost less.
    ///
    /// Anthropic accepts at most 4 breakpoints in a request; if there are more, the first breakpoints of the
    /// conversation are ignored. Providers that cache automatically need no breakpoints. A breakpoint on the system
    /// message also caches the tools, which precede it.
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

    /// Sets a cache breakpoint on the part, with a duration. Anthropic supports five minutes and
    /// one hour, and any duration over five minutes selects one hour.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let part = genkit::Part::text("a book").with_cache_for(Duration::from_secs(3600));
    /// assert_eq!(part.metadata()["cache_control"]["ttl"], "1h");
    /// ```
    #[must_use]
    pub fn with_cache_for(mut self, time: Duration) -> Self {
        set_cache_breakpoint(self.metadata_mut(), time);
        self
    }
}

impl Message {
    /// Sets a cache breakpoint at the end of the message. See [`Part::with_cache`].
    ///
    /// ```
    /// let message = genkit::Message::user("a long question").with_cache();
    /// assert_eq!(message.metadata["cache_control"]["type"], "ephemeral");
    /// ```
    #[must_use]
    pub fn with_cache(self) -> Self {
        self.with_cache_for(USUAL)
    }

    /// Sets a cache breakpoint at the end of the message, with a duration. See [`Part::with_cache_for`].
    #[must_use]
    pub fn with_cache_for(mut self, time: Duration) -> Self {
        set_cache_breakpoint(&mut self.metadata, time);
        self
    }
}

/// Writes a breakpoint into metadata.
pub fn set_cache_breakpoint(metadata: &mut Map<String, Value>, time: Duration) {
    let mut mark = json!({ "type": "ephemeral" });
    if time > USUAL {
        mark["ttl"] = "1h".into();
    }
    metadata.insert(CACHE_CONTROL.to_owned(), mark);
}

/// Returns the breakpoint in metadata, if there is one.
pub fn cache_breakpoint(metadata: &Map<String, Value>) -> Option<&Value> {
    metadata.get(CACHE_CONTROL).filter(|mark| mark.is_object())
}
