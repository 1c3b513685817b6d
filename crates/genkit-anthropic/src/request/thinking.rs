//! Thinking: conversion of the settings to a budget and an effort.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::NAME;
use crate::error::Error as E;
use crate::models::{ClaudeTraits, ThinkingMode};
use genkit_core::Effort;
use genkit_core::internal::run_options::REASONING_EFFORT;
use genkit_model::internal::warn_omitted;

/// The lowest budget that the API accepts.
const MIN_BUDGET: u32 = 1_024;

/// The key of the API's own setting.
const THINKING: &str = "thinking";

/// The thinking settings of a request.
#[derive(Default)]
pub(super) struct ThinkingPlan<'a> {
    pub(super) thinking: Option<ThinkingParam<'a>>,
    pub(super) effort: Option<Cow<'a, str>>,
    /// The thinking tokens to add to the token limit of the response.
    pub(super) budget: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ThinkingParam<'a> {
    /// Unchanged from the settings.
    Given(&'a Value),
    Written {
        r#type: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        budget_tokens: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        display: Option<&'a Value>,
    },
}

/// The inputs of a plan.
pub(super) struct ThinkingContext<'a> {
    pub(super) model: &'a str,
    pub(super) traits: ClaudeTraits,
    /// The token limit in the settings.
    pub(super) max_tokens: Option<u32>,
    /// Whether a tool call is forced.
    pub(super) is_forced: bool,
    /// Whether the model is in a round of tool calls that it started without thinking.
    pub(super) is_thoughtless_round: bool,
}

impl<'a> ThinkingPlan<'a> {
    pub(super) fn new(
        config: &'a Map<String, Value>,
        context: &ThinkingContext<'_>,
    ) -> Result<Self, E> {
        let mut plan = Self::default();
        match config.get(THINKING).and_then(Value::as_object) {
            Some(given) => plan.explicit_plan(&config[THINKING], given, context),
            None => plan.by_effort(config, context),
        }
        if let Some(effort) = config.get("effort").and_then(Value::as_str) {
            plan.effort = Some(effort.into());
        }
        if context.is_forced && context.traits.thinking == ThinkingMode::Always {
            return Err(E::ForcedToolUnsupported { model: context.model.to_owned() });
        }
        let budgeted = plan.budget > 0 && context.is_thoughtless_round;
        if plan.is_on() && (context.is_forced || budgeted) {
            let remedy = if context.is_forced {
                "the model cannot think while a tool call is forced; use `ToolChoice::Auto`"
            } else {
                "the model cannot start to think within a round of tool calls; thinking starts in the next round"
            };
            warn_omitted(NAME, context.model, THINKING, remedy);
            plan.thinking = None;
            plan.budget = 0;
        }
        Ok(plan)
    }

    /// Returns whether thinking is enabled.
    pub(super) fn is_on(&self) -> bool {
        let kind = match &self.thinking {
            None => None,
            Some(ThinkingParam::Given(given)) => given.get("type").and_then(Value::as_str),
            Some(ThinkingParam::Written { r#type, .. }) => Some(*r#type),
        };
        kind.is_some_and(|kind| kind != "disabled")
    }

    /// Returns whether the effort is one that needs a high token limit.
    pub(super) fn is_deep(&self) -> bool {
        matches!(self.effort.as_deref(), Some("xhigh" | "max"))
    }

    /// Reads the settings in the API's format, or in Genkit's: `{"enabled": true, "budgetTokens":
    /// 2048}`.
    fn explicit_plan(
        &mut self,
        value: &'a Value,
        given: &'a Map<String, Value>,
        context: &ThinkingContext<'_>,
    ) {
        let tokens =
            |key: &str| given.get(key).and_then(Value::as_u64).and_then(|it| it.try_into().ok());
        if given.contains_key("type") {
            self.budget = tokens("budget_tokens").unwrap_or(0);
            self.thinking = Some(ThinkingParam::Given(value));
            return;
        }
        let is = |key: &str| given.get(key).and_then(Value::as_bool);
        let display = given.get("display");
        let budget: Option<u32> = tokens("budgetTokens");
        let kind = context.traits.thinking;
        let takes_budget = matches!(
            kind,
            ThinkingMode::Budget | ThinkingMode::AdaptiveOrBudget | ThinkingMode::No
        );
        let written = match (is("enabled"), is("adaptive")) {
            (Some(false), _) if kind == ThinkingMode::Always => {
                let remedy = "the model always thinks; use `reasoning(Effort::Low)`";
                return warn_omitted(NAME, context.model, "thinking.enabled", remedy);
            }
            (Some(false), _) => ("disabled", None),
            (_, Some(true)) => ("adaptive", None),
            (Some(true), _) if takes_budget => {
                self.budget = budget.unwrap_or(Effort::Medium.token_budget());
                ("enabled", Some(self.budget))
            }
            (Some(true), _) => {
                if budget.is_some() {
                    let remedy =
                        "the thinking of this model is adaptive; use `reasoning(Effort::High)`";
                    warn_omitted(NAME, context.model, "thinking.budgetTokens", remedy);
                }
                ("adaptive", None)
            }
            _ => return,
        };
        let (r#type, budget_tokens) = written;
        self.thinking = Some(ThinkingParam::Written { r#type, budget_tokens, display });
    }

    fn by_effort(&mut self, config: &'a Map<String, Value>, context: &ThinkingContext<'_>) {
        let Some(word) = config.get(REASONING_EFFORT).and_then(Value::as_str) else { return };
        let effort = Effort::from_config(config);
        let written = |r#type, budget_tokens| {
            Some(ThinkingParam::Written { r#type, budget_tokens, display: None })
        };
        let no = |remedy| warn_omitted(NAME, context.model, REASONING_EFFORT, remedy);
        match (context.traits.thinking, effort) {
            (ThinkingMode::No, Some(Effort::None)) => {}
            (ThinkingMode::No, _) => no("use a newer model that can think"),
            (ThinkingMode::Always, Some(Effort::None)) => {
                no("the model always thinks, so the lowest effort is used");
                self.effort = Some("low".into());
            }
            (_, Some(Effort::None)) => self.thinking = written("disabled", None),
            (ThinkingMode::Budget, None) => no("use one of the values of `Effort`"),
            (ThinkingMode::Budget, Some(effort)) => {
                let most =
                    context.max_tokens.unwrap_or(context.traits.max_output).saturating_sub(1);
                let budget = effort.token_budget().min(most);
                if budget < MIN_BUDGET {
                    return no("the token limit is too low to think; raise `maxOutputTokens`");
                }
                self.budget = budget;
                self.thinking = written("enabled", Some(budget));
            }
            (_, effort) => {
                self.thinking = written("adaptive", None);
                self.effort = Some(match effort {
                    None => word.into(), // an effort of the API
                    Some(Effort::Minimal) => "low".into(),
                    Some(Effort::Max) => context.traits.max_effort.unwrap_or("high").into(),
                    Some(effort) => effort.as_str().into(),
                });
            }
        }
    }
}
