//! The budget of a run: the usage of its model calls, and whether another call is allowed.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::middleware::Tally;
use genkit_core::Context;
use genkit_core::UsageLimit;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::sync::lock;
use genkit_core::{Error, Result};
use genkit_core::{ModelRequest, ModelResponse, Usage};
use genkit_model::internal::estimate;

/// The total usage of all model calls of a run, including retries, calls made by middleware, and sampling requests from
/// tools.
#[derive(Default)]
pub(crate) struct Budget {
    limit: UsageLimit,
    spent: Mutex<SpentUsage>,
    /// The budget of the tool call that this run is part of, if it is an agent as a tool. It counts the same usage.
    outer: Option<Arc<CallBudget>>,
}

/// The budget of one tool call: the budget of its run, and the usage of each model call in it.
pub(crate) struct CallBudget {
    pub(super) budget: Arc<Budget>,
    pub(super) tally: Tally,
}

impl CallBudget {
    /// Returns the budget of the call that a function runs in.
    pub(crate) fn from_caller(context: &Context) -> Option<Arc<Self>> {
        context.caller().budget()?.downcast().ok()
    }

    /// Counts the usage of model calls that another process made.
    pub(crate) fn count(&self, usage: &Usage, requests: u64) {
        self.budget.count_usage(usage, requests);
        lock(&self.tally).push(usage.clone());
    }
}

/// The usage that counts toward the limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SpentUsage {
    requests: u64,
    total: u64,
    input: u64,
    output: u64,
    /// Usage that has not been added to a response yet. `None` means that no call was made since the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    untold: Option<Usage>,
    is_estimated: bool,
}

impl SpentUsage {
    /// Adds the tokens of a call. Returns whether its usage reports any tokens.
    fn add_usage(&mut self, usage: &Usage) -> bool {
        let (input, output) = (usage.input_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0));
        let total = usage.total_tokens.unwrap_or(0).max(input.saturating_add(output));
        self.input = self.input.saturating_add(input);
        self.output = self.output.saturating_add(output);
        self.total = self.total.saturating_add(total);
        total > 0
    }
}

impl Budget {
    pub(crate) fn new(limit: UsageLimit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Restores the budget of a resumed run.
    pub(crate) fn with_spent(limit: UsageLimit, spent: SpentUsage) -> Self {
        Self { limit, spent: Mutex::new(spent), outer: None }
    }

    /// Sets the budget of the tool call that the agent runs in, which counts the same usage.
    pub(crate) fn inside(self, outer: Option<Arc<CallBudget>>) -> Self {
        Self { outer, ..self }
    }

    /// Returns the usage limit.
    pub(crate) fn limit(&self) -> UsageLimit {
        self.limit
    }

    /// Returns the usage so far.
    pub(super) fn spent(&self) -> SpentUsage {
        lock(&self.spent).clone()
    }

    /// Replaces the usage with the usage that the process of the last model call recorded.
    pub(super) fn replace_spent(&self, spent: SpentUsage) {
        *lock(&self.spent) = spent;
    }

    /// Counts the usage of an agent whose call is repeated after a crash, because the outer run has not saved that
    /// usage.
    pub(super) fn count_restored(&self, usage: &Usage) {
        if let Some(outer) = &self.outer {
            outer.count(usage, self.requests());
        }
    }

    /// Adds the model calls that a tool call made in another process.
    pub(super) fn count_nested_calls(&self, calls: &[Usage]) {
        for usage in calls {
            self.count_usage(usage, 1);
        }
    }

    fn count_usage(&self, usage: &Usage, requests: u64) {
        let mut spent = lock(&self.spent);
        spent.requests += requests;
        spent.add_usage(usage);
        spent.untold.get_or_insert_default().add(usage);
        if let Some(outer) = &self.outer {
            outer.count(usage, requests);
        }
    }

    /// Counts a new model call, or returns an error if the limit does not allow another call.
    pub(super) fn begin_call(&self) -> Result<()> {
        let mut spent = lock(&self.spent);
        self.check_limit(&spent, 1)?;
        if let Some(outer) = &self.outer {
            outer.budget.begin_call()?;
        }
        spent.requests += 1;
        Ok(())
    }

    /// Adds the usage of a model call.
    pub(super) fn add(&self, model: &str, request: &ModelRequest, answer: &ModelResponse) {
        if let Some(outer) = &self.outer {
            outer.budget.add(model, request, answer);
            lock(&outer.tally).push(answer.usage.clone());
        }
        let mut spent = lock(&self.spent);
        spent.untold.get_or_insert_default().add(&answer.usage);
        if !self.limit.counts_tokens() || spent.add_usage(&answer.usage) {
            return;
        }
        if !std::mem::replace(&mut spent.is_estimated, true) {
            tracing::warn!(
                model,
                "the model does not report its usage, so the token limit uses estimates; also set a limit with \
                 `.requests(..)`"
            );
        }
        let output = answer.message.as_ref().map_or(0, estimate::estimate_message);
        let estimated = Usage::default().with_input_tokens(estimate::estimate_request(request));
        spent.add_usage(&estimated.with_output_tokens(output));
    }

    /// Sets the usage of a turn's response to the usage of all calls since the last response. If middleware returned
    /// the response without a call, the response keeps its own usage.
    pub(super) fn settle_call(&self, answer: &mut ModelResponse) -> Result<()> {
        let mut spent = lock(&self.spent);
        match spent.untold.take() {
            Some(usage) => answer.usage = usage,
            None => _ = spent.add_usage(&answer.usage),
        }
        self.check_limit(&spent, 0)?;
        match &self.outer {
            Some(outer) => outer.budget.check_used(),
            None => Ok(()),
        }
    }

    fn check_used(&self) -> Result<()> {
        self.check_limit(&lock(&self.spent), 0)?;
        self.outer.as_ref().map_or(Ok(()), |outer| outer.budget.check_used())
    }

    /// Takes the usage that has not been added to a response yet.
    pub(super) fn take_unreported_usage(&self) -> Usage {
        lock(&self.spent).untold.take().unwrap_or_default()
    }

    /// Returns the number of model calls so far.
    pub(super) fn requests(&self) -> u64 {
        lock(&self.spent).requests
    }

    /// Checks that the usage plus `more` is within the limit.
    fn check_limit(&self, spent: &SpentUsage, more: u64) -> Result<()> {
        let limit = &self.limit;
        let all = [
            ("requests", limit.requests, spent.requests),
            ("tokens", limit.tokens, spent.total),
            ("inputTokens", limit.input_tokens, spent.input),
            ("outputTokens", limit.output_tokens, spent.output),
        ];
        for (what, limit, used) in all {
            if let Some(limit) = limit.filter(|limit| used.saturating_add(more) > *limit) {
                let error = E::UsageLimit { what, used, limit };
                // A retry or another model would not help, and the model cannot correct it.
                return Err(Error::from(error).with_retryable(false).into_fatal());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;
    use genkit_core::Message;

    fn answer(usage: Usage) -> ModelResponse {
        ModelResponse::from_text("four words are here").with_usage(usage)
    }

    fn call(budget: &Budget, usage: Usage) -> Result<()> {
        budget.begin_call()?;
        let mut answer = answer(usage);
        budget.add("m", &ModelRequest::new([Message::user("hi")]), &answer);
        budget.settle_call(&mut answer)
    }

    fn used(input: u64, output: u64) -> Usage {
        Usage::default().with_input_tokens(input).with_output_tokens(output)
    }

    #[test]
    fn each_limit_ends_a_run_before_a_call_or_after_an_answer() {
        let none = UsageLimit::default();
        // Each row: the limit, the number of calls with 10 and 2 tokens before the error, and the error.
        let table = [
            (none, 5, None),
            (none.requests(3), 3, Some(("requests", 3, 3))),
            (none.requests(0), 0, Some(("requests", 0, 0))),
            (UsageLimit::new().tokens(24), 2, Some(("tokens", 24, 24))),
            (UsageLimit::new().tokens(23), 1, Some(("tokens", 24, 23))),
            (none.input_tokens(25), 2, Some(("inputTokens", 30, 25))),
            (none.output_tokens(4), 2, Some(("outputTokens", 4, 4))),
            (UsageLimit::new().tokens(1_000).requests(1), 1, Some(("requests", 1, 1))),
        ];
        for (limit, calls, ended) in table {
            let budget = Budget::new(limit);
            let first = (0..5).map(|_| call(&budget, used(10, 2))).position(|call| call.is_err());
            assert_eq!(first.unwrap_or(5), calls, "{limit:?}");
            let Some((what, used, limit)) = ended else { continue };
            let error = budget.begin_call().expect_err("the budget stays exhausted");
            assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
            assert!(!error.is_retryable() && error.is_fatal());
            let details =
                serde_json::json!({"usageLimit": {"of": what, "used": used, "limit": limit}});
            assert_eq!(error.details(), Some(&details));
        }
    }

    #[test]
    fn larger_of_total_and_sum_counts() {
        let budget = Budget::new(UsageLimit::new().tokens(100));
        call(&budget, used(10, 2).with_total_tokens(40))
            .expect("reasoning tokens are only in the total");
        call(&budget, used(10, 2).with_total_tokens(40)).expect("80");
        assert!(call(&budget, used(10, 20)).is_err(), "110");
    }

    #[test]
    fn unreported_usage_is_estimated() {
        let budget = Budget::new(UsageLimit::new().tokens(20));
        call(&budget, Usage::default()).expect("5 and 9");
        assert!(call(&budget, Usage::default()).is_err());
        assert!(call(&Budget::new(UsageLimit::new().tokens(13)), Usage::default()).is_err());
    }

    #[test]
    fn answer_has_the_usage_of_all_calls_before_it() {
        let budget = Budget::default();
        let request = ModelRequest::default();
        budget.add("m", &request, &answer(used(1, 1)));
        budget.add("m", &request, &answer(used(2, 2)));
        let mut last = answer(used(2, 2));
        budget.settle_call(&mut last).expect("no limit");
        assert_eq!(last.usage, used(3, 3));
        let mut own = answer(used(5, 5));
        budget.settle_call(&mut own).expect("no limit");
        assert_eq!(own.usage, used(5, 5), "middleware responded without a call");
        budget.add("m", &request, &answer(used(7, 7)));
        assert_eq!(budget.take_unreported_usage(), used(7, 7));
        assert_eq!(budget.take_unreported_usage(), Usage::default());
    }
}
