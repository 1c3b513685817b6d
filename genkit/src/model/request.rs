//! Requests to a model.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::encoded::Encoded;
use crate::message::{Message, put_cache_mark};
#[cfg(feature = "http-model")]
use crate::names::Names;
use crate::run_options::{Document, ToolChoice, setting_methods};
use crate::schema::Schema;

/// The mark of the loop, in the metadata of a call, that it made the `ref` up: a provider does not
/// send such a one.
pub(crate) const GENERATED_REF: &str = "generatedRef";

/// The answer that a provider makes up for a call that has none, where its API wants one of each.
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai"))]
pub(crate) const UNANSWERED: &str = "This call was not answered.";

/// One request to a model.
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
    /// Whether it may, must or must not ask for tools, or which one it must ask for.
    #[serde(flatten, with = "crate::run_options::tool_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// What the answer must look like.
    #[serde(default)]
    pub output: OutputConfig,
    /// Documents to answer from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Document>,
    /// Of a request that belongs to a run.
    #[serde(skip)]
    pub(crate) encoded: Encoded,
}

impl ModelRequest {
    /// The names of its tools, as a provider takes them.
    #[cfg(feature = "http-model")]
    pub(crate) fn names(&self) -> Names<'_> {
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

    /// The same with one more setting; it replaces one of the same name.
    #[must_use]
    pub fn with_config(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    setting_methods! {
        #[must_use]
        with_temperature, with_top_p, with_top_k, with_max_output_tokens, with_stop_sequences,
        with_seed, with_reasoning
    }

    fn setting(self, key: &str, value: Value) -> Self {
        self.with_config(key, value)
    }

    /// The same with these tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolDefinition>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// The same with a choice of tools.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }

    /// The same with what the answer must look like.
    #[must_use]
    pub fn with_output(mut self, output: OutputConfig) -> Self {
        self.output = output;
        self
    }

    /// The same with these documents to answer from.
    #[must_use]
    pub fn with_docs<D: Into<Document>>(mut self, docs: impl IntoIterator<Item = D>) -> Self {
        self.docs = docs.into_iter().map(Into::into).collect();
        self
    }
}

/// A tool as a model sees it.
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
    /// Its name, which may be longer or richer than a provider takes: the provider sends a safe,
    /// unique one and maps it back.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_schema: Option<Schema>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Schema>,
    /// Data for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ToolDefinition {
    /// A tool without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: None,
            output_schema: None,
            metadata: Map::new(),
        }
    }

    /// The same with a schema of its arguments.
    #[must_use]
    pub fn with_input_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.input_schema = Some(schema.into());
        self
    }

    /// The same with a schema of its result.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// The same with one more entry for programs.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// The same with a cache mark: the provider keeps the tools up to this one. See
    /// [`Part::with_cache`](crate::Part::with_cache); a `#[tool]` has it in its metadata, as `cache_control`.
    #[must_use]
    pub fn with_cache(mut self) -> Self {
        put_cache_mark(&mut self.metadata, Duration::ZERO);
        self
    }

    /// The exact schema of its arguments.
    pub fn input_schema(&self) -> Option<&Value> {
        self.input_schema.as_deref()
    }

    /// The exact schema of its result.
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_deref()
    }

    /// The schema of its arguments with the dialects that were made of it.
    #[cfg(feature = "http-model")]
    pub(crate) fn shared_input(&self) -> Option<&Schema> {
        self.input_schema.as_ref()
    }

    pub(crate) fn with_shared(mut self, input: Option<Schema>, output: Option<Schema>) -> Self {
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
    /// `text`, `json`, `array`, `enum`, `jsonl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The schema of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
    /// Whether the model is to be bound to the schema by its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<bool>,
    /// The media type of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

impl OutputConfig {
    /// The same with a format: `text`, `json`, `array`, `enum`, `jsonl`.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }

    /// The same with the schema of the value.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// The same, bound to the schema by the provider or not.
    #[must_use]
    pub fn with_constrained(mut self, yes: bool) -> Self {
        self.constrained = Some(yes);
        self
    }

    /// The same with the media type of the text.
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
