//! Functions annotated with `#[prompt]`, and their static definition.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::time::Duration;

use serde_json::{Map, Value};

use super::options::PromptOptions;
use super::reply::PromptOutput;
use crate::action::call::{Field, Function, PlainCall};
use crate::action::completion::StaticCompleters;
use crate::action::definition::StaticDefinition;
use crate::action::info::StaticInfo;

/// A function annotated with `#[prompt]`.
///
/// The macro implements this trait for a type with the function's name. Do not implement it manually.
///
/// ```
/// use genkit::action::PromptFn;
/// use genkit::{Prompt, prompt};
///
/// /// Asks for a poem.
/// #[prompt]
/// async fn poem(topic: String) -> String {
///     format!("Write a poem about {topic}.")
/// }
///
/// fn describe<F: PromptFn>() -> String {
///     Prompt::of::<F>().description().to_owned()
/// }
/// assert_eq!(describe::<poem>(), "Asks for a poem.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[prompt]` function",
    label = "no `#[prompt]` here",
    note = "write `#[prompt]` above the function",
    note = "`prompts![..]` lists only prompts; for several kinds use `actions![..]`"
)]
pub trait PromptFn: 'static {
    #[doc(hidden)]
    const DEFINITION: &'static StaticPrompt;
}

/// The static definition behind `#[prompt]`.
pub struct StaticPrompt {
    pub(super) definition: StaticDefinition<PromptOutput>,
    pub(super) version: Option<&'static str>,
    pub(super) timeout: Option<Duration>,
    pub(super) completers: StaticCompleters,
    pub(super) options: Option<fn() -> PromptOptions>,
}

impl StaticPrompt {
    /// Creates the definition of a function that takes `fields` by value and nothing by reference.
    pub const fn new(
        info: StaticInfo,
        fields: &'static [Field],
        call: PlainCall<PromptOutput>,
    ) -> Self {
        Self::with(info, Function::without_injection(fields, call))
    }

    /// Creates the definition of any function.
    pub const fn with(info: StaticInfo, function: Function<PromptOutput>) -> Self {
        let definition = StaticDefinition::new("prompt", info, function);
        Self { definition, version: None, timeout: None, completers: &[], options: None }
    }

    pub const fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    pub const fn completers(mut self, completers: StaticCompleters) -> Self {
        self.completers = completers;
        self
    }

    /// Sets the prompt options, which apply to the run that the prompt starts. `options` is called once, when the
    /// [`Prompt`](super::Prompt) is created.
    pub const fn options(mut self, options: fn() -> PromptOptions) -> Self {
        self.options = Some(options);
        self
    }
}

/// Returns the model settings of an annotation, which the macro has checked to be an object.
pub fn into_config(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(config) => config,
        _ => Map::new(),
    }
}
