//! Compaction: a conversation that grows too long is sent without its oldest messages.

mod memory;
mod shortened;
mod size;
mod summary;
mod units;

use std::sync::Arc;

use serde_json::json;

use self::memory::{Memory, Remembered};
use self::shortened::shortened;
use self::size::{Size, counted, ratio, scaled};
use super::{Middleware, NextModel};
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::trace;
use genkit_core::internal::visible::Logged;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::estimate;
use genkit_model::{ChunkSink, IntoModel, ModelRef};

/// How often a provider counts what is left, until it is short enough. Default is 3.
const MAX_COUNTS: usize = 3;

/// Compaction of long conversations, as middleware: see [`compact()`].
#[derive(Clone)]
pub struct Compact {
    limit: u64,
    target: u64,
    summarize: Option<ModelRef>,
    instructions: String,
    memory: Arc<Memory>,
}

/// Compaction: leaves the oldest messages of a conversation that has more than `tokens` out of what the model
/// is asked, until half of that is left.
///
/// A call is never parted from its answer. What always stays: the system message, messages that are
/// [pinned](genkit_core::Message::pinned), what the user said last, and the last round. A note in the place of what was left out
/// says how much that was; with [`summarize_with`](Compact::summarize_with) it is a summary.
///
/// The history of the run stays whole: [`GenerateResponse::messages`](genkit_core::GenerateResponse::messages) has
/// everything, to be stored and shown. What was left out stays so in later turns, and is summarized once, for as long
/// as this value (or a clone, as in a [`Chat`](crate::Chat)) remembers the conversation: the last 1,024 turns of all.
///
/// Tokens are those that the provider counted: the usage of the last answer, and of what came since an estimate that
/// is scaled by it; without an answer yet, [`count_tokens`](genkit_model::Model::count_tokens) where the model has it;
/// else an estimate, about four bytes each. The log and the trace say what was left out, and who counted.
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
/// assert_eq!(response.messages().len(), 103); // the history is whole
/// # Ok(())
/// # }
/// ```
///
/// Choose `tokens` with room for an answer below what the model takes. Where nothing more may be left out, the request
/// is sent as it is, and the log says so.
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
    /// Target size: how many tokens are left after a cut. Default is half of the limit: each cut costs a provider's
    /// cache of the conversation, so that few large ones are better than many small ones.
    #[must_use]
    pub fn down_to(mut self, tokens: u64) -> Self {
        self.target = tokens.min(self.limit);
        self
    }

    /// Summary: one by `model` in the place of what is left out. Its calls count for the run's usage. Where it
    /// fails, the messages are left out without one, and the log says so.
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

    /// Instructions: what the model that summarizes is told, in the place of this library's words.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// What of `request` is sent: what is known of it, cut further where it is too long.
    async fn plan(
        &self,
        request: &ModelRequest,
        before: Option<(usize, Remembered)>,
        next: &NextModel,
    ) -> Result<Remembered> {
        let mut known = before.as_ref().map_or_else(
            || Remembered { ratio: 1.0, ..Remembered::default() },
            |(_, known)| known.clone(),
        );
        let size = Size::of(request, before.as_ref(), self.limit, next).await;
        known.ratio = size.ratio;
        if size.tokens <= self.limit {
            return Ok(known);
        }
        let units = units::units(&request.messages);
        let mut left = size.tokens;
        let mut cut = Vec::new();
        for _ in 0..MAX_COUNTS {
            let weight =
                |at: usize| scaled(estimate::of_message(&request.messages[at]), known.ratio);
            let more =
                units::cut(&units, &known.left_out, left.saturating_sub(self.target), weight);
            let gone = more.iter().map(|at| weight(*at)).sum::<u64>();
            known.left_out.extend(&more);
            cut.extend(&more);
            left = left.saturating_sub(gone);
            let counted = counted(&shortened(request, &known), next).await;
            left = counted.unwrap_or(left);
            if left <= self.limit || more.is_empty() {
                break;
            }
        }
        if !cut.is_empty() {
            self.summarize(request, &cut, &mut known, next).await?;
        }
        self.tell(&size, left, &known, &cut);
        Ok(known)
    }

    /// Asks for a summary of the messages at `cut`, after the one that there is.
    async fn summarize(
        &self,
        request: &ModelRequest,
        cut: &[usize],
        known: &mut Remembered,
        next: &NextModel,
    ) -> Result<()> {
        let Some(model) = &self.summarize else { return Ok(()) };
        let messages = cut.iter().map(|at| &request.messages[*at]);
        let asked = summary::request(&self.instructions, known.summary.as_deref(), messages);
        let asking = async { next.ask(&*next.models().find(model)?, &asked).await };
        let text = asking.await.map(|answer| {
            answer.message.map(|message| message.text()).filter(|text| !text.trim().is_empty())
        });
        match text {
            Ok(Some(text)) => known.summary = Some(text.trim().into()),
            // Of the run: its budget is spent.
            Err(error) if error.is_fatal() => return Err(error),
            Ok(None) => {
                tracing::warn!(
                    model = model.name(),
                    "a summary is empty: messages are left out without one"
                );
            }
            Err(error) => {
                tracing::warn!(
                    model = model.name(), error = %Logged::text(error.chain()),
                    "a summary failed: messages are left out without one"
                );
            }
        }
        Ok(())
    }

    fn tell(&self, size: &Size, left: u64, known: &Remembered, cut: &[usize]) {
        let (limit, counted_by) = (self.limit, size.counted_by);
        let is_summarized = known.summary.is_some();
        if left > limit {
            tracing::warn!(
                tokens = left,
                limit,
                counted_by,
                "a conversation is too long, and nothing more of it may be left out: unpin messages, or let tools \
                 answer with less"
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
            "messages of a long conversation are left out"
        );
        trace::annotate("genkit:metadata:compacted", || {
            json!({
                "leftOut": cut, "allLeftOut": known.left_out.len(), "tokensBefore": size.tokens,
                "tokensAfter": left, "limit": limit, "countedBy": counted_by, "summarized": is_summarized,
            })
        });
    }
}

impl Middleware for Compact {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            let keys = self.memory.keys(next.model_name(), &request.messages);
            let known = self.plan(request, self.memory.find(&keys), &next).await?;
            let key = keys.last();
            if let Some(key) = key {
                // Also where the call fails and is made again.
                self.memory.keep(*key, Remembered { tokens: None, ..known.clone() });
            }
            let short = (!known.left_out.is_empty()).then(|| shortened(request, &known));
            let sent = short.as_ref().unwrap_or(request);
            let answer = next.run(sent, chunks).await?;
            if let (Some(key), Some(tokens)) = (key, answer.usage.input_tokens) {
                let ratio = ratio(tokens, estimate::of_request(sent));
                self.memory.keep(*key, Remembered { tokens: Some(tokens), ratio, ..known });
            }
            Ok(answer)
        })
    }
}

impl std::fmt::Debug for Compact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compact")
            .field("limit", &self.limit)
            .field("target", &self.target)
            .field("summarize", &self.summarize)
            .finish_non_exhaustive()
    }
}
