//! Chat completions: OpenAI's models, and every server that speaks their language.
//!
//! Settings that this provider reads from a request's `config`, beside Genkit's common ones:
//!
//! | key | what it does |
//! |---|---|
//! | `presencePenalty`, `frequencyPenalty`, `seed`, `logProbs`, `topLogProbs`, `logitBias`, `reasoningEffort`, `parallelToolCalls`, `serviceTier`, `promptCacheKey` | sent under the name that the API has |
//! | `maxOutputTokens` | as `max_completion_tokens` or `max_tokens`, whichever the server knows |
//! | `topK` | sent where the server takes it, else left out |
//! | `visualDetailLevel` | how closely images are looked at |
//! | `version` | replaces the model's name |
//! | `apiKey` | replaces the key for this call; it never stands in the body |
//! | every other key | sent as it is: `reasoning`, `provider`, `response_format`, … |

mod builder;
mod error;
mod messages;
mod parts;
mod refs;
mod request;
mod response;
mod schema;
mod servers;
mod stream;
mod tools;
mod turn;
mod wire;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::model::http::{Endpoint, HttpModel};
use crate::model::wire::{HttpCall, Wire, WireStream};
use crate::model::{
    Constrained, Model, ModelInfo, ModelRequest, ModelResponse, Provider, Supports,
};
pub use builder::OpenAiBuilder;
use servers::{Deviations, SERVERS, Server};

/// After the base URL.
const PATH: &str = "/chat/completions";

/// Where a part keeps what a server put beside it, to get it back: a thought signature.
const EXTRA_CONTENT: &str = "extraContent";

/// Where every provider keeps Gemini's signature of a thought.
const SIGNATURE: &str = "thoughtSignature";

/// Where a part of thoughts keeps OpenRouter's details of them, to send them back.
const REASONING_DETAILS: &str = "reasoningDetails";

/// Models behind OpenAI's chat completions, at OpenAI or any server that speaks them.
///
/// ```no_run
/// use genkit::model::OpenAi;
///
/// # async fn run() -> genkit::Result<()> {
/// let openai = OpenAi::from_env()?; // OPENAI_API_KEY
/// let local = OpenAi::server("ollama")?;
/// let answer = genkit::generate("Why is the sky blue?").model(local.model("qwen3")).await?;
/// println!("{}", answer.text());
/// # Ok(())
/// # }
/// ```
///
/// Known servers: `openai`, `openrouter`, `groq`, `mistral`, `deepseek`, `xai`, `gemini-openai`,
/// `together`, `fireworks`, `cerebras`, `moonshot`, `perplexity`, `deepinfra`, `nvidia`,
/// `huggingface`, and on this machine `ollama`, `lmstudio`, `vllm`, `llamacpp`. For another one
/// give its address to [`OpenAi::builder`].
#[derive(Clone)]
pub struct OpenAi {
    endpoint: Arc<Endpoint>,
    settings: Arc<Settings>,
}

/// What all models of one [`OpenAi`] share.
struct Settings {
    /// The part before the `/` of its models' names, and what errors call it.
    name: String,
    key: Option<String>,
    deviations: Deviations,
}

impl OpenAi {
    /// OpenAI with the key in `OPENAI_API_KEY`, at `OPENAI_BASE_URL` if that is set.
    ///
    /// ```no_run
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no key, or the base URL cannot be used.
    pub fn from_env() -> Result<Self> {
        Self::server("openai")
    }

    /// A server that is known by name, with the key in its environment variable: `GROQ_API_KEY`.
    /// `GROQ_BASE_URL` moves it. Servers on this machine need no key.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let ollama = genkit::model::OpenAi::server("ollama")?;
    /// assert_eq!(ollama.model("qwen3").name(), "ollama/qwen3");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no server of that name, or no key where it needs one.
    pub fn server(name: &str) -> Result<Self> {
        let Some(server) = Server::named(name) else {
            let names = SERVERS.iter().map(|server| server.name);
            return Err(Error::not_found(crate::suggest::unknown("server", name, names)));
        };
        OpenAiBuilder::of(server).env().build()
    }

    /// A server with settings of your own; the environment is not read.
    ///
    /// ```
    /// use genkit::model::OpenAi;
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let proxy = OpenAi::builder().name("proxy").base_url("http://localhost:4000/v1").build()?;
    /// assert_eq!(proxy.model("gpt-4o-mini").name(), "proxy/gpt-4o-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> OpenAiBuilder {
        OpenAiBuilder::default()
    }

    /// Whether [`server`](Self::server) knows that name.
    pub(crate) fn knows(name: &str) -> bool {
        Server::named(name).is_some()
    }

    /// The model of that name. One that is not known is made all the same.
    ///
    /// ```
    /// # fn main() -> genkit::Result<()> {
    /// let openai = genkit::model::OpenAi::builder().key("sk-…").build()?;
    /// assert_eq!(openai.model("gpt-4o-mini").name(), "openai/gpt-4o-mini");
    /// # Ok(())
    /// # }
    /// ```
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        let deviations = &self.settings.deviations;
        let supports = Supports {
            tool_choice: deviations.tool_choice,
            constrained: match (deviations.json_schema, deviations.json_with_tools) {
                (false, _) => Constrained::None,
                (true, false) => Constrained::NoTools,
                (true, true) => Constrained::All,
            },
            ..Supports::all()
        };
        let info = ModelInfo { supports: Some(supports), ..ModelInfo::default() };
        let wire = ChatWire { settings: Arc::clone(&self.settings), model: name.to_owned() };
        let name = format!("{}/{name}", self.settings.name);
        Arc::new(HttpModel::new(name, info, wire, Arc::clone(&self.endpoint)))
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
        Ok(OpenAi::model(self, name))
    }
}

/// Does not show the key.
impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

/// Whom a call is for.
#[derive(Clone, Copy)]
struct Target<'a> {
    /// What errors call it.
    provider: &'a str,
    model: &'a str,
    deviations: &'a Deviations,
}

/// What is known of a model by its name, wherever it is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Family {
    /// One of OpenAI's models that reason.
    reasons: bool,
    deepseek: bool,
    gemini: bool,
}

impl Family {
    fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let reasons = name.strip_prefix('o').is_some_and(digit) || name.starts_with("gpt-5");
        let (deepseek, gemini) = (name.starts_with("deepseek"), name.starts_with("gemini"));
        Self { reasons, deepseek, gemini }
    }
}

/// The wire format of one model.
struct ChatWire {
    settings: Arc<Settings>,
    model: String,
}

impl ChatWire {
    fn target(&self) -> Target<'_> {
        let Settings { name, deviations, .. } = &*self.settings;
        Target { provider: name, model: &self.model, deviations }
    }
}

impl Wire for ChatWire {
    fn encode(&self, request: &ModelRequest, stream: bool) -> Result<HttpCall> {
        let own = request.config.get("apiKey").and_then(Value::as_str);
        let mut headers = Vec::with_capacity(2);
        headers.push(("content-type", "application/json".to_owned()));
        if let Some(key) = own.or(self.settings.key.as_deref()) {
            headers.push(("authorization", format!("Bearer {key}")));
        }
        let body = request::body(&self.target(), request, stream)?;
        Ok(HttpCall { path: PATH.to_owned(), headers, body })
    }

    fn decode(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
        response::decode(&self.target(), request, body)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Box<dyn WireStream + 'a> {
        Box::new(stream::ChatStream::new(self.target(), request))
    }

    fn failure(&self, status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &[u8]) -> Error {
        error::failure(&self.settings.name, status, headers, body)
    }
}
