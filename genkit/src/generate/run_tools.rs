//! Running the tool calls of a response by hand: one round of the loop, without the model.

use serde_json::Value;

use super::builder::Generate;
use super::data::GenerateResponse;
use super::error::Error as E;
use super::interrupt::begun;
use super::prepare::prepare_tools;
use super::tools::IntoTools;
use crate::error::Result;
use crate::instance::Genkit;
use crate::trace::{NewSpan, SpanKind, json, traced};

impl GenerateResponse {
    /// Tool calls by hand: runs those that this response asks for, as the loop would, and gives the
    /// conversation with their answers. For responses of
    /// [`return_tool_requests`](Generate::return_tool_requests).
    ///
    /// `tools` is anything that [`Generate::tools`] takes: `tools![..]`, values, names, the tools of
    /// an MCP host. A call that fails is answered with the failure as a model reads it. Where a tool
    /// asks somebody the response is [interrupted](Self::is_interrupted) like that of a whole run, and
    /// [`Generate::resume`] goes on with it.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{tool, tools};
    ///
    /// /// Tells the weather.
    /// #[tool]
    /// async fn weather(city: String) -> String { format!("sunny in {city}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let model = ScriptedModel::new([
    /// #     ModelResponse::from_tool_requests([ToolRequest::new("weather", serde_json::json!({"city": "Rome"}))]),
    /// #     ModelResponse::from_text("It is sunny."),
    /// # ]);
    /// let ask = genkit::generate(()).model(model).tools(tools![weather]).return_tool_requests(true);
    /// let mut response = ask.clone().prompt("Weather in Rome?").await?;
    /// while !response.tool_requests().is_empty() {
    ///     let ran = response.run_tools(tools![weather]).await?;
    ///     response = ask.clone().messages(ran.messages()).await?;
    /// }
    /// assert_eq!(response.text(), "It is sunny.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// For tools with state, an approval policy or middleware see [`Generate::run_tools`].
    ///
    /// # Errors
    /// As [`Generate`], where the tools cannot be had, or where a tool's error is
    /// [fatal](crate::Error::is_fatal); what was done is in [`Error::partial`](crate::Error::partial).
    pub async fn run_tools(&self, tools: impl IntoTools) -> Result<Self> {
        Genkit::default().generate(()).tools(tools).run_tools(self).await
    }
}

impl Generate {
    /// Tool calls by hand: runs those that `response` asks for, with the tools, state, approval policy,
    /// middleware and limits of this run; its prompt and model are not asked. See
    /// [`GenerateResponse::run_tools`].
    ///
    /// # Errors
    /// As [`GenerateResponse::run_tools`].
    pub async fn run_tools(self, response: &GenerateResponse) -> Result<GenerateResponse> {
        let GenerateResponse { message, request, mut usage, custom, .. } = response.clone();
        let Some(message) = message.filter(|message| message.tool_requests().next().is_some())
        else {
            return Ok(response.clone());
        };
        if response.is_interrupted() {
            return Err(E::WaitsForAnswers.into());
        }
        let begun = begun(&message)?;
        let work = async {
            let run = prepare_tools(self).await?;
            run.run_tools(request.unwrap_or_default(), message, begun).await
        };
        // One for all: the calls of a round belong together.
        let span = NewSpan { name: "run_tools", kind: SpanKind::Util, input: &|| Value::Null };
        let ran = traced(span, work, json).await?;
        usage.add(&ran.usage); // what tools sampled
        let finish_reason = ran.finish_reason.or(response.finish_reason);
        Ok(GenerateResponse { finish_reason, usage, custom, ..ran })
    }
}
