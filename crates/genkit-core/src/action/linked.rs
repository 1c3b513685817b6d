//! Link-time registration: the static definitions that the linker collects.

use std::sync::Arc;

use super::CustomAction;
use super::flow::{FlowFn, StaticFlow};
use super::prompt::StaticPromptFiles;
use super::prompt::{PromptFn, StaticPrompt};
use super::resource::{ResourceFn, StaticResource};
use super::tool::{StaticTool, ToolFn};
use crate::skill::StaticSkills;

/// A function annotated with `#[tool]`, `#[prompt]`, `#[resource]` or `#[flow]`.
///
/// The macros implement this trait for a type with the function's name. Do not implement it manually.
///
/// ```
/// use genkit::action::AnnotatedFn;
/// use genkit::{Action, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// fn is_tool<F: AnnotatedFn>() -> bool {
///     matches!(Action::of::<F>(), Action::Tool(_))
/// }
/// assert!(is_tool::<add>());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an annotated function",
    label = "no `#[tool]`, `#[prompt]`, `#[resource]` or `#[flow]` here",
    note = "write one of them above the function",
    note = "an action created at run time is a value; list it as `Action::from(value)`"
)]
pub trait AnnotatedFn: 'static {
    #[doc(hidden)]
    const LINKED: Linked;
}

/// A static definition collected by the linker.
#[allow(missing_docs, reason = "for expansions and hidden")]
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Linked {
    Tool(&'static StaticTool),
    Prompt(&'static StaticPrompt),
    Resource(&'static StaticResource),
    Flow(&'static StaticFlow),
    PromptFiles(&'static StaticPromptFiles),
    Skills(&'static StaticSkills),
    Custom(fn() -> Arc<dyn CustomAction>),
}

#[allow(missing_docs, reason = "for expansions and hidden")]
impl Linked {
    pub const fn tool<F: ToolFn>() -> Self {
        Self::Tool(F::DEFINITION)
    }

    pub const fn prompt<F: PromptFn>() -> Self {
        Self::Prompt(F::DEFINITION)
    }

    pub const fn resource<F: ResourceFn>() -> Self {
        Self::Resource(F::DEFINITION)
    }

    pub const fn flow<F: FlowFn>() -> Self {
        Self::Flow(F::DEFINITION)
    }
}

#[cfg(feature = "inventory")]
inventory::collect!(Linked);
