//! Extracting: a run whose result is a typed value.

use std::future::IntoFuture;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::builder::Generate;
use super::chat::ChatTurn;
use super::stream::GenerateStream;
use crate::output_checks::OutputChecks;
use genkit_core::BoxFuture;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::internal::error::BoxError;
use genkit_core::internal::generate::error::Error as E;
use genkit_model::ChunkSink;
use genkit_schema::Schema;

/// A run whose result is a `T`, created by [`Generate::extract`] and [`ChatTurn::extract`]. It runs when awaited.
///
/// Awaiting it returns the value; [`with_response`](Self::with_response) also returns the response, with the history
/// and the usage; [`stream`](Self::stream) returns the chunks first.
///
/// ```
/// use genkit::testing::ScriptedModel;
///
/// #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
/// struct Dish { name: String, minutes: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::texts([
///     r#"{"name": "stew", "minutes": 120}"#,
///     r#"{"name": "soup", "minutes": 20}"#,
/// ]);
/// let run = genkit::generate("A quick dish?").model(model).extract::<Dish>();
/// let (dish, response) = run
///     .output_retries(2)
///     .validate(|dish| match dish.minutes {
///         ..=30 => Ok(()),
///         minutes => Err(format!("{minutes} minutes are not quick")),
///     })
///     .with_response()
///     .await?;
/// assert_eq!(dish.name, "soup");
/// assert_eq!(response.messages().len(), 4); // the prompt, the stew, the error, the soup
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the errors of [`Generate`], and an error if the run reaches the turn limit. Returns
/// [`InvalidArgument`](genkit_core::ErrorKind::InvalidArgument) if the output still does not match after the last
/// retry; the error reports the reason and holds the response. Returns
/// [`FailedPrecondition`](genkit_core::ErrorKind::FailedPrecondition) if the run is interrupted; continue with
/// [`Generate::resume`] and the response in the error.
#[must_use = "a run begins when it is awaited: add `.await`, or `.run()` for a future, or `.stream()`"]
pub struct Extract<'a, T> {
    asks: Asks<'a>,
    checks: OutputChecks,
    /// Reads the value. A function pointer, because with bounds on `T` at `IntoFuture`, the compiler would report each
    /// error twice.
    read: fn(&GenerateResponse) -> Result<T>,
}

/// A type that [`Generate::extract`] and [`Generate::output`] can request: any type with `serde::Deserialize` and
/// `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a response",
    label = "not an output type",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for it",
    note = "if the type is shown as `!`, it was not specified; write `.extract::<Recipe>()`"
)]
pub trait OutputType: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> OutputType for T {}

impl Generate {
    /// Extracts a `T`. Awaiting the returned run returns the value, which matches the schema of `T` and has passed
    /// every validator. A response that does not match is sent back to the model with the reason, once by default: see
    /// [`output_retries`](Extract::output_retries).
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Dish { name: String, minutes: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::text(r#"{"name": "soup", "minutes": 20}"#);
    /// let dish = genkit::generate("A quick dish?").model(model).extract::<Dish>().await?;
    /// assert_eq!((dish.name.as_str(), dish.minutes), ("soup", 20));
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract<T: OutputType>(mut self) -> Extract<'static, T> {
        let checks = std::mem::take(&mut self.settings.output);
        Extract::new(Asks::Run(self.output::<T>()), checks)
    }
}

impl<'a> ChatTurn<'a> {
    /// Extracts a `T` from the response of this turn. Later turns are not affected.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::texts(["Hello!", "[1815, 1852]", "You are welcome."]);
    /// let mut chat = genkit::generate(()).model(model).chat();
    /// chat.send("I study Ada Lovelace.").await?;
    /// let years = chat.send("When did she live?").extract::<Vec<u32>>().await?;
    /// assert_eq!(years, [1815, 1852]);
    /// assert_eq!(chat.send("Thanks!").await?.text(), "You are welcome.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract<T: OutputType>(self) -> Extract<'a, T> {
        let checks = self.output_checks();
        Extract::new(Asks::Turn(self, genkit_schema::internal::input_of::<T>().into()), checks)
    }
}

/// The run to extract from: an independent run, or the next turn of a conversation.
enum Asks<'a> {
    Run(Generate),
    /// The next turn of a chat, with the schema, which applies to this turn only.
    Turn(ChatTurn<'a>, Schema),
}

impl<'a, T> Extract<'a, T> {
    fn new(asks: Asks<'a>, mut checks: OutputChecks) -> Self
    where
        T: DeserializeOwned,
    {
        checks.set_type::<T>();
        Self { asks, checks, read: read_value }
    }

    /// Sets the number of output retries: how many times a response that does not match is sent
    /// back to the model. Default is 1. Otherwise the same as [`Generate::output_retries`].
    pub fn output_retries(mut self, times: usize) -> Self {
        self.checks.set_retries(times);
        self
    }

    /// Adds an output validator, whose error is sent back to the model. Otherwise the same as [`Generate::validate`].
    pub fn validate<E: Into<BoxError>>(
        mut self,
        check: impl Fn(&T) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self
    where
        T: DeserializeOwned,
    {
        self.checks.add(check);
        self
    }

    /// Adds an asynchronous output validator. Otherwise the same as [`Generate::validate_async`].
    pub fn validate_async<Fut, E>(
        mut self,
        check: impl Fn(T) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        T: DeserializeOwned,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.checks.add_async(check);
        self
    }

    /// Runs the request and returns the value. Awaiting the [`Extract`] does the same; this `async fn` is for
    /// `tokio::spawn` and `block_on`.
    ///
    /// # Errors
    /// See [`Extract`].
    pub async fn run(self) -> Result<T> {
        self.with_response().await.map(|(value, _)| value)
    }

    /// Runs the request, and returns the response in addition to the value.
    ///
    /// # Errors
    /// See [`Extract`].
    pub async fn with_response(self) -> Result<(T, GenerateResponse)> {
        let read = self.read;
        let response = self.start_run(ChunkSink::none()).await?;
        match read(&response) {
            Ok(value) => Ok((value, response)),
            Err(error) => Err(error.with_partial(response)),
        }
    }

    /// Starts the run and returns a stream of its chunks. [`GenerateStream::output`] returns the value received so far;
    /// the value of the final response matches the schema. Each retry is marked by a chunk:
    /// [`GenerateChunk::output_retry`](genkit_core::GenerateChunk::output_retry).
    pub fn stream(self) -> GenerateStream<'a> {
        let format = match &self.asks {
            Asks::Run(run) => run.output_format(),
            Asks::Turn(..) => None, // JSON, whatever the format of the conversation
        };
        GenerateStream::new(format, |chunks| self.start_run(chunks))
    }

    fn start_run(self, chunks: ChunkSink) -> BoxFuture<'a, Result<GenerateResponse>> {
        let Self { asks, checks, .. } = self;
        match asks {
            Asks::Run(mut run) => {
                run.settings.output = checks;
                // A run that ends at the turn limit has no value.
                run.settings.fail_on_max_turns = true;
                run.begin_run(chunks)
            }
            Asks::Turn(turn, schema) => turn.start_extracting(Some((schema, checks)), chunks),
        }
    }
}

/// Reads the value of a finished run.
fn read_value<T: DeserializeOwned>(response: &GenerateResponse) -> Result<T> {
    if response.is_interrupted() {
        return Err(E::ExtractInterrupted.into());
    }
    if !response.tool_requests().is_empty() {
        return Err(E::ExtractWithCalls.into());
    }
    response.output()
}

genkit_core::becomes_a_future!(Extract<'a, T>, Result<T>, 'a, T);

impl<'a, T: 'a> IntoFuture for Extract<'a, T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<'a, Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Prints the counts that the run prints, never contents.
impl<T> std::fmt::Debug for Extract<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Extract");
        match &self.asks {
            Asks::Run(run) => shown.field("run", run),
            Asks::Turn(turn, _) => shown.field("turn", turn),
        };
        shown.finish_non_exhaustive()
    }
}
