//! The context of a call: how a function communicates with its caller.
//!
//! A function takes its [`Context`] as `ctx: &Context`. The context reports progress and logs, observes cancellation
//! and time limits, provides the state and the values of a request, and asks questions: a form ([`Context::elicit`]), a
//! page to visit ([`Context::elicit_url`]), an approval ([`Context::confirm`]), text from the client's model
//! ([`Context::sample`]), the client's folders ([`Context::roots`]).
//!
//! ```
//! use genkit::context::Progress;
//! use genkit::{Context, tool};
//!
//! /// Imports the rows of a file.
//! #[tool]
//! async fn import(ctx: &Context, rows: Vec<String>) -> usize {
//!     for (done, _row) in rows.iter().enumerate() {
//!         ctx.progress(Progress::new(done as f64)).await;
//!     }
//!     rows.len()
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! assert_eq!(import(&Context::detached(), vec!["a".to_owned()]).await, 1);
//! # }
//! ```

// Declared first, because rustdoc lists methods in the order of their declaration.
mod report;

mod question;

mod caller;
mod capability;
mod error;
mod journal;
mod once;
mod panics;
mod replay;
mod run_function;
mod sleep;
mod step;
mod suspended_runs;
mod suspension;
pub mod testing;
mod typemap;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use caller::NoCaller;
pub use caller::{Caller, QuestionChannel};
pub use capability::Capability;
pub use journal::Journal;
pub use question::MCP_TASK;
pub use question::unanswerable_error;
pub use question::{APPROVAL_KEY, Decision, UserAction};
pub use question::{CallerAnswer, Question, QuestionKind};
pub use replay::{Recording, Rounds};
pub use run_function::{Outcome, supervise_run};
pub use run_function::{drive_function, run_within};
pub use suspended_runs::{ExternalOperation, RunWait, SuspendedRuns};
pub use suspension::PendingWaits;
pub use typemap::TypeMap;

pub use caller::ClientInfo;
pub use question::{
    Elicit, ElicitForm, ElicitUrl, Elicited, Root, Roots, Sample, SampleRequest, Sampled,
};
pub use report::{LogLevel, Progress};

use self::replay::Replay;

/// The context of a call: how a function communicates with its caller.
///
/// Take it as `ctx: &Context`. The type is the same for every caller: the generate loop, an MCP client, a flow, a test.
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
pub struct Context(Arc<ContextState>, Option<Arc<str>>);

struct ContextState {
    parts: ContextParts,
    started: Instant,
    /// Shared with the actions that the function calls. Lazy, because most functions ask no questions.
    replay: OnceLock<Arc<Mutex<Replay>>>,
}

/// A callback that receives the chunks of a streamed result.
pub type OnChunk = Arc<dyn Fn(Value) + Send + Sync>;

/// The parts from which a context is built.
#[derive(Clone)]
pub struct ContextParts {
    pub caller: Arc<dyn Caller>,
    pub states: TypeMap,
    pub values: TypeMap,
    pub meta: Arc<Map<String, Value>>,
    /// The result of the context provider, shared by all calls of the request.
    pub action_context: Arc<Map<String, Value>>,
    pub cancel: CancellationToken,
    pub limit: Option<Duration>,
    pub recording: Option<Recording>,
    /// Set if the caller answers questions with a repeated call.
    pub rounds: Option<Arc<dyn Rounds>>,
    pub chunks: Option<OnChunk>,
    /// The journal that saves the results of `once`.
    pub journal: Option<Arc<dyn Journal>>,
    /// The prefix of the keys of a function that shares the journal of the function that called it.
    pub scope: Option<Arc<str>>,
    /// The text that the user must approve after the arguments are decoded and before the function runs.
    pub approval: Option<String>,
    /// Extensions that HTTP middleware added to the request.
    pub extensions: Arc<http::Extensions>,
    /// The server's values, used for types that the request itself has no value for.
    pub defaults: TypeMap,
    /// The [hash](genkit_untrusted::fair_share::hash_client) of the client whose share of the program's resources the
    /// function uses. `None` if the program itself calls the function.
    pub client: Option<u64>,
}

/// Shared, because most calls have no metadata.
static NO_META: LazyLock<Arc<Map<String, Value>>> = LazyLock::new(Arc::default);

impl Default for ContextParts {
    fn default() -> Self {
        Self::from_request(Arc::new(NoCaller), Arc::default(), CancellationToken::new())
    }
}

impl ContextParts {
    /// Inherits the action context and the state of the calling function, unless the parts already have them.
    pub(crate) fn inherit(&mut self, running: &Context) {
        let parts = &running.0.parts;
        self.client = self.client.or(parts.client);
        if self.action_context.is_empty() {
            self.action_context = Arc::clone(&parts.action_context);
        }
        if !self.states.has_instance() {
            self.states = parts.states.with(&self.states);
        }
    }

    /// Creates the parts of a call from `caller`. The other fields get defaults that are cheap to create, because most
    /// of them are replaced.
    pub fn from_request(
        caller: Arc<dyn Caller>,
        action_context: Arc<Map<String, Value>>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            caller,
            states: TypeMap::default(),
            values: TypeMap::default(),
            meta: Arc::clone(&NO_META),
            action_context,
            cancel,
            limit: None,
            recording: None,
            rounds: None,
            chunks: None,
            journal: None,
            scope: None,
            approval: None,
            extensions: Arc::default(),
            defaults: TypeMap::default(),
            client: None,
        }
    }

    pub fn build(mut self) -> Context {
        let replay = match self.recording.take() {
            Some(recording) => Arc::new(Mutex::new(Replay::new(recording))).into(),
            None => OnceLock::new(),
        };
        Context(Arc::new(ContextState { parts: self, started: Instant::now(), replay }), None)
    }
}

impl Context {
    /// Creates a context without a caller, for unit tests of functions that take a context. Progress and logs are
    /// discarded, and questions fail. [`Context::testing`] creates a context that answers questions.
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

    /// Returns whether the call was cancelled.
    ///
    /// ```
    /// assert!(!genkit::Context::detached().is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.0.parts.cancel.is_cancelled()
    }

    /// Waits until the call is cancelled. Cancellation drops the function itself; use this for work that it has
    /// spawned.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Starts a search in the background.
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
        self.0.parts.cancel.cancelled().await;
    }

    /// Returns the time left until the deadline, or `None` without a time limit. Time spent waiting for a user's answer
    /// does not count.
    ///
    /// ```
    /// use genkit::{Context, tool};
    /// use std::time::Duration;
    ///
    /// /// Adds numbers until the time is almost up.
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
        Some(self.0.parts.limit?.saturating_sub(self.time_spent()))
    }

    /// Returns the extension of type `T`: a value that HTTP middleware or `.extension(..)` added to this request. The
    /// parameter `#[arg(extension)] value: &T` is equivalent, but the call fails if there is no such value.
    ///
    /// ```
    /// struct User(String);
    /// assert!(genkit::Context::detached().extension::<User>().is_none());
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let value = self.0.parts.values.get();
        let value = value.or_else(|| self.0.parts.extensions.get());
        value.or_else(|| self.0.parts.defaults.get())
    }

    /// Returns the state of type `T` that `.state(value)` set, if any. A `&T` parameter is equivalent, and is checked
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
        self.0.parts.states.get()
    }

    /// Returns the request metadata (`_meta`) that the client sent.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Returns the trace that the call belongs to.
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
        &self.0.parts.meta
    }

    /// Returns the action context: a map that came with the request, for example with the signed-in user. The action
    /// context is set by the context provider of a flow server, by
    /// [`Invocation::action_context`](crate::action::Invocation::action_context) or by `Generate::action_context`.
    /// Templates read its entries as `@key`, for example `@auth`.
    ///
    /// ```
    /// use genkit::{Context, Flow, flow};
    /// use serde_json::json;
    ///
    /// /// Greets the signed-in user.
    /// #[flow]
    /// async fn hello(ctx: &Context) -> String {
    ///     format!("Hello, {}!", ctx.action_context()["auth"]["uid"].as_str().unwrap_or("stranger"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let signed_in = json!({"auth": {"uid": "ada"}}).as_object().cloned().unwrap();
    /// let run = Flow::of::<hello>().run(json!({})).action_context(signed_in);
    /// assert_eq!(run.await?, "Hello, ada!");
    /// # Ok(())
    /// # }
    /// ```
    pub fn action_context(&self) -> &Map<String, Value> {
        &self.0.parts.action_context
    }

    /// Returns the entry `auth` of the [action context](Self::action_context), where context providers store the
    /// caller's identity: `ctx.auth()["user"]`. Returns `Null` if there is no such entry, so indexing the result never
    /// panics.
    ///
    /// ```
    /// use genkit::{Context, Flow, flow};
    /// use serde_json::json;
    ///
    /// /// Greets the caller.
    /// #[flow]
    /// async fn greet(ctx: &Context) -> String {
    ///     format!("Hello, {}!", ctx.auth()["user"].as_str().unwrap_or("stranger"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let context = json!({"auth": {"user": "Ada"}}).as_object().cloned().unwrap();
    /// let greeting = Flow::of::<greet>().run(()).action_context(context).await?;
    /// assert_eq!(greeting, "Hello, Ada!");
    /// assert_eq!(Flow::of::<greet>().run(()).await?, "Hello, stranger!");
    /// # Ok(())
    /// # }
    /// ```
    pub fn auth(&self) -> &Value {
        self.action_context().get("auth").unwrap_or(&Value::Null)
    }

    /// Returns the client info (name and version of the calling program), if known.
    ///
    /// ```
    /// use genkit::{Context, tool};
    ///
    /// /// Greets the calling program.
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
        self.0.parts.caller.client_info()
    }

    /// Returns the requested URI, in a resource function. For a resource template, this is the expanded URI. Returns
    /// `None` in tools, prompts and flows.
    ///
    /// ```
    /// use genkit::testing::Client;
    /// use genkit::{Context, Genkit, Registry, Result, resource, resources};
    ///
    /// /// Returns a note by its number.
    /// #[resource("note://{id}")]
    /// async fn note(ctx: &Context, id: u64) -> String {
    ///     format!("note {id} at {}", ctx.uri().unwrap_or_default())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(resources![note])).build()?;
    /// let client = Client::connect(genkit.serve_mcp()).await?;
    /// let read = client.read_resource("note://7").await?;
    /// assert_eq!(read[0].as_text(), Some("note 7 at note://7"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn uri(&self) -> Option<&str> {
        self.1.as_deref()
    }

    /// Returns this context with `uri` as the URI of the resource being read.
    pub(crate) fn for_resource(&self, uri: &str) -> Self {
        Self(Arc::clone(&self.0), Some(uri.into()))
    }

    #[doc(hidden)]
    pub fn caller(&self) -> &dyn Caller {
        &*self.0.parts.caller
    }

    #[doc(hidden)]
    pub fn client_share(&self) -> Option<u64> {
        self.0.parts.client
    }

    #[doc(hidden)]
    pub fn question_channel(&self) -> Option<QuestionChannel> {
        self.0.parts.caller.question_channel()
    }

    pub(crate) fn cancellation(&self) -> &CancellationToken {
        &self.0.parts.cancel
    }

    #[doc(hidden)]
    pub fn shared_action_context(&self) -> &Arc<Map<String, Value>> {
        &self.0.parts.action_context
    }

    #[doc(hidden)]
    pub fn states(&self) -> &TypeMap {
        &self.0.parts.states
    }

    /// Creates the context of an action that this function calls. The new context has the same caller, recording and
    /// limits. The states, values, chunks and action context of `given` take precedence.
    #[doc(hidden)]
    pub fn with_parts(&self, given: ContextParts) -> Self {
        let ContextState { parts, started, .. } = &*self.0;
        let replay = Arc::clone(self.shared_replay()).into();
        let parts = ContextParts {
            caller: Arc::clone(&parts.caller),
            states: parts.states.with(&given.states),
            values: parts.values.with(&given.values),
            meta: Arc::clone(&parts.meta),
            action_context: if given.action_context.is_empty() {
                Arc::clone(&parts.action_context)
            } else {
                given.action_context
            },
            cancel: parts.cancel.clone(),
            limit: parts.limit,
            recording: None,
            rounds: parts.rounds.clone(),
            chunks: given.chunks.or_else(|| parts.chunks.clone()),
            journal: parts.journal.clone(),
            scope: given.scope.or_else(|| parts.scope.clone()),
            approval: None,
            extensions: Arc::clone(&parts.extensions),
            defaults: parts.defaults.clone(),
            client: parts.client,
        };
        Self(Arc::new(ContextState { parts, started: *started, replay }), None)
    }

    /// Creates a context without a caller, with the same states and values and the time limit `limit`.
    #[doc(hidden)]
    pub fn with_limit(&self, limit: Duration) -> Self {
        let parts = &self.0.parts;
        ContextParts {
            states: parts.states.clone(),
            values: parts.values.clone(),
            action_context: Arc::clone(&parts.action_context),
            cancel: parts.cancel.child_token(),
            limit: Some(limit),
            ..ContextParts::default()
        }
        .build()
    }

    fn lock_replay(&self) -> MutexGuard<'_, Replay> {
        crate::sync::lock(self.shared_replay())
    }

    fn shared_replay(&self) -> &Arc<Mutex<Replay>> {
        self.0.replay.get_or_init(|| Arc::new(Mutex::new(Replay::new(Recording::default()))))
    }

    /// Returns the replay, if it has been created.
    fn existing_replay(&self) -> Option<MutexGuard<'_, Replay>> {
        self.0.replay.get().map(|replay| crate::sync::lock(replay))
    }

    /// Returns how long the function has run, without the time spent waiting for answers.
    fn time_spent(&self) -> Duration {
        let paused = self.existing_replay().map_or(Duration::ZERO, |replay| replay.paused_time());
        self.0.started.elapsed().saturating_sub(paused)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}
