//! The size of a conversation in tokens, from the best available source.

use std::time::Duration;

use super::memory::CompactionRecord;
use super::shortened::shorten_request;
use crate::middleware::NextModel;
use genkit_core::ModelRequest;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind};
use genkit_model::internal::estimate;

/// The timeout of a token count by the provider, after which tokens are estimated. Default is 10 seconds.
const COUNT_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of tokens of a request, and how they were counted.
pub(super) struct Size {
    pub(super) tokens: u64,
    pub(super) ratio: f64,
    pub(super) counted_by: &'static str,
}

impl Size {
    /// Determines the size of `request` without the messages that were already removed.
    pub(super) async fn measure(
        request: &ModelRequest,
        before: Option<&(usize, CompactionRecord)>,
        limit: u64,
        next: &NextModel,
    ) -> Self {
        if let Some((length, CompactionRecord { tokens: Some(tokens), ratio, .. })) = before {
            let new = request.messages[*length..].iter().map(estimate::estimate_message).sum();
            let tokens = tokens.saturating_add(scale_estimate(new, *ratio));
            return Self { tokens, ratio: *ratio, counted_by: "usage" };
        }
        let sent = before.map(|(_, known)| shorten_request(request, known));
        let sent = sent.as_ref().unwrap_or(request);
        let estimated = estimate::estimate_request(sent);
        // Far below the limit an estimate is sufficient.
        if estimated >= limit / 2
            && let Some(tokens) = counted_tokens(sent, next).await
        {
            let ratio = token_ratio(tokens, estimated);
            return Self { tokens, ratio, counted_by: "count_tokens" };
        }
        let ratio = before.map_or(1.0, |(_, known)| known.ratio);
        Self { tokens: scale_estimate(estimated, ratio), ratio, counted_by: "an estimate" }
    }
}

/// Returns the number of tokens in `request` as counted by its provider. Returns `None` if the provider does not
/// support counting, or if the count fails.
pub(super) async fn counted_tokens(request: &ModelRequest, next: &NextModel) -> Option<u64> {
    let late = |_| Error::new(ErrorKind::DeadlineExceeded, "the token count timed out");
    let counting = tokio::time::timeout(COUNT_TIMEOUT, next.count_tokens(request)).await;
    match counting.map_err(late).and_then(|counted| counted) {
        Ok(tokens) => Some(tokens),
        Err(error) => {
            if error.kind() != ErrorKind::Unimplemented {
                let error = Logged::text(error.chain());
                tracing::warn!(%error, "failed to count tokens; using an estimate");
            }
            None
        }
    }
}

/// Returns the ratio of counted to estimated tokens, limited to a plausible range.
pub(super) fn token_ratio(tokens: u64, estimated: u64) -> f64 {
    if estimated == 0 { 1.0 } else { (as_float(tokens) / as_float(estimated)).clamp(0.25, 4.0) }
}

pub(super) fn scale_estimate(estimated: u64, ratio: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "tokens are few")]
    let tokens = (as_float(estimated) * ratio).ceil() as u64;
    tokens
}

fn as_float(tokens: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "tokens are few")]
    let float = tokens as f64;
    float
}
