//! Generate options: a run as plain data, as Genkit's developer tools send it to `/util/generate`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Result;
use crate::generate::error::Error as E;
use crate::generate::interrupt::Resume;
use crate::message::Message;
use crate::model::request::{ModelRequest, OutputConfig};
use crate::run_options::{Document, Format, Instructions, OutputOptions, ToolChoice, UsageLimit};
use genkit_schema::Schema;

/// The serializable options of a run, in the JSON format that other Genkit implementations use.
///
/// ```
/// use genkit::generate::GenerateOptions;
/// use genkit::{Genkit, Registry, testing::ScriptedModel};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new()).default_model(ScriptedModel::text("hello")).build()?;
/// let options: GenerateOptions = serde_json::from_value(json!({
///     "messages": [{"role": "user", "content": [{"text": "hi"}]}],
///     "config": {"temperature": 0},
/// }))?;
/// assert_eq!(genkit.generate_with(options).await?.text(), "hello");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GenerateOptions {
    /// The name of the model. Default is the default model of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Documents as context for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Document>,
    /// The conversation.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// The names of tools, or patterns that contain `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The URIs of resources that messages may refer to. Resources of the registry do not need to be listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The tool choice: whether the model may, must or must not call tools.
    #[serde(flatten, with = "crate::run_options::tool_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// The model settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
    /// The output options: the format and schema of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputOptions>,
    /// Answers to the interrupts of the run that is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Whether tool requests are returned to the caller instead of being run. Default is `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_tool_requests: Option<bool>,
    /// The turn limit: the maximum number of rounds of tool calls. Default is 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<usize>,
    /// The usage limit: the number of tokens and model calls that the run may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_limit: Option<UsageLimit>,
    /// The names of the tools that end the run after a successful call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_on_tools: Vec<String>,
    /// Middleware by name, or as `{"name": .., "config": ..}`: see
    /// `GenkitBuilder::named_middleware`.
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub middleware: Vec<Value>,
    /// The step name, which is recorded in traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_name: Option<String>,
}

/// Defines setters that return the value with one field replaced.
macro_rules! with_field {
    ($($(#[$doc:meta])* $method:ident: $field:ident = $type:ty => |$value:ident| $set:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $value: $type) -> Self {
            self.$field = $set;
            self
        }
    )*};
}

impl GenerateOptions {
    /// Creates options with these messages.
    ///
    /// ```
    /// use genkit::Message;
    /// use genkit::generate::{GenerateOptions, OutputOptions};
    /// use serde_json::json;
    ///
    /// let options = GenerateOptions::new([Message::user("A poem!")])
    ///     .with_model("gemini/gemini-2.5-flash")
    ///     .with_max_turns(3)
    ///     .with_output(OutputOptions::default().with_json_schema(json!({"type": "object"})));
    /// assert_eq!(serde_json::to_value(&options)?["maxTurns"], 3);
    /// # Ok::<(), genkit::Error>(())
    /// ```
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    with_field! {
        /// Sets the name of the model.
        with_model: model = impl Into<String> => |model| Some(model.into());
        /// Sets the documents, as context for the model.
        with_docs: docs = Vec<Document> => |docs| docs;
        /// Sets the names of the tools, or patterns with `*`.
        with_tools: tools = Vec<String> => |tools| tools;
        /// Sets the URIs of resources that messages may refer to.
        with_resources: resources = Vec<String> => |uris| uris;
        /// Sets the tool choice.
        with_tool_choice: tool_choice = ToolChoice => |choice| Some(choice);
        /// Sets the model settings.
        with_config: config = Map<String, Value> => |config| Some(config);
        /// Sets the output options: the format and schema of the response.
        with_output: output = OutputOptions => |output| Some(output);
        /// Sets the answers to the interrupts of the run that is resumed.
        with_resume: resume = Resume => |resume| Some(resume);
        /// Sets whether tool requests are returned to the caller instead of being run.
        with_return_tool_requests: return_tool_requests = bool => |yes| Some(yes);
        /// Sets the turn limit: the maximum number of rounds of tool calls.
        with_max_turns: max_turns = usize => |rounds| Some(rounds);
        /// Sets the usage limit: the number of tokens and model calls that the run may use.
        with_usage_limit: usage_limit = UsageLimit => |limit| Some(limit);
        /// Sets the names of the tools that end the run after a successful call.
        with_stop_on_tools: stop_on_tools = Vec<String> => |names| names;
        /// Sets the step name, which is recorded in traces.
        with_step_name: step_name = impl Into<String> => |name| Some(name.into());
    }

    crate::setting_methods! {
        #[must_use]
        with_temperature, with_top_p, with_top_k, with_max_output_tokens, with_stop_sequences,
        with_seed, with_reasoning
    }

    fn setting(mut self, key: &str, value: Value) -> Self {
        self.config.get_or_insert_default().insert(key.to_owned(), value);
        self
    }

    /// Creates the options of a run that continues from the messages and settings of `request`.
    #[doc(hidden)]
    pub fn from_request(request: ModelRequest) -> Self {
        let ModelRequest { messages, config, tool_choice, output, docs, .. } = request;
        Self {
            docs,
            messages,
            tool_choice,
            config: Some(config).filter(|config| !config.is_empty()),
            output: output.format.is_some().then(|| OutputOptions::from_config(output)),
            ..Self::default()
        }
    }

    /// Converts the options into a model request. Fields that a request does not have are dropped.
    #[doc(hidden)]
    pub fn into_request(self) -> ModelRequest {
        let mut request = ModelRequest::new(self.messages);
        request.config = self.config.unwrap_or_default();
        request.tool_choice = self.tool_choice;
        request.output = self.output.map(OutputOptions::into_config).unwrap_or_default();
        request.docs = self.docs;
        request
    }
}

impl OutputOptions {
    with_field! {
        /// Sets the output format.
        with_format: format = Format => |format| Some(format.as_str().to_owned());
        /// Sets the media type of the output.
        with_content_type: content_type = impl Into<String> => |kind| Some(kind.into());
        /// Sets the output instructions.
        with_instructions: instructions = impl Into<Instructions> => |text| Some(text.into());
        /// Sets the JSON Schema of the output.
        with_json_schema: json_schema = impl Into<Schema> => |schema| Some(schema.into());
        /// Sets whether the provider should enforce the schema.
        with_constrained: constrained = bool => |yes| Some(yes);
    }

    /// Returns the requested format, which is JSON if only a schema is set.
    #[doc(hidden)]
    pub fn parse_format(&self) -> Result<Option<Format>> {
        match &self.format {
            Some(name) => Format::from_name(name)
                .map(Some)
                .ok_or_else(|| E::UnknownFormat(name.clone()).into()),
            None => Ok(self.json_schema.as_ref().map(|_| Format::Json)),
        }
    }

    fn from_config(config: OutputConfig) -> Self {
        let OutputConfig { format, schema, constrained, content_type } = config;
        // The messages already contain any instructions that were needed.
        let instructions = (constrained != Some(true)).then_some(Instructions::Use(false));
        Self { format, content_type, instructions, json_schema: schema, constrained }
    }

    #[doc(hidden)]
    pub fn into_config(self) -> OutputConfig {
        let Self { format, content_type, json_schema: schema, constrained, .. } = self;
        OutputConfig { format, schema, constrained, content_type }
    }
}
