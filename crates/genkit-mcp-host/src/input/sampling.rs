//! Sampling: a model that servers may use.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rmcp::model::CreateMessageRequestParams;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::error::Error;
use crate::limits::{MAX_SAMPLING, MAX_SERVER_SAMPLING, SAMPLING_TIMEOUT};
use genkit_core::Result;
use genkit_core::SampleRequest;
use genkit_core::Usage;
use genkit_core::{Message, Part, Role};
use genkit_model::internal::{Models, sampling};
use genkit_model::{ChunkSink, IntoModel, ModelRef};
use genkit_schema::internal::size::json_size;

/// How many output tokens a server may request; a higher number is reduced to this limit. Default is 4,096.
const MAX_TOKENS: u32 = 4096;

/// How many tokens of the model one server may use in total. Default is 200,000.
const MAX_TOTAL_TOKENS: u64 = 200_000;

/// The largest sampling request, in bytes of JSON. Default is 1 MiB.
const MAX_SAMPLING_INPUT: usize = 1024 * 1024;

/// How many bytes count as one token if the model does not report its usage.
const BYTES_PER_TOKEN: u64 = 4;

/// A sampling request: a server's request to the model.
///
/// MCP deprecates sampling (SEP-2577): it will keep working until at least 2027-07-28, but servers should call a model
/// themselves instead.
///
/// ```
/// use genkit::mcp::host::SamplingRequest;
///
/// /// Allows our own servers, and only short conversations.
/// fn allowed(asked: &SamplingRequest) -> bool {
///     asked.server.starts_with("house-") && asked.messages.len() < 10
/// }
/// # let _ = allowed;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The key of the server that sent the request.
    pub server: String,
    /// The messages to the model.
    pub messages: Vec<Message>,
    /// The requested system prompt.
    pub system: Option<String>,
    /// The token limit of the response.
    pub max_tokens: u32,
    /// The preferred models in MCP's JSON; a hint.
    pub preferences: Value,
}

/// A policy that decides whether a server may use the model for a request.
type Policy = Arc<dyn Fn(&SamplingRequest) -> bool + Send + Sync>;

/// Sampling settings: the model that servers may use, its token limits, and an approval policy.
///
/// Without these settings, a host does not declare the sampling capability, because model calls cost money and a
/// server's request does not come from the user.
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
#[must_use = "pass it to `.sampling(..)` of a host"]
pub struct Sampling {
    model: ModelRef,
    max_tokens: u32,
    max_total_tokens: u64,
    allow: Option<Policy>,
    /// Limits the number of concurrent requests.
    permits: Arc<Semaphore>,
}

impl Sampling {
    /// Creates sampling settings with this model: a name, as in `.model(..)` of a request, or a value. Use
    /// [`allow`](Self::allow) to set which servers may use it.
    pub fn with(model: impl IntoModel) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_SAMPLING));
        let model = model.into_model();
        let (max_tokens, max_total_tokens) = (MAX_TOKENS, MAX_TOTAL_TOKENS);
        Self { model, max_tokens, max_total_tokens, allow: None, permits }
    }

    /// Sets the token limit of a response. Default is 4,096.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets the token budget of each server, for input and output together; reconnecting does not reset it. Default is
    /// 200,000.
    pub fn max_total_tokens(mut self, tokens: u64) -> Self {
        self.max_total_tokens = tokens;
        self
    }

    /// Sets the approval policy, which returns whether a request is allowed. Without a policy, all requests are
    /// rejected: model calls cost money, so the program must decide which servers may make them. Use `|_| true` to
    /// allow all requests.
    pub fn allow(
        mut self,
        policy: impl Fn(&SamplingRequest) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.allow = Some(Arc::new(policy));
        self
    }

    /// Checks that the model exists.
    pub(crate) fn check_model(&self) -> Result<()> {
        if self.allow.is_none() {
            tracing::warn!("`Sampling::with(..)` without `.allow(..)` rejects every request");
        }
        Models::default().find(&self.model).map(|_| ())
    }

    /// Returns the model's response in MCP's JSON.
    pub(crate) async fn answer_request(
        &self,
        server: &str,
        usage: &SamplingUsage,
        params: &CreateMessageRequestParams,
    ) -> Result<Value> {
        let size = json_size(params);
        if size > MAX_SAMPLING_INPUT {
            return Err(Error::TooLarge(size, MAX_SAMPLING_INPUT).into());
        }
        let asked = SamplingRequest {
            server: server.to_owned(),
            messages: convert_messages(&serde_json::to_value(&params.messages)?),
            system: params.system_prompt.clone(),
            max_tokens: params.max_tokens.min(self.max_tokens),
            preferences: serde_json::to_value(&params.model_preferences)?,
        };
        if !self.allow.as_ref().is_some_and(|allow| allow(&asked)) {
            return Err(Error::NotAllowed.into());
        }
        let Some(_turn) = SamplingPermit::try_acquire(&usage.running) else {
            return Err(Error::TooManyOfServer.into());
        };
        let Ok(_permit) = self.permits.try_acquire() else { return Err(Error::TooMany.into()) };
        // Reserve the maximum until the model reports its usage.
        let most = u64::from(asked.max_tokens) + size as u64 / BYTES_PER_TOKEN;
        let budget = Budget::reserve_tokens(&usage.tokens, self.max_total_tokens, most)
            .ok_or(Error::TokensExhausted(self.max_total_tokens))?;
        tracing::info!(server, messages = asked.messages.len(), "calling the model for a server");
        let mut request = SampleRequest::new(asked.messages).with_max_tokens(asked.max_tokens);
        request.system = asked.system;
        request.temperature = params.temperature;
        request.stop = params.stop_sequences.clone().unwrap_or_default();
        let model = Models::default().find(&self.model)?;
        let (request, sink) = (sampling::model_request(&request), ChunkSink::none());
        let answer = tokio::time::timeout(SAMPLING_TIMEOUT, model.generate(&request, &sink)).await;
        let answer = answer.map_err(|_| Error::Slow)??;
        budget.settle_usage(total_tokens(&answer.usage));
        sampling::message_result(model.name(), &answer)
    }
}

/// Returns the total tokens of a response, if the model reports them.
fn total_tokens(usage: &Usage) -> Option<u64> {
    let sum = usage.input_tokens.zip(usage.output_tokens).map(|(one, other)| one + other);
    usage.total_tokens.or(sum).filter(|total| *total > 0)
}

/// One server's usage of the model, across connections.
#[derive(Default)]
pub(crate) struct SamplingUsage {
    tokens: AtomicU64,
    running: AtomicUsize,
}

/// A permit for one running request of a server.
struct SamplingPermit<'a>(&'a AtomicUsize);

impl<'a> SamplingPermit<'a> {
    fn try_acquire(running: &'a AtomicUsize) -> Option<Self> {
        let turn = Self(running);
        (running.fetch_add(1, Ordering::AcqRel) < MAX_SERVER_SAMPLING).then_some(turn)
    }
}

impl Drop for SamplingPermit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tokens that are reserved for one request.
struct Budget<'a> {
    used: &'a AtomicU64,
    taken: u64,
}

impl<'a> Budget<'a> {
    /// Reserves tokens; returns `None` if not enough are left.
    fn reserve_tokens(used: &'a AtomicU64, total: u64, taken: u64) -> Option<Self> {
        let more = |used: u64| used.checked_add(taken).filter(|sum| *sum <= total);
        used.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(Self { used, taken })
    }

    /// Replaces the reservation with the actual usage. If the usage is unknown, the whole reservation counts as used.
    fn settle_usage(self, used: Option<u64>) {
        let used = used.unwrap_or(self.taken);
        self.used.fetch_sub(self.taken.saturating_sub(used), Ordering::AcqRel);
        self.used.fetch_add(used.saturating_sub(self.taken), Ordering::AcqRel);
    }
}

impl fmt::Debug for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampling").field("model", &self.model).finish_non_exhaustive()
    }
}

/// Converts MCP's sampling messages; content that a model cannot read becomes text.
fn convert_messages(messages: &Value) -> Vec<Message> {
    let of = |message: &Value| {
        let role = if message["role"] == "assistant" { Role::Model } else { Role::User };
        let content = &message["content"];
        let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
        Message::new(role, blocks.iter().map(convert_block))
    };
    messages.as_array().into_iter().flatten().map(of).collect()
}

fn convert_block(block: &Value) -> Part {
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

#[cfg(test)]
mod tests {
    use rmcp::model::SamplingMessage;

    use super::*;
    use genkit_core::ErrorKind;

    #[tokio::test]
    async fn request_above_a_limit_is_rejected_with_that_limit() {
        let sampling = Sampling::with("test/none").allow(|_| true);
        let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text("Hi.")], 10);
        let usage = SamplingUsage::default();
        let turns: Vec<_> =
            (0..MAX_SERVER_SAMPLING).map(|_| SamplingPermit::try_acquire(&usage.running)).collect();
        let error = sampling.answer_request("s", &usage, &params).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
        assert_eq!(
            error.to_string(),
            "too many sampling requests from this server; at most 4 may run at once"
        );
        drop(turns);
        let permits = sampling.permits.try_acquire_many(8).unwrap();
        let error = sampling.answer_request("s", &usage, &params).await.unwrap_err();
        assert_eq!(error.to_string(), "too many sampling requests; at most 8 may run at once");
        drop(permits);
    }
}
