//! The agent that a server runs: a fixed run, or a function that creates one for each request.

use std::collections::HashSet;
use std::future::Future;
use std::sync::Arc;

use serde_json::{Map, Value};

use genkit_agent::Generate;
use genkit_agent::internal::ThreadAgent;
use genkit_core::internal::context::{ContextParts, supervise_run};
use genkit_core::{BoxFuture, HandlerError, Result, Tool};

use crate::builder::SETUP_TIMEOUT;
use crate::input::ContextEntry;

/// A request from a client, as passed to the function that creates the run.
///
/// Except for [`action_context`](Self::action_context) and [`extension`](Self::extension), all data comes from the
/// client and is not verified.
#[derive(Clone)]
pub struct AguiRequest {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    pub(crate) action_context: Map<String, Value>,
    pub(crate) context: Vec<ContextEntry>,
    pub(crate) state: Value,
    pub(crate) forwarded_props: Map<String, Value>,
    pub(crate) extensions: http::Extensions,
}

impl AguiRequest {
    /// Returns the id of the conversation.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns the id of this run.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the action context that the context providers created. It is empty without providers.
    pub fn action_context(&self) -> &Map<String, Value> {
        &self.action_context
    }

    /// Returns the context entries from the client, as pairs of description and value.
    pub fn context(&self) -> impl Iterator<Item = (&str, &str)> {
        self.context.iter().map(|entry| (entry.description.as_str(), entry.value.as_str()))
    }

    /// Returns the client's state, or null if the client sent no state.
    pub fn state(&self) -> &Value {
        &self.state
    }

    /// Returns a forwarded property. Only properties that
    /// [`forwarded_props`](crate::AguiServer::forwarded_props) allows are present.
    pub fn forwarded_prop(&self, name: &str) -> Option<&Value> {
        self.forwarded_props.get(name)
    }

    /// Returns the extension of type `T` that a layer of your app added to the request.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }
}

/// Prints the ids only, since the rest can be secret.
impl std::fmt::Debug for AguiRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AguiRequest")
            .field("thread_id", &self.thread_id)
            .field("run_id", &self.run_id)
            .finish_non_exhaustive()
    }
}

pub(crate) type CreateRun =
    Arc<dyn Fn(AguiRequest) -> BoxFuture<'static, Result<Generate>> + Send + Sync>;

/// An agent of any kind.
#[derive(Clone)]
pub struct Agent(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Fixed(Box<Generate>),
    Created(CreateRun),
    /// An agent that stores its threads itself.
    Threads(Arc<dyn ThreadAgent>),
}

impl Agent {
    /// Creates the run of a request.
    pub(crate) async fn create_run(create: &CreateRun, request: AguiRequest) -> Result<Generate> {
        // The function is application code, which can panic or never return.
        let parts = ContextParts { limit: Some(SETUP_TIMEOUT), ..ContextParts::default() };
        supervise_run(&parts.build(), "agent", create(request)).await
    }
}

/// Returns the names of the tools that are agents.
pub(crate) fn agent_names(tools: &[Tool]) -> Arc<HashSet<String>> {
    let agents = tools.iter().filter(|tool| tool.is_agent());
    Arc::new(agents.map(|tool| tool.name().to_owned()).collect())
}

/// Warns about declared tools that are not page tools, because the page receives each of their calls as an interrupt.
pub(crate) fn warn_about_declared(tools: &[Tool], page_tools: &[String]) {
    let is_listed = |tool: &&Tool| page_tools.iter().any(|name| name == tool.name());
    for tool in tools.iter().filter(|tool| tool.is_declared() && !is_listed(tool)) {
        tracing::warn!(
            "the tool `{name}` has no code, so the page receives its calls as interrupts; if the page executes it, add \
             `.page_tools([\"{name}\"])`",
            name = tool.name()
        );
    }
}

/// An agent that can be served: a [`Generate`], a closure that takes an [`AguiRequest`] and returns a [`Generate`], or
/// an agent with sessions. `Kind` distinguishes them and is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "neither a run, nor a function that creates one, nor an agent with sessions",
    note = "pass `genkit::generate(())`, `genkit::prompt(..)`, or `|request: AguiRequest| async move {{ Ok(genkit::generate(())) }}`"
)]
pub trait IntoAgent<Kind> {
    #[doc(hidden)]
    fn into_agent(self) -> Agent;
}

#[doc(hidden)]
pub struct FixedRun(());

#[doc(hidden)]
pub struct RunPerRequest<Fut>(std::marker::PhantomData<Fut>);

impl IntoAgent<FixedRun> for Generate {
    fn into_agent(self) -> Agent {
        Agent(Kind::Fixed(Box::new(self)))
    }
}

impl<F, Fut> IntoAgent<RunPerRequest<Fut>> for F
where
    F: Fn(AguiRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = std::result::Result<Generate, HandlerError>> + Send + 'static,
{
    fn into_agent(self) -> Agent {
        let create: CreateRun = Arc::new(move |request| {
            let created = self(request);
            Box::pin(async move { created.await.map_err(HandlerError::into_error) })
        });
        Agent(Kind::Created(create))
    }
}

#[doc(hidden)]
pub struct StoredThreads(());

impl<T: ThreadAgent> IntoAgent<StoredThreads> for T {
    fn into_agent(self) -> Agent {
        Agent(Kind::Threads(Arc::new(self)))
    }
}
