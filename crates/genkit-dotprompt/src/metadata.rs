//! What a prompt says of itself.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

/// The metadata of a prompt: what its frontmatter says, schemas expanded to JSON Schema, in the form of the
/// specification (`model`, `config`, `input`, `output`, `tools`, `toolDefs`, .., `ext`, `raw`).
///
/// As options of [`render`](crate::Environment::render) and [`metadata`](crate::Environment::metadata) it is laid over
/// the prompt's: whole keys, but `config` key by key. Cheap to clone.
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

/// Anything but an object is no metadata: empty.
impl From<Value> for Metadata {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => map.into(),
            _ => Self::default(),
        }
    }
}

impl Metadata {
    /// A key of the specification.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// All keys.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// All keys, without a copy where nobody else holds them.
    pub fn into_map(self) -> Map<String, Value> {
        Arc::try_unwrap(self.0).unwrap_or_else(|shared| (*shared).clone())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn of_raw(&self, key: &str) -> Option<&Value> {
        self.raw()?.get(key).filter(|value| !value.is_null())
    }

    /// `model`: the model's name.
    pub fn model(&self) -> Option<&str> {
        self.text("model")
    }

    /// `name`, where the frontmatter gives one.
    pub fn name(&self) -> Option<&str> {
        self.text("name")
    }

    /// `variant`, where the frontmatter gives one.
    pub fn variant(&self) -> Option<&str> {
        self.text("variant")
    }

    /// `version`, where it is text.
    pub fn version(&self) -> Option<&str> {
        self.text("version")
    }

    /// `description`.
    pub fn description(&self) -> Option<&str> {
        self.text("description")
    }

    /// `config`: options of the model.
    pub fn config(&self) -> Option<&Map<String, Value>> {
        self.get("config")?.as_object()
    }

    /// `input.schema`: JSON Schema of the variables.
    pub fn input_schema(&self) -> Option<&Value> {
        schema(self.get("input")?)
    }

    /// `input.default`: variables that whoever renders may leave out.
    pub fn input_default(&self) -> Option<&Map<String, Value>> {
        self.get("input")?.get("default")?.as_object()
    }

    /// `output.schema`: JSON Schema of the answer.
    pub fn output_schema(&self) -> Option<&Value> {
        schema(self.get("output")?)
    }

    /// `output.format`: `json`, `text` and so on.
    pub fn output_format(&self) -> Option<&str> {
        self.get("output")?.get("format")?.as_str()
    }

    /// `tools`: names that nobody has a definition for here.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(Value::as_str)
    }

    /// `toolDefs`: definitions that stand in the file or were registered.
    pub fn tool_defs(&self) -> &[Value] {
        self.get("toolDefs").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// `ext`: the fields of keys with a dot, by namespace.
    pub fn ext(&self) -> Option<&Map<String, Value>> {
        self.get("ext")?.as_object()
    }

    /// The frontmatter as it was written; none where the file has none.
    pub fn raw(&self) -> Option<&Map<String, Value>> {
        self.get("raw")?.as_object()
    }

    /// `maxTurns` of the frontmatter.
    pub fn max_turns(&self) -> Option<u64> {
        self.of_raw("maxTurns")?.as_u64()
    }

    /// `toolChoice` of the frontmatter: `auto`, `required` or `none`.
    pub fn tool_choice(&self) -> Option<&str> {
        self.of_raw("toolChoice")?.as_str()
    }

    /// `returnToolRequests` of the frontmatter.
    pub fn return_tool_requests(&self) -> Option<bool> {
        self.of_raw("returnToolRequests")?.as_bool()
    }

    /// `use` of the frontmatter, unchecked: middleware by name or as `{name, config}`.
    pub fn uses(&self) -> Option<&Value> {
        self.of_raw("use")
    }

    /// `metadata` of the frontmatter, unchecked.
    pub fn metadata(&self) -> Option<&Value> {
        self.of_raw("metadata")
    }
}

/// `null` and `""` are no schema.
fn schema(section: &Value) -> Option<&Value> {
    section.get("schema").filter(|schema| !schema.is_null() && schema.as_str() != Some(""))
}

/// The metadata of a prompt without options.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// The environment that expanded it.
    pub(crate) environment: u64,
    pub(crate) whole: Metadata,
    /// Copied when it is rendered first: most prompts of a folder never are.
    without_input: OnceLock<Metadata>,
}

impl Expanded {
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
