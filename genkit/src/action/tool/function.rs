//! Functions annotated with `#[tool]`, and their static definition.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use super::output::ToolOutput;
use super::settings::{ToolSettings, set_tool};
use crate::action::call::ActionFn;
use crate::action::definition::StaticDefinition;
use crate::action::info::StaticInfo;

/// A function annotated with `#[tool]`.
///
/// The macro implements it for the type that has the function's name; nothing else should.
///
/// ```
/// use genkit::action::ToolFn;
/// use genkit::{Tool, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// fn describe<F: ToolFn>() -> String {
///     Tool::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<add>(), "Adds two numbers.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[tool]` function",
    label = "no `#[tool]` here",
    note = "write `#[tool]` above the function, or make a tool at run time with `Tool::builder`"
)]
pub trait ToolFn: ActionFn<Output = ToolOutput> {
    #[doc(hidden)]
    const DEFINITION: &'static StaticTool;
}

/// The static definition behind `#[tool]`.
pub struct StaticTool {
    pub(super) definition: StaticDefinition<ToolOutput>,
    pub(super) settings: ToolSettings,
}

impl StaticTool {
    pub const fn new<F: ActionFn<Output = ToolOutput>>(info: StaticInfo) -> Self {
        Self { definition: StaticDefinition::new::<F>(info), settings: ToolSettings::NONE }
    }
}

set_tool!(StaticTool const);
