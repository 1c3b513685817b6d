//! An action of any kind, as an element of a registry.

use std::sync::Arc;

use crate::action::CustomAction;
use crate::action::{AnnotatedFn, Flow, Linked, Prompt, Resource, Tool};
use crate::skill::Skill;

/// An action: a tool, a prompt, a resource, a flow, a skill, or another kind such as an evaluator.
///
/// `actions!` lists annotated functions of several kinds.
///
/// ```
/// use genkit::{Action, Context, Registry, Tool, flow, tool};
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
///
/// let registry =
///     Registry::new().add([Action::of::<add>(), Action::of::<greet>(), Action::from(ping)]);
/// assert!(registry.tool("ping").is_some() && registry.flow("greet").is_some());
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
    /// A skill.
    Skill(Skill),
    /// An action of another kind, such as an evaluator or a retriever.
    #[doc(hidden)]
    Custom(Arc<dyn CustomAction>),
}

macro_rules! kinds {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Action {
            fn from(action: $kind) -> Self {
                Self::$kind(action)
            }
        }
    )*};
}

kinds!(Tool, Prompt, Resource, Flow, Skill);

impl Action {
    /// Returns the action of an annotated function.
    pub fn of<F: AnnotatedFn>() -> Self {
        let only = Self::from_linked(F::LINKED).ok().and_then(|mut actions| actions.pop());
        only.expect("an annotated function is one action")
    }

    /// Converts a linked definition: one action, or all prompts or skills of a folder.
    ///
    /// # Errors
    /// Returns the errors in the files of a folder.
    pub(super) fn from_linked(linked: Linked) -> Result<Vec<Self>, String> {
        Ok(vec![match linked {
            Linked::Tool(definition) => Tool::from_static(definition).into(),
            Linked::Prompt(definition) => Prompt::from_static(definition).into(),
            Linked::Resource(definition) => Resource::from_static(definition).into(),
            Linked::Flow(definition) => Flow::from_static(definition).into(),
            Linked::Custom(create) => Self::Custom(create()),
            Linked::PromptFiles(files) => {
                let prompts = crate::action::embedded_prompts(files)?;
                return Ok(prompts.iter().cloned().map(Self::from).collect());
            }
            Linked::Skills(skills) => {
                let skills = crate::skill::embedded_skills(skills);
                return Ok(skills.iter().cloned().map(Self::from).collect());
            }
        }])
    }

    /// Returns the action with its location, for messages: ``tool `add` (src/main.rs:7)``.
    pub(super) fn action_label(&self) -> String {
        match self {
            Self::Tool(tool) => tool.info().label("tool"),
            Self::Prompt(prompt) => prompt.info().label("prompt"),
            Self::Resource(resource) => resource.info().label("resource"),
            Self::Flow(flow) => flow.info().label("flow"),
            Self::Skill(skill) => skill.info().label("skill"),
            Self::Custom(custom) => custom.flow().info().label(custom.kind()),
        }
    }
}

/// A list of actions, of one kind or of several, or a single action.
///
/// ```
/// use genkit::{Action, IntoActions, prompt, prompts, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem() -> &'static str { "A poem, please." }
///
/// let mut all = tools![add].into_actions();
/// all.extend(prompts![poem].into_actions());
/// assert!(matches!(all[..], [Action::Tool(_), Action::Prompt(_)]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of actions",
    label = "not actions",
    note = "list annotated functions of one kind with `tools![..]`, `prompts![..]`, `resources![..]` or `flows![..]`, and of several kinds with `actions![..]`",
    note = "list values of several kinds as `[Action::from(tool), Action::from(prompt)]`"
)]
pub trait IntoActions {
    /// Returns the actions in order.
    fn into_actions(self) -> Vec<Action>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<Action>>> IntoActions for I {
    fn into_actions(self) -> Vec<Action> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! alone {
    ($($action:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoActions for $action {
            fn into_actions(self) -> Vec<Action> {
                vec![self.into()]
            }
        }
    )*};
}

alone!(Action, Tool, Prompt, Resource, Flow, Skill);
