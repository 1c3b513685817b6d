//! Compaction: removes the oldest messages from the requests of a long conversation.

mod memory;
mod shortened;
mod size;
mod summary;
mod units;

use std::sync::Arc;

use serde_json::json;

use self::memory::{CompactionRecord, Memory};
use self::shortened::shorten_request;
use self::size::{Size, counted_tokens, scale_estimate, token_ratio};
use super::NextModel;
use super::chain::impl_model_middleware;
use genkit_core::Result;
use genkit_core::internal::trace;
use genkit_core::internal::visible::Logged;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::estimate;
use genkit_model::{ChunkSink, IntoModel, ModelRef};

/// The maximum number of requests to the provider's token counter in one compaction. Default is 3.
const MAX_COUNTS: usize = 3;

/// Middleware that compacts long conversations. Created by [`compact()`].
#[derive(Clone)]
pub struct Compact {
    limit: u64,
    target: u64,
    summarize: Option<ModelRef>,
    instructions: String,
    memory: Arc<Memory>,
}

/// Creates middleware for compaction: once a conversation exceeds `tokens`, its oldest messages are removed from the
/// request until half of that limit is left.
///
/// A tool call is never separated from its response. The following messages are always kept: the system message,
/// [pinned](genkit_core::Message::pinned) messages, the last user message, and the last round. The removed messages are
/// replaced with a note that states their number, or with a summary if [`summarize_with`](Compact::summarize_with) is
/// set.
///
/// The history of the run stays complete: [`GenerateResponse::messages`](genkit_core::GenerateResponse::messages)
/// returns all messages, so that you can store and display them. Removed messages stay removed in later turns, and are
/// summarized once, as long as this value (or a clone, as in a [`Chat`](crate::Chat)) remembers the conversation. It
/// remembers the last 1,024 turns, counted over all conversations.
///
/// The size of a conversation is the usage of the last response plus an estimate for newer messages, calibrated with
/// that usage. Before the first response, it is the result of
/// [`count_tokens`](genkit_model::Model::count_tokens) if the model supports it, and otherwise an estimate of about
/// four bytes per token. The log and the trace record the number of removed messages and the method of counting tokens.
///
/// ```
/// use genkit::middleware::compact;
/// use genkit::testing::ScriptedModel;
/// use genkit::Message;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::text("You are welcome.");
/// let mut history = vec![Message::user("My name is Ada.").pinned()];
/// for _ in 0..50 {
///     history.push(Message::model("What else? ".repeat(20)));
///     history.push(Message::user("A long story. ".repeat(20)));
/// }
/// let run = genkit::generate("Thank you.").messages(history).model(model.clone());
/// let response = run.middleware(compact(2_000)).await?;
///
/// let sent = &model.requests()[0].messages;
/// assert_eq!(sent[0].text(), "My name is Ada.");
/// assert!(sent[1].text().ends_with("earlier messages were left out here]"));
/// assert!(sent.len() < 20);
/// assert_eq!(response.messages().len(), 103); // the history is complete
/// # Ok(())
/// # }
/// ```
///
/// Choose a value for `tokens` that is below the model's context size and leaves room for a response. If no more
/// messages can be removed, the request is sent even though it exceeds `tokens`, and a warning is logged.
pub fn compact(tokens: u64) -> Compact {
    Compact {
        limit: tokens,
        target: tokens / 2,
        summarize: None,
        instructions: summary::INSTRUCTIONS.to_owned(),
        memory: Arc::default(),
    }
}

impl Compact {
    /// Sets the target size: the number of tokens to keep when messages are removed. Default is half of the limit. Each
    /// removal invalidates the provider's cache of the conversation, so a few large removals are cheaper than many
    /// small removals.
    #[must_use]
    pub fn target_tokens(mut self, tokens: u64) -> Self {
        self.target = tokens.min(self.limit);
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `target_tokens`")]
    #[must_use]
    pub fn down_to(self, tokens: u64) -> Self {
        self.target_tokens(tokens)
    }

    /// Sets a model that writes a summary to replace the removed messages. Its calls count toward the usage of the
    /// run. If the model fails, the messages are removed without a summary and a warning is logged.
    ///
    /// ```
    /// use genkit::middleware::compact;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::Message;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let small = ScriptedModel::text("Ada wants to go to Rome in May.");
    /// let model = ScriptedModel::text("Take the night train.");
    /// let history = [Message::user("Rome in May! ".repeat(200)), Message::model("Nice. ".repeat(200))];
    /// let run = genkit::generate("How do I get there?").messages(history).model(model.clone());
    /// run.middleware(compact(500).summarize_with(small)).await?;
    /// let sent = &model.requests()[0].messages;
    /// assert!(sent[0].text().ends_with("Ada wants to go to Rome in May."));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn summarize_with(mut self, model: impl IntoModel) -> Self {
        self.summarize = Some(model.into_model());
        self
    }

    /// Sets the instructions for the model that writes summaries, instead of the default text.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Determines which messages of `request` to remove: the messages that were removed before, and more if the request
    /// is still too long.
    async fn plan_compaction(
        &self,
        request: &ModelRequest,
        before: Option<(usize, CompactionRecord)>,
        next: &NextModel,
    ) -> Result<CompactionRecord> {
        let mut known = before.as_ref().map_or_else(
            || CompactionRecord { ratio: 1.0, ..CompactionRecord::default() },
            |(_, known)| known.clone(),
        );
        let size = Size::measure(request, before.as_ref(), self.limit, next).await;
        known.ratio = size.ratio;
        if size.tokens <= self.limit {
            return Ok(known);
        }
        let units = units::split_units(&request.messages);
        let mut left = size.tokens;
        let mut cut = Vec::new();
        for _ in 0..MAX_COUNTS {
            let weight = |at: usize| {
                scale_estimate(estimate::estimate_message(&request.messages[at]), known.ratio)
            };
            let more = units::choose_cut(
                &units,
                &known.left_out,
                left.saturating_sub(self.target),
                weight,
            );
            let gone = more.iter().map(|at| weight(*at)).sum::<u64>();
            known.left_out.extend(&more);
            cut.extend(&more);
            left = left.saturating_sub(gone);
            let counted = counted_tokens(&shorten_request(request, &known), next).await;
            left = counted.unwrap_or(left);
            if left <= self.limit || more.is_empty() {
                break;
            }
        }
        if !cut.is_empty() {
            self.write_summary(request, &cut, &mut known, next).await?;
        }
        self.log_compaction(&size, left, &known, &cut);
        Ok(known)
    }

    /// Requests a summary of the messages at `cut` that extends the existing summary.
    async fn write_summary(
        &self,
        request: &ModelRequest,
        cut: &[usize],
        known: &mut CompactionRecord,
        next: &NextModel,
    ) -> Result<()> {
        let Some(model) = &self.summarize else { return Ok(()) };
        let messages = cut.iter().map(|at| &request.messages[*at]);
        let asked =
            summary::summary_request(&self.instructions, known.summary.as_deref(), messages);
        let asking = async { next.call_other_model(&*next.models().find(model)?, &asked).await };
        let text = asking.await.map(|answer| {
            answer.message.map(|message| message.text()).filter(|text| !text.trim().is_empty())
        });
        match text {
            Ok(Some(text)) => known.summary = Some(text.trim().into()),
            // A fatal error ends the whole run, for example because its budget is exhausted.
            Err(error) if error.is_fatal() => return Err(error),
            Ok(None) => {
                tracing::warn!(
                    model = model.name(),
                    "the model returned an empty summary; removing the messages without a summary"
                );
            }
            Err(error) => {
                tracing::warn!(
                    model = model.name(), error = %Logged::text(error.chain()),
                    "failed to summarize the messages; removing them without a summary"
                );
            }
        }
        Ok(())
    }

    fn log_compaction(&self, size: &Size, left: u64, known: &CompactionRecord, cut: &[usize]) {
        let (limit, counted_by) = (self.limit, size.counted_by);
        let is_summarized = known.summary.is_some();
        if left > limit {
            tracing::warn!(
                tokens = left,
                limit,
                counted_by,
                "the conversation is too long and no more messages can be removed; unpin messages, or let tools \
                 return less"
            );
        }
        if cut.is_empty() {
            return;
        }
        tracing::info!(
            messages = cut.len(),
            before = size.tokens,
            after = left,
            limit,
            counted_by,
            is_summarized,
            "removed messages of a long conversation from the request"
        );
        trace::annotate_span("genkit:metadata:compacted", || {
            json!({
                "leftOut": cut, "allLeftOut": known.left_out.len(), "tokensBefore": size.tokens,
                "tokensAfter": left, "limit": limit, "countedBy": counted_by, "summarized": is_summarized,
            })
        });
    }
}

impl Compact {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let keys = self.memory.prefix_keys(next.model_name(), &request.messages);
        let known = self.plan_compaction(request, self.memory.find_longest(&keys), &next).await?;
        let key = keys.last();
        if let Some(key) = key {
            // Store the record before the call, so that it is kept if the call fails and is retried.
            self.memory.remember(*key, CompactionRecord { tokens: None, ..known.clone() });
        }
        let short = (!known.left_out.is_empty()).then(|| shorten_request(request, &known));
        let sent = short.as_ref().unwrap_or(request);
        let answer = next.run(sent, chunks).await?;
        if let (Some(key), Some(tokens)) = (key, answer.usage.input_tokens) {
            let ratio = token_ratio(tokens, estimate::estimate_request(sent));
            self.memory.remember(*key, CompactionRecord { tokens: Some(tokens), ratio, ..known });
        }
        Ok(answer)
    }
}

impl_model_middleware!(Compact);

impl std::fmt::Debug for Compact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compact")
            .field("limit", &self.limit)
            .field("target", &self.target)
            .field("summarize", &self.summarize)
            .finish_non_exhaustive()
    }
}
