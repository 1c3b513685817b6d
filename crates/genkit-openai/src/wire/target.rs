//! The target of a call: a server and one of its models.

use super::servers::Deviations;
use genkit_model::internal::signature;

/// The server and model that a call is sent to.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The name of the provider in errors.
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) deviations: &'a Deviations,
}

/// The traits of a model, according to its name, on whatever server it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelTraits {
    /// Whether it is one of OpenAI's reasoning models.
    pub(crate) reasons: bool,
    /// Whether it rejects sampling settings such as `temperature`.
    pub(crate) fixed_sampling: bool,
    pub(crate) deepseek: bool,
    pub(crate) gemini: bool,
    /// Whether it is a Gemini model that rejects tool calls without a signature.
    pub(crate) checks_calls: bool,
}

impl ModelTraits {
    pub(crate) fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let is_o = name.strip_prefix('o').is_some_and(digit);
        let reasons = is_o || name.starts_with("gpt-5");
        // Since 5.1, they accept a temperature if they do not reason.
        let is_newer = name.starts_with("gpt-5.") || name.starts_with("gpt-5-chat");
        let fixed_sampling = reasons && !is_newer;
        let (deepseek, gemini) = (name.starts_with("deepseek"), name.starts_with("gemini"));
        let checks_calls = signature::checks_calls(&name);
        Self { reasons, fixed_sampling, deepseek, gemini, checks_calls }
    }
}
