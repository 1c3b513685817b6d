//! Generate options: a run as plain data, as Genkit's tools send it to `/util/generate`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Result;
use crate::generate::error::Error as E;
use crate::generate::interrupt::Resume;
use crate::message::Message;
use crate::model::{ModelRequest, OutputConfig};
use crate::run_options::{
    Document, Format, Instructions, OutputOptions, ToolChoice, UsageLimit, setting_methods,
};
use crate::schema::Schema;

/// Generate options: everything about a run that is data, in Genkit's JSON.
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
    /// The model's name; the program's default where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Documents to answer from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Document>,
    /// The conversation.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// The names of tools, or patterns with `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The addresses of resources that messages may name; those of the registry may be named
    /// without standing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Whether tools may, must or must not be used.
    #[serde(flatten, with = "crate::run_options::tool_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// Settings of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
    /// What the answer must look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputOptions>,
    /// The answers to an interrupted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Whether the caller runs the tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_tool_requests: Option<bool>,
    /// How many rounds of tools there may be. Default is 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<usize>,
    /// What the run may use of its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_limit: Option<UsageLimit>,
    /// The names of tools whose answer ends the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_on_tools: Vec<String>,
    /// Middleware by name, or as `{"name": .., "config": ..}`:
    /// [`GenkitBuilder::named_middleware`](crate::GenkitBuilder::named_middleware) says what it is.
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub middleware: Vec<Value>,
    /// A name for traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_name: Option<String>,
}

/// The same value with another field.
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
    /// Options of a run that asks with these messages.
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
        /// The same options with the name of a model.
        with_model: model = impl Into<String> => |model| Some(model.into());
        /// The same options with these documents to answer from.
        with_docs: docs = Vec<Document> => |docs| docs;
        /// The same options with the names of these tools, or patterns with `*`.
        with_tools: tools = Vec<String> => |tools| tools;
        /// The same options with the addresses of these resources.
        with_resources: resources = Vec<String> => |uris| uris;
        /// The same options with this choice of tools.
        with_tool_choice: tool_choice = ToolChoice => |choice| Some(choice);
        /// The same options with these settings of the model.
        with_config: config = Map<String, Value> => |config| Some(config);
        /// The same options with what the answer must look like.
        with_output: output = OutputOptions => |output| Some(output);
        /// The same options with the answers to an interrupted run.
        with_resume: resume = Resume => |resume| Some(resume);
        /// The same options; whether the caller runs the tools.
        with_return_tool_requests: return_tool_requests = bool => |yes| Some(yes);
        /// The same options with a limit on the rounds of tools.
        with_max_turns: max_turns = usize => |rounds| Some(rounds);
        /// The same options with a limit on what the run may use.
        with_usage_limit: usage_limit = UsageLimit => |limit| Some(limit);
        /// The same options with the names of tools whose answer ends the run.
        with_stop_on_tools: stop_on_tools = Vec<String> => |names| names;
        /// The same options with a name for traces.
        with_step_name: step_name = impl Into<String> => |name| Some(name.into());
    }

    setting_methods! {
        #[must_use]
        with_temperature, with_top_p, with_top_k, with_max_output_tokens, with_stop_sequences,
        with_seed, with_reasoning
    }

    fn setting(mut self, key: &str, value: Value) -> Self {
        self.config.get_or_insert_default().insert(key.to_owned(), value);
        self
    }

    /// The options of a run that goes on from `messages` as `request` was made.
    pub(crate) fn of_request(request: ModelRequest) -> Self {
        let ModelRequest { messages, config, tool_choice, output, docs, .. } = request;
        Self {
            docs,
            messages,
            tool_choice,
            config: Some(config).filter(|config| !config.is_empty()),
            output: output.format.is_some().then(|| OutputOptions::of_config(output)),
            ..Self::default()
        }
    }

    /// The request of a model, as far as it stands here.
    pub(crate) fn into_request(self) -> ModelRequest {
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
        /// The same options with a format.
        with_format: format = Format => |format| Some(format.as_str().to_owned());
        /// The same options with the media type of the answer.
        with_content_type: content_type = impl Into<String> => |kind| Some(kind.into());
        /// The same options with instructions.
        with_instructions: instructions = impl Into<Instructions> => |text| Some(text.into());
        /// The same options with the schema of the value.
        with_json_schema: json_schema = impl Into<Schema> => |schema| Some(schema.into());
        /// The same options; whether the provider is to bind the answer to the schema.
        with_constrained: constrained = bool => |yes| Some(yes);
    }

    /// The format that is asked for: JSON where there is only a schema.
    pub(crate) fn format(&self) -> Result<Option<Format>> {
        match &self.format {
            Some(name) => {
                Format::of_name(name).map(Some).ok_or_else(|| E::UnknownFormat(name.clone()).into())
            }
            None => Ok(self.json_schema.as_ref().map(|_| Format::Json)),
        }
    }

    fn of_config(config: OutputConfig) -> Self {
        let OutputConfig { format, schema, constrained, content_type } = config;
        // Where instructions were needed they stand in the messages already.
        let instructions = (constrained != Some(true)).then_some(Instructions::Use(false));
        Self { format, content_type, instructions, json_schema: schema, constrained }
    }

    pub(crate) fn into_config(self) -> OutputConfig {
        let Self { format, content_type, json_schema: schema, constrained, .. } = self;
        OutputConfig { format, schema, constrained, content_type }
    }
}
