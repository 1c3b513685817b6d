//! All actions by kind and name: the one place that every reader reads.

mod verify;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::broadcast;

#[cfg(feature = "inventory")]
use crate::action::Linked;
use crate::action::{Flow, Prompt, Resource, Tool};
use crate::context::TypeMap;
use crate::error::{Error, ErrorKind, Result};

pub(crate) use verify::verify_tool;

/// How many changes a reader may lag behind before it is told to look at everything again.
const EVENT_BACKLOG: usize = 256;

/// Tools, prompts, resources and flows by their names.
///
/// [`Registry::global`] holds everything that is annotated in the program. A registry of one's
/// own serves tests and several tenants in one process. Cheap to clone; clones share.
///
/// ```
/// use genkit::{Registry, prompt, prompts, resource, resources, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String { format!("A poem about {topic}, please.") }
///
/// /// A note by its number.
/// #[resource("note://{id}")]
/// async fn note(id: u64) -> String { format!("note {id}") }
///
/// let registry =
///     Registry::new().add(tools![add]).add(prompts![poem]).add(resources![note]);
/// registry.check()?;
/// assert_eq!(registry.tools()[0].name(), "add");
/// assert_eq!(registry.prompt("poem").unwrap().description(), "Asks for a poem.");
/// assert!(registry.resource("note://{id}").is_some()); // by the template itself
/// assert!(registry.flows().is_empty() && !registry.is_empty());
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    actions: RwLock<Actions>,
    version: AtomicU64,
    events: broadcast::Sender<Event>,
}

#[derive(Default)]
struct Actions {
    tools: BTreeMap<String, Tool>,
    prompts: BTreeMap<String, Prompt>,
    /// By URI or template.
    resources: BTreeMap<String, Resource>,
    flows: BTreeMap<String, Flow>,
    /// What was refused while nobody could be told: two of one name.
    refused: Vec<String>,
}

/// A change that readers may want to tell their clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Tools,
    Prompts,
    Resources,
    ResourceUpdated(String),
}

/// One action of any kind.
///
/// ```
/// use genkit::{Action, Registry, flow, flows, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String { format!("Hello, {name}!") }
///
/// let mut actions: Vec<Action> = tools![add].into_iter().map(Action::from).collect();
/// actions.extend(flows![greet].into_iter().map(Action::from));
/// let registry = Registry::new().add(actions);
/// assert!(registry.tool("add").is_some() && registry.flow("greet").is_some());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// A tool.
    Tool(Tool),
    /// A prompt.
    Prompt(Prompt),
    /// A resource or a resource template.
    Resource(Resource),
    /// A flow.
    Flow(Flow),
}

impl From<Tool> for Action {
    fn from(tool: Tool) -> Self {
        Self::Tool(tool)
    }
}

impl From<Prompt> for Action {
    fn from(prompt: Prompt) -> Self {
        Self::Prompt(prompt)
    }
}

impl From<Resource> for Action {
    fn from(resource: Resource) -> Self {
        Self::Resource(resource)
    }
}

impl From<Flow> for Action {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl Action {
    fn label(&self) -> String {
        match self {
            Self::Tool(tool) => tool.info().label("tool"),
            Self::Prompt(prompt) => prompt.info().label("prompt"),
            Self::Resource(resource) => resource.info().label("resource"),
            Self::Flow(flow) => flow.info().label("flow"),
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            actions: RwLock::default(),
            version: AtomicU64::new(0),
            events: broadcast::channel(EVENT_BACKLOG).0,
        }))
    }

    /// A new registry with everything that is annotated in the program and linked into it.
    ///
    /// Without the feature `inventory` it is empty.
    pub fn linked() -> Self {
        let registry = Self::new();
        #[cfg(feature = "inventory")]
        for linked in inventory::iter::<Linked> {
            let action = match *linked {
                Linked::Tool(definition) => Tool::from_definition(definition).into(),
                Linked::Prompt(definition) => Prompt::from_definition(definition).into(),
                Linked::Resource(definition) => Resource::from_definition(definition).into(),
                Linked::Flow(definition) => Flow::from_definition(definition).into(),
            };
            registry.add_or_note(action);
        }
        registry
    }

    /// The registry of the program: [`linked`](Self::linked), made once.
    ///
    /// ```
    /// use genkit::{Registry, tool};
    ///
    /// /// Answers.
    /// #[tool]
    /// async fn ping_of_the_program() -> &'static str { "pong" }
    ///
    /// assert!(Registry::global().tool("ping_of_the_program").is_some());
    /// assert!(Registry::linked().tool("ping_of_the_program").is_some()); // another with the same
    /// ```
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Registry> = OnceLock::new();
        GLOBAL.get_or_init(Self::linked)
    }

    /// The registry with more actions: `tools![..]`, `prompts![..]`, or values.
    ///
    /// Two of one name are found by [`check`](Self::check), before anything is served.
    #[expect(clippy::should_implement_trait, reason = "it adds actions, not numbers")]
    #[must_use]
    pub fn add<A: Into<Action>>(self, actions: impl IntoIterator<Item = A>) -> Self {
        for action in actions {
            self.add_or_note(action.into());
        }
        self
    }

    fn add_or_note(&self, action: Action) {
        if let Err(error) = self.insert(action) {
            self.write().refused.push(error.to_string());
        }
    }

    /// Adds one action, also while the registry is being served: clients are told.
    ///
    /// ```
    /// use genkit::{Context, ErrorKind, Registry, Tool};
    ///
    /// let ping = Tool::builder("ping", "Answers.")
    ///     .handler(|_: Context, _: serde_json::Value| async { Ok("pong") });
    ///
    /// let registry = Registry::new();
    /// registry.insert(ping.clone())?;
    /// assert_eq!(registry.insert(ping).unwrap_err().kind(), ErrorKind::AlreadyExists);
    /// assert!(registry.remove_tool("ping"));
    /// assert!(!registry.remove_tool("ping")); // it was not there any more
    /// # Ok::<(), genkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] where one of its kind has the same name (or URI): remove
    /// that one first.
    pub fn insert(&self, action: impl Into<Action>) -> Result<()> {
        let action = action.into();
        let label = action.label();
        let mut actions = self.write();
        let (taken, event) = match action {
            Action::Tool(tool) => (put(&mut actions.tools, tool.name(), &tool), Some(Event::Tools)),
            Action::Prompt(prompt) => {
                (put(&mut actions.prompts, prompt.name(), &prompt), Some(Event::Prompts))
            }
            Action::Resource(resource) => {
                (put(&mut actions.resources, resource.uri(), &resource), Some(Event::Resources))
            }
            Action::Flow(flow) => (put(&mut actions.flows, flow.name(), &flow), None),
        };
        drop(actions);
        if let Some(other) = taken {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!(
                    "{label} and {} have one name, and a caller could reach only one of them: \
                     rename one with `name = \"..\"`",
                    other.label()
                ),
            ));
        }
        self.changed(event);
        Ok(())
    }

    /// Takes a tool out; says whether it was there.
    pub fn remove_tool(&self, name: &str) -> bool {
        let removed = self.write().tools.remove(name).is_some();
        self.changed(removed.then_some(Event::Tools));
        removed
    }

    /// Takes a prompt out; says whether it was there.
    ///
    /// ```
    /// assert!(!genkit::Registry::new().remove_prompt("poem"));
    /// ```
    pub fn remove_prompt(&self, name: &str) -> bool {
        let removed = self.write().prompts.remove(name).is_some();
        self.changed(removed.then_some(Event::Prompts));
        removed
    }

    /// Takes a resource out by its URI or template; says whether it was there.
    ///
    /// ```
    /// assert!(!genkit::Registry::new().remove_resource("note://{id}"));
    /// ```
    pub fn remove_resource(&self, uri: &str) -> bool {
        let removed = self.write().resources.remove(uri).is_some();
        self.changed(removed.then_some(Event::Resources));
        removed
    }

    /// Takes a flow out; says whether it was there.
    pub fn remove_flow(&self, name: &str) -> bool {
        self.write().flows.remove(name).is_some()
    }

    /// Tells subscribers that the resource at `uri` has new content. Where nobody is subscribed
    /// nothing happens.
    ///
    /// ```
    /// genkit::Registry::new().resource_updated("note://7");
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.send(Event::ResourceUpdated(uri.into()));
    }

    /// All tools, by name.
    pub fn tools(&self) -> Vec<Tool> {
        self.read().tools.values().cloned().collect()
    }

    /// All prompts, by name.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.read().prompts.values().cloned().collect()
    }

    /// All resources and resource templates, by URI.
    pub fn resources(&self) -> Vec<Resource> {
        self.read().resources.values().cloned().collect()
    }

    /// All flows, by name.
    pub fn flows(&self) -> Vec<Flow> {
        self.read().flows.values().cloned().collect()
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.read().tools.get(name).cloned()
    }

    /// The prompt of that name.
    pub fn prompt(&self, name: &str) -> Option<Prompt> {
        self.read().prompts.get(name).cloned()
    }

    /// The flow of that name.
    pub fn flow(&self, name: &str) -> Option<Flow> {
        self.read().flows.get(name).cloned()
    }

    /// The resource whose URI or template is exactly `uri`.
    pub fn resource(&self, uri: &str) -> Option<Resource> {
        self.read().resources.get(uri).cloned()
    }

    /// The resource that answers for `uri`, of those that `wanted` lets through: a fixed address
    /// first, then the most specific template.
    pub(crate) fn resource_for(
        &self,
        uri: &str,
        wanted: impl Fn(&Resource) -> bool,
    ) -> Option<(Resource, serde_json::Map<String, serde_json::Value>)> {
        let fixed = self.resource(uri).filter(|fixed| !fixed.is_template() && wanted(fixed));
        if let Some(fixed) = fixed {
            return Some((fixed, serde_json::Map::new()));
        }
        let templates = self.resources().into_iter().filter(|r| r.is_template() && wanted(r));
        Resource::most_specific(templates, uri)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        let actions = self.read();
        actions.tools.is_empty()
            && actions.prompts.is_empty()
            && actions.resources.is_empty()
            && actions.flows.is_empty()
    }

    /// Looks at everything that the compiler cannot see, and reports all problems as one error
    /// with the place of each: two of one name, names that clients refuse, templates that do
    /// not fit their arguments, schemas that are no object.
    ///
    /// Serving does this first, and also looks whether all state was given.
    ///
    /// ```
    /// use genkit::{Registry, tool, tools};
    ///
    /// /// Adds.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// assert!(Registry::new().add(tools![add]).check().is_ok());
    /// let error = Registry::new().add(tools![add, add]).check().unwrap_err();
    /// assert!(error.to_string().contains("have one name"));
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::FailedPrecondition`] with a line for each problem.
    pub fn check(&self) -> Result<()> {
        verify::verify(&self.read(), None)
    }

    /// [`check`](Self::check), and whether every state that a function needs is in `states`.
    pub(crate) fn check_with(&self, states: &TypeMap) -> Result<()> {
        verify::verify(&self.read(), Some(states))
    }

    /// Whether both are one registry.
    #[cfg(feature = "mcp-host")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Grows with each change: what was made from an older one is stale.
    #[cfg(feature = "mcp-server")]
    pub(crate) fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    #[cfg(feature = "mcp-server")]
    pub(crate) fn events(&self) -> broadcast::Receiver<Event> {
        self.0.events.subscribe()
    }

    fn changed(&self, event: Option<Event>) {
        if let Some(event) = event {
            self.0.version.fetch_add(1, Ordering::AcqRel);
            self.send(event);
        }
    }

    fn send(&self, event: Event) {
        // Nobody listening is fine.
        let _ = self.0.events.send(event);
    }

    fn read(&self) -> RwLockReadGuard<'_, Actions> {
        crate::sync::read(&self.0.actions)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Actions> {
        crate::sync::write(&self.0.actions)
    }
}

/// Puts `value` in unless the name is taken; then gives what has it.
fn put<A: Clone + Into<Action>>(
    map: &mut BTreeMap<String, A>,
    name: &str,
    value: &A,
) -> Option<Action> {
    match map.get(name) {
        Some(other) => Some(other.clone().into()),
        None => {
            map.insert(name.to_owned(), value.clone());
            None
        }
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let actions = self.read();
        f.debug_struct("Registry")
            .field("tools", &actions.tools.len())
            .field("prompts", &actions.prompts.len())
            .field("resources", &actions.resources.len())
            .field("flows", &actions.flows.len())
            .finish()
    }
}

/// Annotated functions as tools: `tools![get_weather, add_note]`. A name that is no `#[tool]`
/// does not compile.
///
/// ```
/// use genkit::{Registry, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// let registry = Registry::new().add(tools![add]);
/// assert_eq!(registry.tools().len(), 1);
/// ```
#[macro_export]
macro_rules! tools {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Tool::of::<$function>()),*] };
}

/// Annotated functions as prompts: `prompts![summarize]`.
///
/// ```
/// use genkit::{Registry, prompt, prompts};
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String { format!("A poem about {topic}, please.") }
///
/// let registry = Registry::new().add(prompts![poem]);
/// assert_eq!(registry.prompts().len(), 1);
/// ```
#[macro_export]
macro_rules! prompts {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Prompt::of::<$function>()),*] };
}

/// Annotated functions as resources: `resources![note, index]`.
///
/// ```
/// use genkit::{Registry, resource, resources};
///
/// /// The manual.
/// #[resource("doc://manual")]
/// async fn manual() -> &'static str { "# Manual" }
///
/// let registry = Registry::new().add(resources![manual]);
/// assert_eq!(registry.resources().len(), 1);
/// ```
#[macro_export]
macro_rules! resources {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Resource::of::<$function>()),*] };
}

/// Annotated functions as flows: `flows![nightly]`.
///
/// ```
/// use genkit::{Registry, flow, flows};
///
/// /// Greets somebody.
/// #[flow]
/// async fn greet(name: String) -> String { format!("Hello, {name}!") }
///
/// let registry = Registry::new().add(flows![greet]);
/// assert_eq!(registry.flows().len(), 1);
/// ```
#[macro_export]
macro_rules! flows {
    ($($function:ty),* $(,)?) => { ::std::vec![$($crate::Flow::of::<$function>()),*] };
}
