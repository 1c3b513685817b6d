//! Sampling: text from the client's model.

use std::future::IntoFuture;

use super::super::Context;
use super::data::QuestionKind;
use super::results::Sampled;
use super::sample_request::SampleRequest;
use crate::context::capability::Capability;
use crate::error::Result;
use crate::future::BoxFuture;

impl Context {
    /// Requests text from the client's model (sampling): `ctx.sample("Summarize: …").await?.text()`.
    ///
    /// MCP deprecates sampling (SEP-2577): it works until at least 2027-07-28, but new programs should call a model
    /// directly, with `genkit::generate`.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Translates with the client's own model.
    /// #[tool]
    /// async fn translate(ctx: &Context, text: String) -> Result<String> {
    ///     Ok(ctx.sample(format!("Translate to French: {text}")).max_tokens(500).await?.text())
    /// }
    /// ```
    pub fn sample(&self, request: impl Into<SampleRequest>) -> Sample<'_> {
        Sample::new(self, request.into())
    }

    /// Returns whether the caller supports sampling with [`sample`](Self::sample).
    pub fn can_sample(&self) -> bool {
        self.0.parts.caller.has_capability(Capability::Sampling)
    }
}

/// A sampling request, ready to be sent to the client's model. Created by [`Context::sample`].
///
/// Await it to send the request. The output is a [`Sampled`].
///
/// ```
/// use genkit::{Context, Result, tool};
///
/// /// Finds a rhyme with the client's own model.
/// #[tool]
/// async fn rhyme(ctx: &Context, word: String) -> Result<String> {
///     let reply = ctx
///         .sample(format!("A word that rhymes with {word}?"))
///         .system("Answer in one word.")
///         .max_tokens(10) // default is 1,024
///         .temperature(0.7) // default is the client's
///         .stop(".")
///         .key("rhyme")
///         .await?;
///     Ok(reply.text())
/// }
/// ```
///
/// # Errors
/// Awaiting it returns [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the caller does not
/// support sampling, [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the response is malformed, or
/// the error that the caller responds with.
#[must_use = "a question is only asked when awaited; add `.await`"]
pub struct Sample<'a> {
    context: &'a Context,
    key: Option<String>,
    request: SampleRequest,
}

impl<'a> Sample<'a> {
    pub(super) fn new(context: &'a Context, request: SampleRequest) -> Self {
        Self { context, key: None, request }
    }

    /// Sets the key of the question; see [`Elicit::key`](crate::context::Elicit::key).
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the token limit: the maximum number of tokens in the response. Default is 1,024.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.request = self.request.with_max_tokens(tokens);
        self
    }

    /// Sets the system prompt: instructions that apply to the whole conversation.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.request = self.request.with_system(text);
        self
    }

    /// Sets the temperature: the randomness of the response, from 0. Default is the client's setting.
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.request = self.request.with_temperature(temperature);
        self
    }

    /// Adds a stop sequence: a string that ends the response.
    pub fn stop(mut self, sequence: impl Into<String>) -> Self {
        self.request = self.request.with_stop(sequence);
        self
    }
}

impl<'a> IntoFuture for Sample<'a> {
    type Output = Result<Sampled>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let kind = QuestionKind::Sampling(self.request);
        Box::pin(self.context.ask_question(self.key, kind, |answer| answer.into_sample()))
    }
}

crate::becomes_a_future!(Sample<'a>, Result<Sampled>, 'a);
