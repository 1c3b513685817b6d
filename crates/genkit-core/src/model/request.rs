//! Requests to a model.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::encoded::Encoded;
use crate::message::{Message, put_cache_mark};
use crate::names::Names;
use crate::run_options::{Document, ToolChoice};
use genkit_schema::Schema;

/// The mark of the loop, in the metadata of a call, that it made the `ref` up: a provider does not
/// send such a one.
pub const GENERATED_REF: &str = "generatedRef";

/// The answer that a provider makes up for a call that has none, where its API wants one of each.
pub const UNANSWERED: &str = "This call was not answered.";

/// Model request: what one call asks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Settings: Genkit's common ones (`temperature`, `maxOutputTokens`, `topK`, `topP`,
    /// `stopSequences`, `seed`, `reasoningEffort`, `version`) and the provider's own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// The tools that it may ask for.
    #[serde(default)]
    pub tools: Vec<ToolDefinition>,
    /// Tool choice: whether it may, must or must not ask for tools, or which one it must ask for.
    #[serde(flatten, with = "crate::run_options::tool_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// Output configuration: what the answer must look like.
    #[serde(default)]
    pub output: OutputConfig,
    /// Documents to answer from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Document>,
    /// Of a request that belongs to a run.
    #[serde(skip)]
    pub encoded: Encoded,
}

impl ModelRequest {
    /// The names of its tools, as a provider takes them.
    pub fn names(&self) -> Names<'_> {
        Names::new(self.tools.iter().map(|tool| tool.name.as_str()))
    }

    /// A request with these messages and nothing else.
    ///
    /// ```
    /// use genkit::Message;
    /// use genkit::model::{ModelRequest, ToolChoice, ToolDefinition};
    ///
    /// let request = ModelRequest::new([Message::user("What time is it?")])
    ///     .with_temperature(0.0)
    ///     .with_tools([ToolDefinition::new("now", "Tells the time.")])
    ///     .with_tool_choice(ToolChoice::tool("now"));
    /// assert_eq!(request.config["temperature"], 0.0);
    /// assert!(request.docs.is_empty());
    /// ```
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// The same as the loop has it, which only adds messages from now on: for benches.
    #[doc(hidden)]
    #[must_use]
    pub fn of_run(mut self) -> Self {
        self.encoded = Encoded::kept();
        self
    }

    /// Adds one more setting; it replaces one of the same name.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    crate::setting_methods! {
        #[must_use]
        with_temperature, with_top_p, with_top_k, with_max_output_tokens, with_stop_sequences,
        with_seed, with_reasoning
    }

    fn setting(self, key: &str, value: Value) -> Self {
        self.with_config(key, value)
    }

    /// Sets the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolDefinition>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets the tool choice.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }

    /// Sets the output configuration: what the answer must look like.
    #[must_use]
    pub fn with_output(mut self, output: OutputConfig) -> Self {
        self.output = output;
        self
    }

    /// Sets the documents to answer from.
    #[must_use]
    pub fn with_docs<D: Into<Document>>(mut self, docs: impl IntoIterator<Item = D>) -> Self {
        self.docs = docs.into_iter().map(Into::into).collect();
        self
    }
}

/// Tool definition: a tool as a model sees it.
///
/// ```
/// use genkit::model::ToolDefinition;
/// use serde_json::json;
///
/// let tool = ToolDefinition::new("now", "Tells the time.").with_input_schema(json!({"type": "object"}));
/// assert_eq!(tool.input_schema().unwrap()["type"], "object");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Name, which may be longer or richer than a provider takes: the provider sends a safe, unique
    /// one and maps it back.
    pub name: String,
    /// Description: what it is for.
    #[serde(default)]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_schema: Option<Schema>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Schema>,
    /// Metadata: data for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ToolDefinition {
    /// Tool definition without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: None,
            output_schema: None,
            metadata: Map::new(),
        }
    }

    /// Sets the input schema: that of its arguments.
    #[must_use]
    pub fn with_input_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.input_schema = Some(schema.into());
        self
    }

    /// Sets the output schema: that of its result.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// Adds one more entry to its metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Cache mark: the provider keeps the tools up to this one. See
    /// [`Part::with_cache`](crate::message::Part::with_cache); a `#[tool]` has it in its metadata, as `cache_control`.
    #[must_use]
    pub fn with_cache(mut self) -> Self {
        put_cache_mark(&mut self.metadata, Duration::ZERO);
        self
    }

    /// Input schema: that of its arguments, as exact as it was given.
    pub fn input_schema(&self) -> Option<&Value> {
        self.input_schema.as_deref()
    }

    /// Output schema: that of its result, as exact as it was given.
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_deref()
    }

    /// The schema of its arguments with the dialects that were made of it.
    pub fn shared_input(&self) -> Option<&Schema> {
        self.input_schema.as_ref()
    }

    pub fn with_shared(mut self, input: Option<Schema>, output: Option<Schema>) -> Self {
        self.input_schema = input;
        self.output_schema = output;
        self
    }
}

/// Output configuration: what an answer must look like.
///
/// ```
/// use genkit::model::OutputConfig;
/// use serde_json::json;
///
/// let output = OutputConfig::default().with_format("json").with_schema(json!({"type": "object"}));
/// assert!(output.is_json());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutputConfig {
    /// Output format: `text`, `json`, `array`, `enum`, `jsonl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The schema of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
    /// Constrained output: whether the model is to be bound to the schema by its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<bool>,
    /// The media type of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

impl OutputConfig {
    /// Sets the output format: `text`, `json`, `array`, `enum`, `jsonl`.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }

    /// Sets the schema of the value.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// Sets whether the provider binds the model to the schema.
    #[must_use]
    pub fn with_constrained(mut self, yes: bool) -> Self {
        self.constrained = Some(yes);
        self
    }

    /// Sets the media type of the text.
    #[must_use]
    pub fn with_content_type(mut self, media_type: impl Into<String>) -> Self {
        self.content_type = Some(media_type.into());
        self
    }

    /// Whether JSON is asked for, by its format or its media type.
    pub fn is_json(&self) -> bool {
        self.content_type.as_deref().is_some_and(|kind| kind.ends_with("/json"))
            || self.format.as_deref().is_some_and(|format| matches!(format, "json" | "array"))
    }
}
