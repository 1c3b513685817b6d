//! The metadata of a prompt.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

/// The metadata of a prompt: its frontmatter with schemas expanded to JSON Schema, in the format of the specification
/// (`model`, `config`, `input`, `output`, `tools`, `toolDefs`, .., `ext`, `raw`).
///
/// Metadata that is passed as options to [`metadata`](crate::Environment::metadata) overrides the prompt's metadata:
/// whole keys are replaced, except `config`, which is merged key by key. [`render`](crate::Environment::render) uses
/// only the `input.default` of its options. Cheap to clone.
///
/// ```
/// use genkit_dotprompt::{Environment, Metadata, PromptFile};
///
/// let prompt = PromptFile::parse("p", "---\nmodel: vendor/name\nmaxTurns: 3\nconfig: {topK: 1}\n---\nHi")?;
/// let options = Metadata::from(serde_json::json!({"config": {"topP": 0.5}}));
/// let metadata = Environment::default().metadata(&prompt, &options)?;
/// assert_eq!(metadata.model(), Some("vendor/name"));
/// assert_eq!(metadata.max_turns(), Some(3));
/// assert_eq!(metadata.config().unwrap().len(), 2);
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata(Arc<Map<String, Value>>);

impl From<Map<String, Value>> for Metadata {
    fn from(map: Map<String, Value>) -> Self {
        Self(Arc::new(map))
    }
}

/// A value that is not an object results in empty metadata.
impl From<Value> for Metadata {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => map.into(),
            _ => Self::default(),
        }
    }
}

impl Metadata {
    /// Returns the value of a key of the specification.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns all keys.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    fn text_value(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn raw_value(&self, key: &str) -> Option<&Value> {
        self.raw()?.get(key).filter(|value| !value.is_null())
    }

    /// Returns the name of the model (`model`).
    pub fn model(&self) -> Option<&str> {
        self.text_value("model")
    }

    /// Returns the `name`, if the frontmatter has one.
    pub fn name(&self) -> Option<&str> {
        self.text_value("name")
    }

    /// Returns the `variant`, if the frontmatter has one.
    pub fn variant(&self) -> Option<&str> {
        self.text_value("variant")
    }

    /// Returns the `version`, if it is text.
    pub fn version(&self) -> Option<&str> {
        self.text_value("version")
    }

    /// Returns the `description`.
    pub fn description(&self) -> Option<&str> {
        self.text_value("description")
    }

    /// Returns the options of the model (`config`).
    pub fn config(&self) -> Option<&Map<String, Value>> {
        self.get("config")?.as_object()
    }

    /// Returns the JSON Schema of the variables (`input.schema`).
    pub fn input_schema(&self) -> Option<&Value> {
        non_empty_schema(self.get("input")?)
    }

    /// Returns the default values of variables (`input.default`).
    pub fn input_default(&self) -> Option<&Map<String, Value>> {
        self.get("input")?.get("default")?.as_object()
    }

    /// Returns the JSON Schema of the model's output (`output.schema`).
    pub fn output_schema(&self) -> Option<&Value> {
        non_empty_schema(self.get("output")?)
    }

    /// Returns the `output.format`, such as `json` or `text`.
    pub fn output_format(&self) -> Option<&str> {
        self.get("output")?.get("format")?.as_str()
    }

    /// Returns the names of the tools (`tools`) that have no definition in the environment.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the definitions of tools (`toolDefs`), from the file or from the environment.
    pub fn tool_defs(&self) -> &[Value] {
        self.get("toolDefs").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the fields of keys that contain a dot, by namespace (`ext`).
    pub fn ext(&self) -> Option<&Map<String, Value>> {
        self.get("ext")?.as_object()
    }

    /// Returns the unprocessed frontmatter, if the file has one.
    pub fn raw(&self) -> Option<&Map<String, Value>> {
        self.get("raw")?.as_object()
    }

    /// Returns `maxTurns` of the frontmatter.
    pub fn max_turns(&self) -> Option<u64> {
        self.raw_value("maxTurns")?.as_u64()
    }

    /// Returns `toolChoice` of the frontmatter: `auto`, `required` or `none`.
    pub fn tool_choice(&self) -> Option<&str> {
        self.raw_value("toolChoice")?.as_str()
    }

    /// Returns `returnToolRequests` of the frontmatter.
    pub fn return_tool_requests(&self) -> Option<bool> {
        self.raw_value("returnToolRequests")?.as_bool()
    }

    /// Returns `use` of the frontmatter, unchecked: a list of middleware by name or as `{name, config}`.
    pub fn uses(&self) -> Option<&Value> {
        self.raw_value("use")
    }

    /// Returns `metadata` of the frontmatter, unchecked.
    pub fn metadata(&self) -> Option<&Value> {
        self.raw_value("metadata")
    }
}

/// Returns the schema, unless it is `null` or `""`.
fn non_empty_schema(section: &Value) -> Option<&Value> {
    section.get("schema").filter(|schema| !schema.is_null() && schema.as_str() != Some(""))
}

/// The metadata of a prompt without options.
#[derive(Debug)]
pub(crate) struct ExpandedMetadata {
    /// The id of the environment that expanded the metadata.
    pub(crate) environment: u64,
    pub(crate) whole: Metadata,
    /// Copied when the prompt is first rendered, since most prompts of a folder are never rendered.
    without_input: OnceLock<Metadata>,
}

impl ExpandedMetadata {
    pub(crate) fn new(environment: u64, whole: Metadata) -> Self {
        Self { environment, whole, without_input: OnceLock::new() }
    }

    pub(crate) fn without_input(&self) -> &Metadata {
        self.without_input.get_or_init(|| {
            let all = self.whole.as_map().iter().filter(|(key, _)| *key != "input");
            all.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
        })
    }
}
