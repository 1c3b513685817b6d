//! The target of a call: a server and a model of it.

use super::servers::Deviations;
use genkit_model::internal::signature;

/// Whom a call is for.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// What errors call it.
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) deviations: &'a Deviations,
}

/// What is known of a model by its name, wherever it is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelTraits {
    /// One of OpenAI's models that reason.
    pub(crate) reasons: bool,
    /// One of those that choose by themselves, without a temperature.
    pub(crate) fixed_sampling: bool,
    pub(crate) deepseek: bool,
    pub(crate) gemini: bool,
    /// A Gemini that refuses calls without their signatures.
    pub(crate) checks_calls: bool,
}

impl ModelTraits {
    pub(crate) fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let is_o = name.strip_prefix('o').is_some_and(digit);
        let reasons = is_o || name.starts_with("gpt-5");
        // Since 5.1 they take one where they do not reason.
        let is_newer = name.starts_with("gpt-5.") || name.starts_with("gpt-5-chat");
        let fixed_sampling = reasons && !is_newer;
        let (deepseek, gemini) = (name.starts_with("deepseek"), name.starts_with("gemini"));
        let checks_calls = signature::checks_calls(&name);
        Self { reasons, fixed_sampling, deepseek, gemini, checks_calls }
    }
}
