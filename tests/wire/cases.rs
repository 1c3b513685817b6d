//! The cases, and the models that they test.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use genkit::model::{Anthropic, Gemini, Model, Ollama, OpenAi, OpenAiResponses, Provider};
use genkit::{Error, ErrorKind};
use genkit_tests::case_folders;
use serde_json::{Value, json};

/// The key of every call.
const KEY: &str = "KEY";

/// The providers that are compiled in.
pub const BUILT: [&str; 5] = ["anthropic", "gemini", "ollama", "openai", "openai-responses"];

/// One case.
pub struct Case {
    /// Its folder and file.
    pub name: String,
    /// The folder that it was found in.
    pub folder: String,
    pub json: Value,
}

impl Case {
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }

    pub fn provider(&self) -> &str {
        self.text("provider")
    }
}

/// Returns every case with that key: `request` or `expect`.
pub fn load(key: &str) -> Vec<Case> {
    let mut cases = all();
    cases.retain(|case| case.json.get(key).is_some());
    cases
}

/// Returns every case of every folder.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in case_folders::find("wire", "GENKIT_WIRE_DIRS", "wire") {
        for (name, path) in folder.files("json") {
            let json = read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            let is_one = json.get("request").is_some() != json.get("expect").is_some();
            assert!(is_one, "{name}: a case has `request` or `expect`");
            let provider = json["provider"].as_str().unwrap_or_default();
            assert!(BUILT.contains(&provider), "{name}: unknown provider {provider:?}");
            cases.push(Case { name, folder: folder.name.clone(), json });
        }
    }
    cases
}

fn read(path: &Path) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

/// Returns the model of a provider at `url`. Without a name it is the model that the cases of responses use.
pub fn model(provider: &str, name: &str, url: &str) -> Arc<dyn Model> {
    model_with(provider, name, url, KEY, None)
}

/// Like `model`, with a key and a timeout.
pub fn model_with(
    provider: &str,
    name: &str,
    url: &str,
    key: &str,
    limit: Option<Duration>,
) -> Arc<dyn Model> {
    let (provider, usual) = made(provider, url, key, limit);
    provider.model(if name.is_empty() { usual } else { name }).unwrap()
}

/// Returns the provider at `url`.
pub fn provider(provider: &str, url: &str) -> Arc<dyn Provider> {
    made(provider, url, KEY, None).0
}

/// Creates a provider, and returns the name of the model that its cases use.
fn made(
    provider: &str,
    url: &str,
    key: &str,
    limit: Option<Duration>,
) -> (Arc<dyn Provider>, &'static str) {
    /// Creates every provider in the same way.
    macro_rules! made {
        ($provider:ty, $url:expr, $usual:literal) => {{
            let builder = <$provider>::builder().api_key(key).base_url($url);
            let builder = match limit {
                Some(limit) => builder.timeout(limit),
                None => builder,
            };
            (Arc::new(builder.build().unwrap()), $usual)
        }};
    }
    match provider {
        "anthropic" => made!(Anthropic, url, "claude-sonnet-4-6"),
        "gemini" => made!(Gemini, url, "gemini-2.5-flash"),
        "ollama" => made!(Ollama, url, "llama3.2"),
        "openai" => made!(OpenAi, format!("{url}/v1"), "gpt-4o"),
        "openai-responses" => made!(OpenAiResponses, format!("{url}/v1"), "gpt-5-mini"),
        other => panic!("unknown provider {other}"),
    }
}

/// Converts an error to the format of the cases.
pub fn error(error: &Error) -> Value {
    let status = match error.kind() {
        ErrorKind::Cancelled => "CANCELLED",
        ErrorKind::InvalidArgument => "INVALID_ARGUMENT",
        ErrorKind::DeadlineExceeded => "DEADLINE_EXCEEDED",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::AlreadyExists => "ALREADY_EXISTS",
        ErrorKind::PermissionDenied => "PERMISSION_DENIED",
        ErrorKind::Unauthenticated => "UNAUTHENTICATED",
        ErrorKind::ResourceExhausted => "RESOURCE_EXHAUSTED",
        ErrorKind::FailedPrecondition => "FAILED_PRECONDITION",
        ErrorKind::Aborted => "ABORTED",
        ErrorKind::OutOfRange => "OUT_OF_RANGE",
        ErrorKind::Unimplemented => "UNIMPLEMENTED",
        ErrorKind::Internal => "INTERNAL",
        ErrorKind::Unavailable => "UNAVAILABLE",
        _ => "UNKNOWN",
    };
    let wait = error.retry_after().map(|wait| wait.as_millis());
    json!({"error": {
        "status": status, "message": error.chain(), "retry_after_ms": wait.map(|ms| ms as u64),
    }})
}
