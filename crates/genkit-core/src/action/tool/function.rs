//! Functions annotated with `#[tool]`, and their static definition.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use serde_json::Value;

use super::output::ToolOutput;
use super::settings::{ToolSettings, set_tool};
use crate::action::call::{Field, Function, PlainCall};
use crate::action::definition::StaticDefinition;
use crate::action::info::StaticInfo;
use genkit_schema::internal::OutputSchema;

/// A function annotated with `#[tool]`.
///
/// The macro implements this trait for a type with the function's name. Do not implement it manually.
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
    note = "write `#[tool]` above the function, or create a tool at run time with `Tool::builder`",
    note = "`tools![..]` lists only tools; for several kinds use `actions![..]`"
)]
pub trait ToolFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticTool;
}

/// A declared tool: a function without a body, annotated with `#[tool]`.
///
/// The macro implements this trait for a type with the declaration's name. Do not implement it manually.
///
/// ```
/// use genkit::model::ModelResponse;
/// use genkit::message::ToolRequest;
/// use genkit::testing::ScriptedModel;
/// use genkit::{tool, tools};
/// use serde_json::json;
///
/// /// Asks the user for a seat.
/// #[tool]
/// async fn pick_seat(row: u32) -> String;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("pick_seat", json!({"row": 7}))]),
///     ModelResponse::from_text("You sit at 7C."),
/// ]);
/// let run = genkit::generate("Book a seat.").model(model).tools(tools![pick_seat]);
/// let asked = run.clone().await?;
/// let response =
///     run.resume(asked, |question| question.respond_as::<pick_seat>("7C".to_owned())).await?;
/// assert_eq!(response.text(), "You sit at 7C.");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared tool",
    label = "not a `#[tool]` without a body",
    note = "a declared tool ends with `;`: `#[tool] async fn pick_seat(row: u32) -> String;`",
    note = "a tool with a body returns its result itself; to answer in its place, use `respond(value)`"
)]
pub trait DeclaredFn: ToolFn {
    /// The type of the response.
    type Output;
}

/// The static definition behind `#[tool]`.
pub struct StaticTool {
    pub(super) definition: StaticDefinition<ToolOutput>,
    pub(super) settings: ToolSettings,
    pub(super) output_schema: Option<OutputSchema>,
}

impl StaticTool {
    /// Creates the definition of a function that takes `fields` by value and nothing by reference.
    pub const fn new(
        info: StaticInfo,
        fields: &'static [Field],
        call: PlainCall<ToolOutput>,
        gives: fn() -> Option<Value>,
    ) -> Self {
        Self::with(info, Function::without_injection(fields, call).with_output_schema(gives))
    }

    /// Creates the definition of any function.
    pub const fn with(info: StaticInfo, function: Function<ToolOutput>) -> Self {
        let definition = StaticDefinition::new("tool", info, function);
        Self { definition, settings: ToolSettings::NONE, output_schema: None }
    }

    /// Marks the tool as declared, that is, without a body.
    pub const fn declared(mut self) -> Self {
        self.settings.is_declared = true;
        self
    }

    pub const fn output_schema(mut self, schema: OutputSchema) -> Self {
        self.output_schema = Some(schema);
        self
    }
}

set_tool!(StaticTool const);
