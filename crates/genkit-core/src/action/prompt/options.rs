//! Prompt options: the settings of the run that a prompt starts.

use serde_json::{Map, Value};

use crate::action::Tool;
use crate::run_options::{Document, Instructions, OutputOptions, ToolChoice};
use genkit_schema::Schema;

/// The options of the run that a prompt starts: the model, its settings, its tools and more. Settings of
/// `Generate` itself take precedence.
///
/// ```
/// use genkit::action::PromptOptions;
/// use genkit::{Prompt, tool, tools};
/// use serde_json::json;
///
/// /// Gets the weather.
/// #[tool]
/// async fn weather(city: String) -> String { format!("sunny in {city}") }
///
/// let options = PromptOptions::default()
///     .with_model("gemini/gemini-2.5-flash")
///     .with_temperature(0.2)
///     .with_tools(tools![weather])
///     .with_tools(["search"]) // by name, from the registry
///     .with_max_turns(3);
/// assert_eq!(options.model(), Some("gemini/gemini-2.5-flash"));
/// assert_eq!(options.tools().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptOptions {
    model: Option<String>,
    config: Map<String, Value>,
    tools: Vec<PromptTool>,
    tool_choice: Option<ToolChoice>,
    max_turns: Option<usize>,
    return_tool_requests: Option<bool>,
    output: Option<OutputOptions>,
    middleware: Vec<Value>,
    docs: Vec<Document>,
}

/// A tool of a prompt: a value, or the name of a tool in the registry.
///
/// ```
/// use genkit::action::PromptTool;
///
/// assert_eq!(PromptTool::from("search").name(), "search");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PromptTool {
    /// A tool.
    Value(Tool),
    /// The name of a tool in the registry, or a pattern with `*`.
    Name(String),
}

impl PromptTool {
    /// Returns the name of the tool, or the pattern.
    pub fn name(&self) -> &str {
        match self {
            Self::Value(tool) => tool.name(),
            Self::Name(name) => name,
        }
    }
}

impl PartialEq for PromptTool {
    /// Returns whether both have the same name.
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl From<Tool> for PromptTool {
    fn from(tool: Tool) -> Self {
        Self::Value(tool)
    }
}

impl From<&str> for PromptTool {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for PromptTool {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl PromptOptions {
    /// Sets the model by name.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Adds model settings, replacing existing settings with the same key.
    #[must_use]
    pub fn with_config(mut self, config: Map<String, Value>) -> Self {
        self.config.extend(config);
        self
    }

    /// Adds a model setting.
    #[must_use]
    pub fn with_config_value(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    crate::setting_methods! {
        #[must_use]
        with_temperature, with_top_p, with_top_k, with_max_output_tokens, with_stop_sequences,
        with_seed, with_reasoning
    }

    fn setting(self, key: &str, value: Value) -> Self {
        self.with_config_value(key, value)
    }

    /// Adds tools: `tools![..]`, [`Tool`] values, names, or patterns with `*`.
    #[must_use]
    pub fn with_tools<T: Into<PromptTool>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets the tool choice.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }

    /// Sets the turn limit: the maximum number of rounds of tool calls.
    #[must_use]
    pub fn with_max_turns(mut self, rounds: usize) -> Self {
        self.max_turns = Some(rounds);
        self
    }

    /// Sets whether tool requests are returned to the caller instead of being run.
    #[must_use]
    pub fn with_return_tool_requests(mut self, yes: bool) -> Self {
        self.return_tool_requests = Some(yes);
        self
    }

    /// Sets the output options: the format, schema and instructions of the response.
    #[must_use]
    pub fn with_output(mut self, output: OutputOptions) -> Self {
        self.output = Some(output);
        self
    }

    /// Sets the output schema of the response.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output.get_or_insert_default().json_schema = Some(schema.into());
        self
    }

    /// Sets the output format of the response: `text`, `json`, `array`, `enum` or `jsonl`.
    #[must_use]
    pub fn with_output_format(mut self, format: impl Into<String>) -> Self {
        self.output.get_or_insert_default().format = Some(format.into());
        self
    }

    /// Sets whether to add the format's output instructions, or sets custom instructions.
    #[must_use]
    pub fn with_output_instructions(mut self, instructions: impl Into<Instructions>) -> Self {
        self.output.get_or_insert_default().instructions = Some(instructions.into());
        self
    }

    /// Adds middleware by name: a name, or `{"name": .., "config": ..}`. Names are defined with
    /// `GenkitBuilder::named_middleware`.
    #[must_use]
    pub fn with_middleware<T: Into<Value>>(
        mut self,
        middleware: impl IntoIterator<Item = T>,
    ) -> Self {
        self.middleware.extend(middleware.into_iter().map(Into::into));
        self
    }

    /// Adds documents to base the response on.
    #[must_use]
    pub fn with_docs<D: Into<Document>>(mut self, docs: impl IntoIterator<Item = D>) -> Self {
        self.docs.extend(docs.into_iter().map(Into::into));
        self
    }

    /// Replaces the names of tools that `find` resolves with the tools themselves.
    pub(super) fn with_tools_found(mut self, find: impl Fn(&str) -> Vec<Tool>) -> Self {
        let found = |tool: PromptTool| match tool {
            PromptTool::Name(name) => match find(&name) {
                none if none.is_empty() => vec![PromptTool::Name(name)],
                found => found.into_iter().map(PromptTool::Value).collect(),
            },
            value => vec![value],
        };
        self.tools = self.tools.into_iter().flat_map(found).collect();
        self
    }

    /// Returns the name of the model.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the model settings.
    pub fn config(&self) -> &Map<String, Value> {
        &self.config
    }

    /// Returns the tools of the run.
    pub fn tools(&self) -> &[PromptTool] {
        &self.tools
    }

    /// Returns the tool choice: whether the model may, must or must not use tools.
    pub fn tool_choice(&self) -> Option<&ToolChoice> {
        self.tool_choice.as_ref()
    }

    /// Returns the turn limit: the maximum number of rounds of tool calls.
    pub fn max_turns(&self) -> Option<usize> {
        self.max_turns
    }

    /// Returns whether tool requests are returned to the caller instead of being run.
    pub fn return_tool_requests(&self) -> Option<bool> {
        self.return_tool_requests
    }

    /// Returns the output options: the format, schema and instructions of the response.
    pub fn output(&self) -> Option<&OutputOptions> {
        self.output.as_ref()
    }

    /// Returns the middleware, by name.
    pub fn middleware(&self) -> &[Value] {
        &self.middleware
    }

    /// Returns the documents to base the response on.
    pub fn docs(&self) -> &[Document] {
        &self.docs
    }
}
