//! The format of a case.

use genkit::generate::GenerateOptions;
use genkit::message::ToolRequest;
use genkit::model::{GenerateChunk, ModelResponse, Supports};
use genkit::{Error, ErrorKind, Part};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The cases of one test file of Genkit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub file: String,
    /// The number of tests in the file.
    pub tests: usize,
    pub cases: Vec<Case>,
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// A test of a feature that does not exist here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    pub from: String,
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// The file and the name of the original test.
    pub from: String,
    /// Further tests that check the same.
    #[serde(default)]
    also: Vec<String>,
    /// The checks in addition to those of the original.
    pub varies: Option<String>,
    /// The reason why the outcome is different here.
    pub differs: Option<String>,
    /// The outcome of Genkit instead, in the keys of `expect`.
    #[serde(default)]
    pub genkit: Map<String, Value>,
    /// The reason why the case does not pass, although it should.
    pub open: Option<String>,

    #[serde(default)]
    pub tools: Vec<Acting>,
    #[serde(default)]
    pub resources: Vec<Holding>,
    #[serde(default)]
    pub middleware: Vec<Around>,
    #[serde(default)]
    pub model: Vec<Said>,
    pub supports: Option<Supports>,

    /// Text or parts.
    pub prompt: Option<Value>,
    pub system: Option<String>,
    #[serde(default)]
    pub input: GenerateOptions,
    /// The context, available to the tools of the run.
    pub context: Option<Value>,
    /// The state, available to the tools of the program.
    pub state: Option<Value>,
    #[serde(default)]
    pub strict: bool,
    #[serde(default)]
    pub stream: bool,
    /// An answer to each interrupt, in order.
    #[serde(default)]
    pub resume: Vec<Answering>,

    pub expect: Map<String, Value>,
    pub expect_resumed: Option<Map<String, Value>>,
}

impl Case {
    /// Returns the original tests that the case covers.
    pub fn origins(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.from).chain(&self.also).map(String::as_str)
    }
}

/// A tool, defined by its behavior. One without behavior has no function.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acting {
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub input_schema: Option<Value>,
    pub output_schema: Option<Value>,
    /// The metadata of the tool's definition.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// If true, the tool is in the registry, instead of being passed to the run.
    #[serde(default)]
    pub registered: bool,
    #[serde(default)]
    pub after_ms: u64,
    pub error: Option<Failing>,
    /// Interrupts with this value, in which `"$input"` is replaced by the tool's input.
    #[serde(default, deserialize_with = "present")]
    pub interrupts: Option<Value>,
    /// Interrupts again until it is resumed with this value; always if missing.
    pub until: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub output: Option<Value>,
    /// If true, the tool returns its input.
    #[serde(default)]
    pub echo: bool,
    /// If set, the tool returns the context of the run (`run`) or the state of the program (`program`).
    pub lent: Option<String>,
    #[serde(default)]
    pub content: Vec<Part>,
    /// The metadata of the tool's response.
    #[serde(default)]
    pub with: Map<String, Value>,
}

/// A resource; one without `given` is in the registry.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holding {
    pub uri: String,
    pub name: String,
    #[serde(default)]
    pub given: bool,
    pub contents: Vec<Held>,
}

/// A text, with its own URI if it has one.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    pub text: String,
    pub uri: Option<String>,
}

/// Middleware of a run; `{}` in a text is the original text.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Around {
    pub request: Option<String>,
    pub response: Option<String>,
    pub chunk: Option<String>,
    /// Returns this without calling the model.
    pub instead: Option<String>,
}

/// A response from the model: a text, calls, or a complete response.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    #[serde(default)]
    pub chunks: Vec<GenerateChunk>,
    text: Option<String>,
    calls: Option<Vec<ToolRequest>>,
    response: Option<ModelResponse>,
    /// The number of times that it is returned. Default is once.
    pub times: Option<usize>,
}

impl Said {
    pub fn response(&self) -> ModelResponse {
        match (&self.text, &self.calls, &self.response) {
            (Some(text), None, None) => ModelResponse::from_text(text),
            (None, Some(calls), None) => ModelResponse::from_tool_requests(calls.clone()),
            (None, None, Some(response)) => response.clone(),
            _ => panic!("a model says a text, calls or a response: one of them"),
        }
    }
}

/// An answer to an interrupt: `respond` in place of the tool, or `restart`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answering {
    #[serde(default, deserialize_with = "present")]
    pub respond: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub restart: Option<Value>,
    /// The new input of the restarted call.
    #[serde(default, deserialize_with = "present")]
    pub input: Option<Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    pub message: String,
}

impl Failing {
    pub fn error(&self) -> Error {
        Error::new(ErrorKind::Unknown, self.message.as_str())
    }
}

/// Deserializes a value. A null counts as present.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
