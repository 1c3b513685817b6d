//! One handle for everything that a function may ask of its caller.

mod caller;
mod drive;
mod panics;
mod question;
mod recording;
mod typemap;

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{BoxError, Error, ErrorKind, Result};

pub(crate) use caller::{Answering, Caller, Nobody, Telling};
pub(crate) use drive::supervise;
pub(crate) use drive::{Ended, drive};
pub(crate) use question::{Need, Question, QuestionKind, approved};
pub(crate) use recording::Recording;
pub(crate) use typemap::TypeMap;

pub use caller::{ClientInfo, Level, Progress};
pub use question::{Elicit, Elicited, Root, Roots, Sample, SampleRequest, Sampled};

/// What a function may ask of whoever called it.
///
/// Take it as `ctx: &Context`. It is the same type whoever calls: the generate loop, an MCP
/// client, a flow, a test.
///
/// ```
/// use genkit::{Context, Result, tool};
///
/// /// Imports lines of text.
/// #[tool]
/// async fn import(ctx: &Context, lines: Vec<String>) -> Result<usize> {
///     let total = lines.len() as f64;
///     for (i, line) in lines.iter().enumerate() {
///         ctx.progress((i as f64, total)).await;
///         // … save the line …
///         # let _ = line;
///     }
///     ctx.info("imported").await;
///     Ok(lines.len())
/// }
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    caller: Arc<dyn Caller>,
    states: TypeMap,
    values: TypeMap,
    meta: Map<String, Value>,
    cancel: CancellationToken,
    started: Instant,
    limit: Option<Duration>,
    asking: Mutex<recording::Asking>,
    chunks: Option<ChunkSink>,
    approval: Option<String>,
    #[cfg(feature = "mcp-http")]
    extensions: axum::http::Extensions,
}

/// The key of the question that `needs_approval` asks.
pub(crate) const APPROVAL_KEY: &str = "approve";

/// Where chunks go.
pub(crate) type ChunkSink = Arc<dyn Fn(Value) + Send + Sync>;

/// A context in the making; each reader of the registry makes its own.
pub(crate) struct ContextParts {
    pub(crate) caller: Arc<dyn Caller>,
    pub(crate) states: TypeMap,
    pub(crate) values: TypeMap,
    pub(crate) meta: Map<String, Value>,
    pub(crate) cancel: CancellationToken,
    pub(crate) limit: Option<Duration>,
    pub(crate) recording: Recording,
    pub(crate) chunks: Option<ChunkSink>,
    /// What the user must approve once the arguments are read and before the function runs.
    pub(crate) approval: Option<String>,
    /// What HTTP layers left on the request.
    #[cfg(feature = "mcp-http")]
    pub(crate) extensions: axum::http::Extensions,
}

impl Default for ContextParts {
    fn default() -> Self {
        Self {
            caller: Arc::new(Nobody),
            states: TypeMap::default(),
            values: TypeMap::default(),
            meta: Map::new(),
            cancel: CancellationToken::new(),
            limit: None,
            recording: Recording::default(),
            chunks: None,
            approval: None,
            #[cfg(feature = "mcp-http")]
            extensions: axum::http::Extensions::new(),
        }
    }
}

impl ContextParts {
    pub(crate) fn build(self) -> Context {
        Context(Arc::new(Inner {
            caller: self.caller,
            states: self.states,
            values: self.values,
            meta: self.meta,
            cancel: self.cancel,
            started: Instant::now(),
            limit: self.limit,
            asking: Mutex::new(recording::Asking::new(self.recording)),
            chunks: self.chunks,
            approval: self.approval,
            #[cfg(feature = "mcp-http")]
            extensions: self.extensions,
        }))
    }
}

impl Context {
    /// A context without a caller, for unit tests of functions that take one: progress and logs
    /// go nowhere, questions fail.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Says hello.
    /// #[tool]
    /// async fn hello(ctx: &Context, name: String) -> String {
    ///     ctx.info("greeting").await;
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// assert_eq!(hello(&Context::detached(), "Ada".into()).await, "Hello, Ada!");
    /// # }
    /// ```
    pub fn detached() -> Self {
        ContextParts::default().build()
    }

    /// Whether the caller gave up.
    ///
    /// ```
    /// assert!(!genkit::Context::detached().is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }

    /// Resolves when the caller gives up. The function itself is dropped then; this is for work
    /// that it handed to others.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Begins a search in the background.
    /// #[tool]
    /// async fn search(ctx: &Context, words: String) -> String {
    ///     let ctx = ctx.clone();
    ///     tokio::spawn(async move {
    ///         tokio::select! {
    ///             () = ctx.cancelled() => {} // stop
    ///             () = std::future::pending() => {} // … the search …
    ///         }
    ///     });
    ///     format!("searching for {words}")
    /// }
    /// ```
    pub async fn cancelled(&self) {
        self.0.cancel.cancelled().await;
    }

    /// How much of its time limit is left; `None` without a limit. Time in which a person is
    /// asked does not count.
    ///
    /// ```
    /// use genkit::{Context, tool};
    /// use std::time::Duration;
    ///
    /// /// Sums up, in as many steps as there is time for.
    /// #[tool(timeout = "10s")]
    /// async fn sum(ctx: &Context, numbers: Vec<f64>) -> f64 {
    ///     let enough = |left: Duration| left > Duration::from_millis(100);
    ///     numbers.iter().take_while(|_| ctx.time_left().is_none_or(enough)).sum()
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let ctx = Context::detached(); // without a limit
    /// assert_eq!(ctx.time_left(), None);
    /// assert_eq!(sum(&ctx, vec![1.0, 2.0]).await, 3.0);
    /// # }
    /// ```
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.0.limit?.saturating_sub(self.spent()))
    }

    /// Tells the caller how far the work is: `done`, `(done, total)`, or a [`Progress`].
    ///
    /// A caller that did not ask for progress gets none.
    ///
    /// ```
    /// use genkit::{Context, Progress};
    ///
    /// async fn read(ctx: &Context) {
    ///     ctx.progress(1.0).await; // one of nobody knows how many
    ///     ctx.progress((2.0, 3.0)).await; // two of three
    ///     ctx.progress(Progress::new(3.0).total(3.0).message("read all")).await;
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// read(&Context::detached()).await; // nobody sees it
    /// # }
    /// ```
    pub async fn progress(&self, progress: impl Into<Progress>) {
        self.0.caller.progress(progress.into()).await;
    }

    /// Sends a log message of `level` to the caller, if it wants that level.
    ///
    /// `data` is any JSON; text is usual. This is MCP's logging; `tracing` stays yours.
    ///
    /// ```
    /// use genkit::{Context, Level};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let ctx = Context::detached();
    /// ctx.log(Level::Debug, json!({"rows": 3})).await;
    /// ctx.info("three rows").await;
    /// ctx.warn("the third row is empty").await;
    /// # }
    /// ```
    pub async fn log(&self, level: Level, data: impl Into<Value>) {
        self.0.caller.log(level, data.into()).await;
    }

    /// [`log`](Self::log) at [`Level::Info`].
    pub async fn info(&self, data: impl Into<Value>) {
        self.log(Level::Info, data).await;
    }

    /// [`log`](Self::log) at [`Level::Warning`].
    pub async fn warn(&self, data: impl Into<Value>) {
        self.log(Level::Warning, data).await;
    }

    /// [`log`](Self::log) at [`Level::Debug`].
    pub async fn debug(&self, data: impl Into<Value>) {
        self.log(Level::Debug, data).await;
    }

    /// [`log`](Self::log) at [`Level::Error`].
    pub async fn error(&self, data: impl Into<Value>) {
        self.log(Level::Error, data).await;
    }

    /// A value of this request by its type: what an HTTP layer or `.context(..)` put there.
    ///
    /// ```
    /// struct User(String);
    /// assert!(genkit::Context::detached().get::<User>().is_none());
    /// ```
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let value = self.0.values.get();
        #[cfg(feature = "mcp-http")]
        let value = value.or_else(|| self.0.extensions.get());
        value
    }

    /// State by its type: what `.state(value)` gave. `&T` as a parameter is the same, checked
    /// at start-up.
    ///
    /// ```
    /// use genkit::{Context, Genkit, Registry, flow, flows};
    ///
    /// struct Shop(String);
    ///
    /// /// The name of the shop, if there is one.
    /// #[flow]
    /// async fn shop(ctx: &Context) -> Option<String> {
    ///     ctx.state::<Shop>().map(|shop| shop.0.clone())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let shops = Genkit::builder()
    ///     .registry(Registry::new().add(flows![shop]))
    ///     .state(Shop("Apples".into()))
    ///     .build()?;
    /// assert_eq!(shops.run_flow("shop", serde_json::json!({})).await?, "Apples");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.states.get()
    }

    /// The request's `_meta`, as the client sent it.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Says which trace the call belongs to.
    /// #[tool]
    /// async fn trace(ctx: &Context) -> Option<String> {
    ///     Some(ctx.meta().get("traceparent")?.as_str()?.to_owned())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// assert_eq!(trace(&Context::detached()).await, None);
    /// # }
    /// ```
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }

    /// Who calls, if it said so.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Greets the program that calls.
    /// #[tool]
    /// async fn greet(ctx: &Context) -> String {
    ///     match ctx.client() {
    ///         Some(client) => format!("Hello, {} {}!", client.name, client.version),
    ///         None => "Hello, stranger!".to_owned(),
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// assert_eq!(greet(&Context::detached()).await, "Hello, stranger!");
    /// # }
    /// ```
    pub fn client(&self) -> Option<ClientInfo> {
        self.0.caller.client()
    }

    /// Tells subscribers that the resource at `uri` has new content.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Changes a note.
    /// #[tool]
    /// async fn change(ctx: &Context, id: u64, text: String) {
    ///     // … save the text …
    ///     # let _ = text;
    ///     ctx.resource_updated(format!("note://{id}"));
    /// }
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.0.caller.resource_updated(uri.into());
    }

    /// Asks the user for a `T`: an object of plain fields (text, numbers, booleans, enums).
    ///
    /// ```
    /// use genkit::{Context, Elicited, Result, tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name { name: String }
    ///
    /// /// Greets the user.
    /// #[tool]
    /// async fn greet(ctx: &Context) -> Result<String> {
    ///     Ok(match ctx.elicit::<Name>("What is your name?").await? {
    ///         Elicited::Accepted(answer) => format!("Hello, {}!", answer.name),
    ///         Elicited::Declined | Elicited::Cancelled => "Hello, stranger!".into(),
    ///     })
    /// }
    /// ```
    ///
    /// Where the caller can answer live the function waits. Where it cannot, the function is
    /// dropped here and run again with the answer: what must not happen twice goes through
    /// [`once`](Self::once). Ask from the function itself, not from a task that it spawned.
    pub fn elicit<T: DeserializeOwned + schemars::JsonSchema>(
        &self,
        message: impl Into<String>,
    ) -> Elicit<'_, T> {
        Elicit::new(self, message.into(), crate::schema::input_of::<T>())
    }

    /// Asks the user to fill in a form whose schema is written by hand; the answer is JSON.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    /// use serde_json::json;
    ///
    /// /// Asks for a colour.
    /// #[tool]
    /// async fn colour(ctx: &Context) -> Result<String> {
    ///     let form = json!({"type": "object", "properties": {"colour": {"type": "string"}}});
    ///     Ok(format!("{:?}", ctx.elicit_form("Which colour?", form).await?))
    /// }
    /// ```
    pub fn elicit_form(&self, message: impl Into<String>, schema: Value) -> Elicit<'_, Value> {
        Elicit::new(self, message.into(), schema)
    }

    /// Asks the user to allow what `message` says. `#[tool(needs_approval)]` does this before
    /// the body runs.
    ///
    /// ```
    /// use genkit::{Context, ErrorKind, Result, tool};
    ///
    /// /// Deletes notes.
    /// #[tool(destructive)]
    /// async fn delete(ctx: &Context, ids: Vec<u64>) -> Result<String> {
    ///     if ids.len() > 10 {
    ///         ctx.approve(format!("Delete {} notes?", ids.len())).await?;
    ///     }
    ///     Ok("deleted".into())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let nobody = Context::detached();
    /// assert_eq!(delete(&nobody, vec![1]).await?, "deleted");
    /// let error = delete(&nobody, (0..20).collect()).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody can be asked
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] where the user says no, and
    /// [`ErrorKind::FailedPrecondition`] where nobody can be asked.
    pub async fn approve(&self, message: impl Into<String>) -> Result<()> {
        self.approve_as(None, message.into()).await
    }

    async fn approve_as(&self, key: Option<String>, message: String) -> Result<()> {
        let kind = QuestionKind::Approve { message: message.clone() };
        let fits = move |answer| question::fits_approval(answer, &message);
        question::approved(&self.ask_for(key, kind, fits).await?)
    }

    /// The approval that the definition asks for, before the function runs.
    pub(crate) async fn approved_to_run(&self) -> Result<()> {
        match &self.0.approval {
            Some(message) => self.approve_as(Some(APPROVAL_KEY.to_owned()), message.clone()).await,
            None => Ok(()),
        }
    }

    /// Borrows the client's model: `ctx.sample("Summarize: …").await?.text()`.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Translates with the client's own model.
    /// #[tool]
    /// async fn translate(ctx: &Context, text: String) -> Result<String> {
    ///     Ok(ctx.sample(format!("Translate to French: {text}")).max_tokens(500).await?.text())
    /// }
    /// ```
    pub fn sample(&self, request: impl Into<SampleRequest>) -> Sample<'_> {
        Sample::new(self, request.into())
    }

    /// Asks the client which folders it works in.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Lists the folders that the client works in.
    /// #[tool(read_only)]
    /// async fn folders(ctx: &Context) -> Result<Vec<String>> {
    ///     Ok(ctx.roots().await?.into_iter().map(|root| root.uri).collect())
    /// }
    /// ```
    pub fn roots(&self) -> Roots<'_> {
        Roots::new(self)
    }

    /// Whether the caller can be asked [`elicit`](Self::elicit) and [`approve`](Self::approve).
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Saves a note, and asks before it replaces one where somebody can be asked.
    /// #[tool]
    /// async fn save(ctx: &Context, text: String) -> Result<String> {
    ///     if ctx.can_elicit() {
    ///         ctx.approve("Replace the note?").await?;
    ///     }
    ///     Ok(text)
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let nobody = Context::detached();
    /// assert!(!nobody.can_elicit() && !nobody.can_sample() && !nobody.can_list_roots());
    /// assert_eq!(save(&nobody, "milk".into()).await?, "milk");
    /// # Ok(())
    /// # }
    /// ```
    pub fn can_elicit(&self) -> bool {
        self.0.caller.can(Need::Elicitation)
    }

    /// Whether the caller lends its model to [`sample`](Self::sample).
    pub fn can_sample(&self) -> bool {
        self.0.caller.can(Need::Sampling)
    }

    /// Whether the caller tells its [`roots`](Self::roots).
    pub fn can_list_roots(&self) -> bool {
        self.0.caller.can(Need::Roots)
    }

    /// Does `work` once, however often the function is run again for answers: its result is
    /// recorded under `key` and replayed.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// async fn charge(cents: u32) -> Result<String> { Ok(format!("receipt for {cents}")) }
    ///
    /// /// Buys something and asks for an address.
    /// #[tool]
    /// async fn buy(ctx: &Context, cents: u32) -> Result<String> {
    ///     let receipt: String = ctx.once("charge", charge(cents)).await?;
    ///     ctx.approve("Send the parcel to the usual address?").await?;
    ///     Ok(receipt)
    /// }
    /// ```
    ///
    /// The record travels with the question (signed, not encrypted): keep secrets out of it.
    ///
    /// # Errors
    /// What `work` fails with; a failure is not recorded. [`ErrorKind::Internal`] if the result
    /// does not serialize, or a recorded one does not read as `T`.
    pub async fn once<T, E>(
        &self,
        key: &str,
        work: impl Future<Output = std::result::Result<T, E>>,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        E: Into<BoxError>,
    {
        if let Some(recorded) = self.asking().recorded(key) {
            return serde_json::from_value(recorded).map_err(|e| {
                let said = format!("the recorded result of `{key}` does not read as this type");
                Error::new(ErrorKind::Internal, said).with_source(e)
            });
        }
        // While this runs the driver does not drop the function for a question beside it.
        let _busy = recording::Busy::new(&self.0.asking);
        let done = work.await.map_err(Error::from_failure)?;
        let record = serde_json::to_value(&done).map_err(|e| {
            let said = format!("the result of `{key}` does not serialize to JSON");
            Error::new(ErrorKind::Internal, said).with_source(e)
        })?;
        self.asking().record(key, record);
        Ok(done)
    }

    pub(crate) async fn chunk(&self, chunk: Value) {
        match &self.0.chunks {
            Some(sink) => sink(chunk),
            None => self.0.caller.chunk(chunk).await,
        }
    }

    /// What an earlier run did under `key`.
    pub(crate) fn recorded(&self, key: &str) -> Option<Value> {
        self.asking().recorded(key)
    }

    /// Keeps what was done under `key` for a later run.
    pub(crate) fn record(&self, key: &str, done: Value) {
        self.asking().record(key, done);
    }

    pub(crate) fn cancellation(&self) -> &CancellationToken {
        &self.0.cancel
    }

    fn asking(&self) -> std::sync::MutexGuard<'_, recording::Asking> {
        recording::lock(&self.0.asking)
    }

    /// How long the function has run, without the time in which somebody was asked.
    fn spent(&self) -> Duration {
        self.0.started.elapsed().saturating_sub(self.asking().paused())
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}
