//! Sampling: a model that servers may use.

use std::fmt;
use std::sync::Arc;

use rmcp::model::CreateMessageRequestParams;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::error::Error;
use crate::context::SampleRequest;
use crate::error::Result;
use crate::mcp::host::limits::{MAX_SAMPLING, SAMPLING_TIMEOUT};
use crate::message::{Message, Part, Role};
use crate::model::{ChunkSink, IntoModel, ModelRef, Models, sampling};

/// How many tokens a server may ask for. Default is 4,096; what is above is cut to it.
const MAX_TOKENS: u32 = 4096;

/// Sampling request: a server that wants to use the model.
///
/// ```
/// use genkit::mcp::host::SamplingRequest;
///
/// /// Only servers of this house, and nothing long.
/// fn allowed(asked: &SamplingRequest) -> bool {
///     asked.server.starts_with("house-") && asked.messages.len() < 10
/// }
/// # let _ = allowed;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The key of the server that asks.
    pub server: String,
    /// What it asks the model.
    pub messages: Vec<Message>,
    /// The system text that it wants.
    pub system: Option<String>,
    /// How many tokens it wants.
    pub max_tokens: u32,
    /// Which models it would like, in MCP's JSON; a hint.
    pub preferences: Value,
}

/// Whether a server may use the model now.
type Policy = Arc<dyn Fn(&SamplingRequest) -> bool + Send + Sync>;

/// Sampling: a model that servers may use, and under which conditions.
///
/// Without it the capability is not offered: a model costs money, and the request of a server is not
/// that of the user.
///
/// ```
/// use genkit::mcp::host::{McpHost, Sampling};
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .sampling(
///         Sampling::with(ScriptedModel::text("Paris.")) // or "gemini/gemini-2.5-flash"
///             .max_tokens(1000)
///             .allow(|asked| asked.server == "research"),
///     )
///     .build()?;
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "it is given to `.sampling(..)` of a host"]
pub struct Sampling {
    model: ModelRef,
    max_tokens: u32,
    allow: Option<Policy>,
    /// For requests that run at once.
    permits: Arc<Semaphore>,
}

impl Sampling {
    /// Lends this model: a name, as in `.model(..)` of a request, or a value.
    pub fn with(model: impl IntoModel) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_SAMPLING));
        Self { model: model.into_model(), max_tokens: MAX_TOKENS, allow: None, permits }
    }

    /// How many tokens an answer may have. Default is 4,096.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Decides on each request; what it does not allow is refused. Default is to allow all.
    pub fn allow(
        mut self,
        policy: impl Fn(&SamplingRequest) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.allow = Some(Arc::new(policy));
        self
    }

    /// Checks that there is such a model.
    pub(crate) fn check(&self) -> Result<()> {
        Models::default().find(&self.model).map(|_| ())
    }

    /// The model's answer in MCP's JSON.
    pub(crate) async fn answer(
        &self,
        server: &str,
        params: &CreateMessageRequestParams,
    ) -> Result<Value> {
        let asked = SamplingRequest {
            server: server.to_owned(),
            messages: messages(&serde_json::to_value(&params.messages)?),
            system: params.system_prompt.clone(),
            max_tokens: params.max_tokens.min(self.max_tokens),
            preferences: serde_json::to_value(&params.model_preferences)?,
        };
        if self.allow.as_ref().is_some_and(|allow| !allow(&asked)) {
            return Err(Error::NotAllowed.into());
        }
        let Ok(_permit) = self.permits.try_acquire() else { return Err(Error::TooMany.into()) };
        tracing::info!(server, messages = asked.messages.len(), "a server uses the model");
        let mut request = SampleRequest::new(asked.messages).with_max_tokens(asked.max_tokens);
        request.system = asked.system;
        request.temperature = params.temperature;
        request.stop = params.stop_sequences.clone().unwrap_or_default();
        let model = Models::default().find(&self.model)?;
        let (request, sink) = (sampling::model_request(&request), ChunkSink::none());
        let answer = tokio::time::timeout(SAMPLING_TIMEOUT, model.generate(&request, &sink)).await;
        sampling::message_result(model.name(), &answer.map_err(|_| Error::Slow)??)
    }
}

impl fmt::Debug for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampling").field("model", &self.model).finish_non_exhaustive()
    }
}

/// MCP's sampling messages as ours; content that a model cannot read is text.
fn messages(messages: &Value) -> Vec<Message> {
    let of = |message: &Value| {
        let role = if message["role"] == "assistant" { Role::Model } else { Role::User };
        let content = &message["content"];
        let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
        Message::new(role, blocks.iter().map(part))
    };
    messages.as_array().into_iter().flatten().map(of).collect()
}

fn part(block: &Value) -> Part {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    match text("type") {
        "text" => Part::text(text("text")),
        "image" | "audio" => {
            let kind = text("mimeType");
            Part::media(format!("data:{kind};base64,{}", text("data")), kind)
        }
        _ => Part::text(block.to_string()),
    }
}
