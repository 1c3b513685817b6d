//! Invocations: a prompt, a resource or a flow that the program itself runs.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error as E;
use crate::context::{Context, ContextParts, TypeMap, run_within, supervise_run};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::run_store::short_hash;

type Work<T> = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<T>> + Send>;

/// An invocation of an action by the program itself, ready to run. Created by
/// [`Prompt::render`](crate::action::Prompt::render), [`Resource::read`](crate::action::Resource::read) and
/// [`Flow::run`](crate::action::Flow::run). Await it to get the result.
///
/// ```
/// use genkit::{Prompt, prompt};
/// use serde_json::json;
///
/// struct House { style: &'static str }
///
/// /// Asks for a letter.
/// #[prompt]
/// async fn letter(house: &House, to: String) -> String {
///     format!("Write a {} letter to {to}.", house.style)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let reply = Prompt::of::<letter>()
///     .render(json!({"to": "Ada"}))
///     .state(House { style: "formal" })
///     .await?;
/// assert_eq!(reply.messages()[0].text(), "Write a formal letter to Ada.");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns `InvalidArgument` if the input is invalid, `FailedPrecondition` if required state is missing or the function
/// asks a question and no [`context`](Self::context) is set, and otherwise the error from the function.
#[must_use = "an invocation only runs when awaited; add `.await`"]
pub struct Invocation<T> {
    name: String,
    work: Work<T>,
    parts: ContextParts,
    context: Option<Context>,
    /// Distinguishes this invocation from others of the same action inside a durable call.
    input_hash: Option<String>,
}

impl<T: Send + 'static> Invocation<T> {
    /// Creates an invocation that runs `work` for the action `name`.
    #[doc(hidden)]
    pub fn new<F, Fut>(name: &str, work: F) -> Self
    where
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let work: Work<T> = Box::new(move |context| Box::pin(work(context)));
        Self {
            name: name.to_owned(),
            work,
            parts: ContextParts::default(),
            context: None,
            input_hash: None,
        }
    }

    pub(super) fn with_input_hash(mut self, hash: Option<String>) -> Self {
        self.input_hash = hash;
        self
    }

    /// Sets the action's own time limit.
    #[doc(hidden)]
    pub fn with_limit(mut self, limit: Option<Duration>) -> Self {
        self.parts.limit = limit;
        self
    }

    /// Adds a state value, which is injected into a parameter of type `&S`.
    pub fn state<S: Send + Sync + 'static>(mut self, value: S) -> Self {
        self.parts.states.insert(value);
        self
    }

    /// Adds an extension: a value of this call, which the function reads with
    /// [`Context::extension`](crate::context::Context::extension).
    pub fn extension<S: Send + Sync + 'static>(mut self, value: S) -> Self {
        self.parts.values.insert(value);
        self
    }

    /// Sets the action context: a map that belongs to the request. The function reads it with
    /// [`Context::action_context`](crate::context::Context::action_context) and templates read it as `@key`. Default is
    /// the action context of the calling function.
    pub fn action_context(mut self, context: Map<String, Value>) -> Self {
        self.parts.action_context = Arc::new(context);
        self
    }

    /// Sets the calling context, to run the action from inside another function. The action then shares that function's
    /// state, caller and limits, and its questions go to that caller.
    pub fn context(mut self, context: &Context) -> Self {
        self.context = Some(context.clone());
        self
    }

    /// Sets the parts that a server derives from a request.
    #[doc(hidden)]
    pub fn with_parts(mut self, make: impl FnOnce(&mut ContextParts)) -> Self {
        make(&mut self.parts);
        self
    }

    /// Sets the program's state. Values set with [`state`](Self::state) take precedence.
    #[doc(hidden)]
    pub fn states(mut self, states: &TypeMap) -> Self {
        self.parts.states = states.with(&self.parts.states);
        self
    }
}

impl Invocation<Value> {
    /// Streams the flow: passes each chunk to `on_chunk` when it is sent.
    ///
    /// ```
    /// use genkit::{Chunks, Flow, Result, flow};
    /// use std::sync::{Arc, Mutex};
    ///
    /// /// Counts.
    /// #[flow]
    /// async fn count(chunks: &Chunks<u32>, to: u32) -> Result<u32> {
    ///     for i in 1..=to { chunks.send(i).await?; }
    ///     Ok(to)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let sink = Arc::clone(&seen);
    /// let run = Flow::of::<count>().run(serde_json::json!({"to": 2}));
    /// run.on_chunk(move |chunk| sink.lock().unwrap().push(chunk)).await?;
    /// assert_eq!(*seen.lock().unwrap(), [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_chunk(mut self, on_chunk: impl Fn(Value) + Send + Sync + 'static) -> Self {
        self.parts.chunks = Some(Arc::new(on_chunk));
        self
    }
}

crate::becomes_a_future!(Invocation<T>, Result<T>, T);

impl<T: Send + 'static> IntoFuture for Invocation<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<'static, Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { name, work, mut parts, context, input_hash } = self;
        Box::pin(async move {
            let running = Context::running();
            if let (None, Some(running)) = (&context, &running)
                && running.is_durable()
            {
                let limit = parts.limit;
                let key = input_hash.map_or_else(|| name.clone(), |hash| format!("{name}~{hash}"));
                let inner = running.nested_context(&key, parts);
                let work = inner.run_work(work(inner.clone()));
                return run_within(running, &name, limit, work).await;
            }
            if let Some(context) = context {
                let limit = parts.limit;
                let inner = context.with_parts(parts);
                let work = inner.run_work(work(inner.clone()));
                return run_within(&context, &name, limit, work).await;
            }
            if let Some(running) = running {
                parts.inherit(&running);
            }
            let context = parts.build();
            supervise_run(&context, &name, work(context.clone())).await
        })
    }
}

impl<T> std::fmt::Debug for Invocation<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the hash of an input, if a durable call runs its action.
pub(super) fn durable_input_hash(input: &Result<Value>) -> Option<String> {
    Context::running().filter(Context::is_durable)?;
    Some(short_hash(&input.as_ref().ok()?.to_string()))
}

/// Serializes the input of an action to JSON.
pub(super) fn to_arguments(given: impl Serialize) -> Result<Value> {
    Ok(genkit_schema::internal::to_finite_value(given)
        .map_err(|why| E::Arguments(why.to_string()))?)
}
