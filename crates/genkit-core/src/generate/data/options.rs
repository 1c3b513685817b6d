//! Generate options: a run as plain data, as Genkit's tools send it to `/util/generate`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Result;
use crate::generate::error::Error as E;
use crate::generate::interrupt::Resume;
use crate::message::Message;
use crate::model::request::{ModelRequest, OutputConfig};
use crate::run_options::{Document, Format, Instructions, OutputOptions, ToolChoice, UsageLimit};
use genkit_schema::Schema;

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
    /// Model by its name; the program's default where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Documents to answer from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Document>,
    /// The conversation.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// Tools by their names, or patterns with `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Resources that messages may name, by their addresses; those of the registry may be named
    /// without standing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Tool choice: whether tools may, must or must not be used.
    #[serde(flatten, with = "crate::run_options::tool_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// Settings of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
    /// Output options: what the answer must look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputOptions>,
    /// Resume: the answers to an interrupted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Tool requests to the caller: whether the caller runs the tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_tool_requests: Option<bool>,
    /// Turn limit: how many rounds of tools there may be. Default is 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<usize>,
    /// Usage limit: what the run may use of its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_limit: Option<UsageLimit>,
    /// Tools whose answer ends the run, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_on_tools: Vec<String>,
    /// Middleware by name, or as `{"name": .., "config": ..}`:
    /// `GenkitBuilder::named_middleware` says what it is.
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub middleware: Vec<Value>,
    /// Step name: a name for traces.
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
        /// Sets the model, by its name.
        with_model: model = impl Into<String> => |model| Some(model.into());
        /// Sets the documents to answer from.
        with_docs: docs = Vec<Document> => |docs| docs;
        /// Sets the tools, by their names or patterns with `*`.
        with_tools: tools = Vec<String> => |tools| tools;
        /// Sets the resources that messages may name, by their addresses.
        with_resources: resources = Vec<String> => |uris| uris;
        /// Sets the tool choice.
        with_tool_choice: tool_choice = ToolChoice => |choice| Some(choice);
        /// Sets the settings of the model.
        with_config: config = Map<String, Value> => |config| Some(config);
        /// Sets the output options: what the answer must look like.
        with_output: output = OutputOptions => |output| Some(output);
        /// Sets the answers to an interrupted run.
        with_resume: resume = Resume => |resume| Some(resume);
        /// Sets whether the caller runs the tools.
        with_return_tool_requests: return_tool_requests = bool => |yes| Some(yes);
        /// Sets the turn limit: how many rounds of tools there may be.
        with_max_turns: max_turns = usize => |rounds| Some(rounds);
        /// Sets the usage limit: what the run may use.
        with_usage_limit: usage_limit = UsageLimit => |limit| Some(limit);
        /// Sets the tools whose answer ends the run, by their names.
        with_stop_on_tools: stop_on_tools = Vec<String> => |names| names;
        /// Sets the step name: a name for traces.
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

    /// The options of a run that goes on from `messages` as `request` was made.
    pub fn of_request(request: ModelRequest) -> Self {
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
        /// Sets the media type of the answer.
        with_content_type: content_type = impl Into<String> => |kind| Some(kind.into());
        /// Sets the output instructions.
        with_instructions: instructions = impl Into<Instructions> => |text| Some(text.into());
        /// Sets the schema of the value.
        with_json_schema: json_schema = impl Into<Schema> => |schema| Some(schema.into());
        /// Sets whether the provider is to bind the answer to the schema.
        with_constrained: constrained = bool => |yes| Some(yes);
    }

    /// The format that is asked for: JSON where there is only a schema.
    pub fn format(&self) -> Result<Option<Format>> {
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

    pub fn into_config(self) -> OutputConfig {
        let Self { format, content_type, json_schema: schema, constrained, .. } = self;
        OutputConfig { format, schema, constrained, content_type }
    }
}
