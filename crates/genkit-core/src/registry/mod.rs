//! The registry: all actions by kind and name, used by the servers and the generate loop, among others.

mod action;
mod actions;
mod changes;
mod error;
mod lookup;
mod mount;
mod named;
mod verify;

use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

#[cfg(feature = "inventory")]
use crate::action::Linked;
use crate::action::Prompt;
use crate::context::TypeMap;
use crate::error::Result;
use crate::skill::Skill;

pub use changes::RegistryChange;
pub use changes::{ChangeSet, Watcher};
pub use verify::verify_tool;

pub use action::{Action, IntoActions};

use self::actions::Actions;
use self::changes::Changes;

/// A registry of tools, prompts, resources, flows and other actions by name.
///
/// [`Registry::global`] contains everything that the macros have registered in the program. Use a custom registry in
/// tests, or to serve several tenants in one process. Cheap to clone; clones share the same actions.
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
/// /// Returns a note by its number.
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
#[derive(Clone, Default)]
pub struct Registry(Arc<RegistryData>);

#[derive(Default)]
struct RegistryData {
    actions: RwLock<Actions>,
    changes: Changes,
}

/// A weak reference to a registry.
pub struct WeakRegistry(std::sync::Weak<RegistryData>);
impl WeakRegistry {
    pub fn upgrade(&self) -> Option<Registry> {
        self.0.upgrade().map(Registry)
    }
}

impl Registry {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a linked registry, with everything that the macros have registered in the program.
    ///
    /// It is empty if the feature `inventory` is disabled.
    pub fn linked() -> Self {
        let registry = Self::new();
        #[cfg(feature = "inventory")]
        for linked in inventory::iter::<Linked> {
            match Action::from_linked(*linked) {
                Ok(actions) => {
                    actions.into_iter().for_each(|action| registry.add_or_refuse(action));
                }
                Err(why) => registry.write().errors.push(error::Error::PromptFiles(why)),
            }
        }
        registry
    }

    /// Returns the global registry of the program, which is created once with [`linked`](Self::linked).
    ///
    /// ```
    /// use genkit::{Registry, tool};
    ///
    /// /// Answers.
    /// #[tool]
    /// async fn ping_of_the_program() -> &'static str { "pong" }
    ///
    /// assert!(Registry::global().tool("ping_of_the_program").is_some());
    /// assert!(Registry::linked().tool("ping_of_the_program").is_some()); // a new registry with the same actions
    /// ```
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Registry> = OnceLock::new();
        GLOBAL.get_or_init(Self::linked)
    }

    /// Adds actions: `tools![..]`, `prompts![..]`, `actions![..]` of several kinds, or values.
    ///
    /// ```
    /// use genkit::{Context, Registry, Tool, actions, flow, tool};
    ///
    /// /// Adds.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// /// Greets a person.
    /// #[flow]
    /// async fn greet(name: String) -> String { format!("Hello, {name}!") }
    ///
    /// let ping = Tool::builder("ping", "Answers.")
    ///     .handler(|_: Context, _: serde_json::Value| async { Ok("pong") });
    /// let registry = Registry::new().add(actions![add, greet]).add(ping);
    /// assert_eq!((registry.tools().len(), registry.flows().len()), (2, 1));
    /// ```
    ///
    /// Duplicate names are reported by [`check`](Self::check), before anything is served.
    #[expect(clippy::should_implement_trait, reason = "adds actions, not numbers")]
    #[must_use]
    pub fn add(self, actions: impl IntoActions) -> Self {
        for action in actions.into_actions() {
            self.add_or_refuse(action);
        }
        self
    }

    /// Adds an action. Errors are stored, and reported by [`check`](Self::check).
    fn add_or_refuse(&self, action: Action) {
        let mut actions = self.write();
        match actions.insert_action(action) {
            Ok(change) => {
                drop(actions);
                self.note_added(change);
            }
            Err(error) => actions.errors.push(error),
        }
    }

    /// Inserts an action. If the registry is being served, clients are notified.
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
    /// assert!(!registry.remove_tool("ping")); // already removed
    /// # Ok::<(), genkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::AlreadyExists`](crate::error::ErrorKind::AlreadyExists) if an action of the same kind has the same
    /// name (or URI). Remove that action first.
    pub fn insert(&self, action: impl Into<Action>) -> Result<()> {
        let change = self.write().insert_action(action.into())?;
        self.note_added(change);
        Ok(())
    }

    fn note_added(&self, change: Option<RegistryChange>) {
        if let Some(change) = change {
            self.0.changes.list_changed(change);
        }
    }

    /// Removes a tool. Returns whether it existed.
    pub fn remove_tool(&self, name: &str) -> bool {
        let removed = self.write().tools.remove(name).is_some();
        self.note_removed(removed, RegistryChange::Tools)
    }

    /// Removes a prompt. Returns whether it existed.
    ///
    /// ```
    /// assert!(!genkit::Registry::new().remove_prompt("poem"));
    /// ```
    pub fn remove_prompt(&self, name: &str) -> bool {
        let removed = self.write().prompts.remove(name).is_some();
        self.note_removed(removed, RegistryChange::Prompts)
    }

    /// Replaces the prompts named `old` with `new`, as one change. Returns an error, and changes nothing, if a new
    /// prompt has the name of a prompt that is not in `old`.
    #[doc(hidden)]
    pub fn replace_prompts(&self, old: &[String], new: Vec<Prompt>) -> Result<()> {
        let mut actions = self.write();
        for prompt in &new {
            let is_old = old.iter().any(|name| name == prompt.name());
            if let Some(existing) = actions.prompts.get(prompt.name()).filter(|_| !is_old) {
                let existing = existing.info().label("prompt");
                let label = prompt.info().label("prompt");
                return Err(error::Error::SameName { label, existing }.into());
            }
        }
        for name in old {
            actions.prompts.remove(name);
        }
        for prompt in new {
            // If two new prompts have the same name, the later prompt replaces the earlier one.
            actions.prompts.remove(prompt.name());
            actions.prompts.insert_action(prompt.name(), prompt.clone());
        }
        drop(actions);
        self.0.changes.list_changed(RegistryChange::Prompts);
        Ok(())
    }

    /// Returns a weak reference to the registry.
    #[doc(hidden)]
    pub fn downgrade(&self) -> WeakRegistry {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    /// Removes a resource by its URI or template. Returns whether it existed.
    ///
    /// ```
    /// assert!(!genkit::Registry::new().remove_resource("note://{id}"));
    /// ```
    pub fn remove_resource(&self, uri: &str) -> bool {
        let removed = self.write().resources.remove(uri).is_some();
        self.note_removed(removed, RegistryChange::Resources)
    }

    /// Removes a flow. Returns whether it existed.
    pub fn remove_flow(&self, name: &str) -> bool {
        self.write().flows.remove(name).is_some()
    }

    /// Adds a skill, replacing a skill with the same name that was read from the same file.
    #[doc(hidden)]
    pub fn put_skill(&self, skill: Skill) -> Result<()> {
        if let Some(known) = self.skill(skill.name())
            && known.info().file == skill.info().file
        {
            self.write().skills.remove(skill.name());
        }
        self.insert(skill)
    }

    /// Removes a skill. Returns whether it existed.
    ///
    /// ```
    /// assert!(!genkit::Registry::new().remove_skill("refunds"));
    /// ```
    pub fn remove_skill(&self, name: &str) -> bool {
        let removed = self.write().skills.remove(name).is_some();
        self.note_removed(removed, RegistryChange::Resources)
    }

    fn note_removed(&self, removed: bool, change: RegistryChange) -> bool {
        if removed {
            self.0.changes.list_changed(change);
        }
        removed
    }

    /// Notifies subscribers that the resource at `uri` was updated. Has no effect without subscribers.
    ///
    /// ```
    /// genkit::Registry::new().resource_updated("note://7");
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.0.changes.send_change(RegistryChange::ResourceUpdated(uri.into().into()));
    }

    /// Returns whether the registry has no actions.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// Performs the checks that the compiler cannot perform, and reports all problems as one error with their
    /// locations: duplicate names, names that clients reject, templates that do not match their arguments, and argument
    /// schemas that are not objects.
    ///
    /// Servers perform this check when they start, and also check that all required state is present.
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
    /// assert!(error.to_string().contains("have the same name"));
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) with one line per problem.
    pub fn check(&self) -> Result<()> {
        verify::verify_actions(&self.read(), None)
    }

    /// Runs [`check`](Self::check), and also checks that all required state is in `states`.
    #[doc(hidden)]
    pub fn check_with(&self, states: &TypeMap) -> Result<()> {
        verify::verify_actions(&self.read(), Some(states))
    }

    /// Returns whether both are the same registry.
    #[doc(hidden)]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the version, which increases with each change of tools, prompts, resources or skills, but not of flows.
    /// Data derived from an older version is stale.
    #[doc(hidden)]
    pub fn version(&self) -> u64 {
        self.0.changes.current_version()
    }

    #[doc(hidden)]
    pub fn watch_changes(&self) -> Arc<Watcher> {
        self.0.changes.add_watcher()
    }

    /// Notifies the watchers of a change, for tests of sibling crates.
    #[doc(hidden)]
    pub fn list_changed(&self, change: RegistryChange) {
        self.0.changes.list_changed(change);
    }

    fn read(&self) -> RwLockReadGuard<'_, Actions> {
        crate::sync::read(&self.0.actions)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Actions> {
        crate::sync::write(&self.0.actions)
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
            .field("skills", &actions.skills.len())
            .finish()
    }
}
