//! Running the tool calls of a response: a single round of the loop, without the model.

use serde_json::Value;

use super::builder::Generate;
use super::prepare::prepare_tools;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::read_resumed;
use genkit_core::internal::trace::{NewSpan, SpanKind, to_json, trace_work};

impl Generate {
    /// Runs the tool calls of `response`, with the tools, state, approval policy, middleware and limits of this
    /// request. The prompt and the model of this request are not used. See [`GenerateResponse::run_tools`].
    ///
    /// # Errors
    /// Returns the same errors as [`GenerateResponse::run_tools`].
    pub async fn run_tools(self, response: &GenerateResponse) -> Result<GenerateResponse> {
        let GenerateResponse { message, request, mut usage, custom, .. } = response.clone();
        let Some(message) = message.filter(|message| message.tool_requests().next().is_some())
        else {
            return Ok(response.clone());
        };
        if response.is_interrupted() {
            return Err(E::WaitsForAnswers.into());
        }
        let begun = read_resumed(&message)?;
        let work = async {
            let run = prepare_tools(self).await?;
            run.run_tools(request.unwrap_or_default(), message, begun).await
        };
        // One span for all calls, since they belong to the same round.
        let span = NewSpan { name: "run_tools", kind: SpanKind::Util, input: &|| Value::Null };
        let mut ran = trace_work(span, work, to_json).await?;
        usage.add(&ran.usage); // sampling requests of the tools
        ran.finish_reason = ran.finish_reason.or(response.finish_reason);
        ran.usage = usage;
        ran.custom = custom;
        Ok(ran)
    }
}
