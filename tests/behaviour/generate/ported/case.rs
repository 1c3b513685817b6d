//! A case as it is written.

use genkit::generate::GenerateOptions;
use genkit::message::ToolRequest;
use genkit::model::{GenerateChunk, ModelResponse, Supports};
use genkit::{Error, ErrorKind, Part};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// One file of Genkit's tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub file: String,
    /// How many tests it has.
    pub tests: usize,
    pub cases: Vec<Case>,
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// A test of something that there is not here.
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
    /// File and name of the test that it is taken from.
    pub from: String,
    /// Further tests that say the same.
    #[serde(default)]
    also: Vec<String>,
    /// What it tries that the original does not.
    pub varies: Option<String>,
    /// Why it ends in another way here.
    pub differs: Option<String>,
    /// What of it Genkit shows instead, in the keys of `expect`.
    #[serde(default)]
    pub genkit: Map<String, Value>,
    /// Why it does not hold, where it should.
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
    /// Lent to the tools of the run.
    pub context: Option<Value>,
    /// Lent to the tools of the program.
    pub state: Option<Value>,
    #[serde(default)]
    pub strict: bool,
    #[serde(default)]
    pub stream: bool,
    /// An answer to each interrupt, in their order.
    #[serde(default)]
    pub resume: Vec<Answering>,

    pub expect: Map<String, Value>,
    pub expect_resumed: Option<Map<String, Value>>,
}

impl Case {
    /// The tests that it stands for.
    pub fn origins(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.from).chain(&self.also).map(String::as_str)
    }
}

/// A tool by what it does. One that does nothing has no function.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acting {
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub input_schema: Option<Value>,
    pub output_schema: Option<Value>,
    /// Of its definition.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Whether it is in the registry, instead of given to the run.
    #[serde(default)]
    pub registered: bool,
    #[serde(default)]
    pub after_ms: u64,
    pub error: Option<Failing>,
    /// Asks with this; `"$input"` in it is what it was called with.
    #[serde(default, deserialize_with = "present")]
    pub interrupts: Option<Value>,
    /// Asks again until this is answered; for ever where it is missing.
    pub until: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub output: Option<Value>,
    /// Gives what it was called with.
    #[serde(default)]
    pub echo: bool,
    /// Gives what was lent: `run` or `program`.
    pub lent: Option<String>,
    #[serde(default)]
    pub content: Vec<Part>,
    /// Of its answer.
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

/// A text, with its own address if it has one.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    pub text: String,
    pub uri: Option<String>,
}

/// Code around a run; `{}` in a text is what stood there.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Around {
    pub request: Option<String>,
    pub response: Option<String>,
    pub chunk: Option<String>,
    /// Answers this without asking the model.
    pub instead: Option<String>,
}

/// An answer of the model: a text, calls, or a whole response.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    #[serde(default)]
    pub chunks: Vec<GenerateChunk>,
    text: Option<String>,
    calls: Option<Vec<ToolRequest>>,
    response: Option<ModelResponse>,
    /// How often it says so. Default is once.
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

/// An answer to an interrupt: `respond` in the tool's place, or `restart`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answering {
    #[serde(default, deserialize_with = "present")]
    pub respond: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub restart: Option<Value>,
    /// What the restarted call gets instead.
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

/// A value that may be null is there all the same.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
