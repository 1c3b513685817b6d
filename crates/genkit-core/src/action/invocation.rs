//! Invocations: a prompt, a resource or a flow that the program runs by itself.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error as E;
use crate::context::{Context, ContextParts, TypeMap, supervise, within};
use crate::error::Result;
use crate::future::BoxFuture;

type Work<T> = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<T>> + Send>;

/// Invocation of an action by the program itself, about to run: made by
/// [`Prompt::render`](crate::action::Prompt::render), [`Resource::read`](crate::action::Resource::read) and
/// [`Flow::run`](crate::action::Flow::run). Awaiting it gives the result.
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
/// `InvalidArgument` where what it is given does not fit, `FailedPrecondition` where nobody gave state
/// that it takes or where it asks something, which nobody here answers; and what the function fails
/// with.
#[must_use = "it runs when it is awaited: add `.await`"]
pub struct Invocation<T> {
    name: String,
    work: Work<T>,
    parts: ContextParts,
    context: Option<Context>,
}

impl<T: Send + 'static> Invocation<T> {
    /// `work` runs the action `name`.
    pub(super) fn new<F, Fut>(name: &str, work: F) -> Self
    where
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        let work: Work<T> = Box::new(move |context| Box::pin(work(context)));
        Self { name: name.to_owned(), work, parts: ContextParts::default(), context: None }
    }

    /// The time limit of the action itself.
    pub(super) fn limited(mut self, limit: Option<Duration>) -> Self {
        self.parts.limit = limit;
        self
    }

    /// State: injects `value` where the function takes `&T`.
    pub fn state<S: Send + Sync + 'static>(mut self, value: S) -> Self {
        self.parts.states.insert(value);
        self
    }

    /// Extension: a value of this call, which the function reads with
    /// [`Context::extension`](crate::context::Context::extension).
    pub fn extension<S: Send + Sync + 'static>(mut self, value: S) -> Self {
        self.parts.values.insert(value);
        self
    }

    /// Action context: a map that came with the request, which the function reads with
    /// [`Context::action_context`](crate::context::Context::action_context) and templates as `@key`.
    pub fn action_context(mut self, context: Map<String, Value>) -> Self {
        self.parts.action_context = Arc::new(context);
        self
    }

    /// Calling context: runs it from inside of another function, with its state, its caller and its
    /// limits, so that what it asks is asked by that function.
    pub fn context(mut self, context: &Context) -> Self {
        self.context = Some(context.clone());
        self
    }

    /// What a server makes of a request.
    #[cfg(feature = "http")]
    pub fn with_parts(mut self, make: impl FnOnce(&mut ContextParts)) -> Self {
        make(&mut self.parts);
        self
    }

    /// The state of a program, below what [`state`](Self::state) gives.
    pub fn states(mut self, states: &TypeMap) -> Self {
        self.parts.states = states.with(&self.parts.states);
        self
    }
}

impl Invocation<Value> {
    /// Streaming: hands each chunk that the flow sends to `on_chunk` as it comes.
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
        let Self { name, work, parts, context } = self;
        Box::pin(async move {
            if let Some(context) = context {
                let limit = parts.limit;
                return within(&context, &name, limit, work(context.nested(parts))).await;
            }
            let context = parts.build();
            supervise(&context, &name, work(context.clone())).await
        })
    }
}

impl<T> std::fmt::Debug for Invocation<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The JSON of what an action is given.
pub(super) fn arguments(given: impl Serialize) -> Result<Value> {
    Ok(serde_json::to_value(given).map_err(|why| E::Arguments(why.to_string()))?)
}
