//! Generate response: what a run gives.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::options::GenerateOptions;
use crate::error::{Error, Result};
use crate::generate::error::Error as E;
use crate::generate::format::{ModelAnswer, OutputMisfit, stopped_on};
use crate::generate::interrupt::Interrupt;
use crate::generate::runner::runner;
use crate::generate::tools::IntoTools;
use crate::message::{Media, Message, Part, Role, ToolRequest, ToolResponse};
use crate::model::request::ModelRequest;
use crate::model::response::{FinishReason, Usage};
use crate::run_options::drop_account;

/// The response of `generate`: plain data in Genkit's JSON.
///
/// ```
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let response = genkit::generate("hi").model(ScriptedModel::text("hello")).await?;
/// assert_eq!(response.text(), "hello");
/// assert_eq!(response.messages().len(), 2);
///
/// let stored = serde_json::to_string(&response)?;
/// let back: genkit::GenerateResponse = serde_json::from_str(&stored)?;
/// assert_eq!(back, response);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GenerateResponse {
    /// Message: what the model said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Finish reason: why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Finish message: why it ended, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_message: Option<String>,
    /// Usage: what all model calls of the run used together.
    #[serde(default)]
    pub usage: Usage,
    /// Custom data: what only the model's provider knows of its last answer.
    #[serde(default)]
    pub custom: Map<String, Value>,
    /// Request: what the model was asked last, with the whole history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ModelRequest>,
}

impl GenerateResponse {
    /// Text of the last message. Of a run that ended on a tool it is
    /// that tool's answer: its text, or its JSON.
    pub fn text(&self) -> String {
        match self.stopped_on() {
            Some(answer) => text_of(answer),
            None => self.message.as_ref().map(Message::text).unwrap_or_default(),
        }
    }

    /// Reasoning: what the model thought before its last message.
    pub fn reasoning(&self) -> String {
        self.parts()
            .filter_map(|part| match part {
                Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Media: the first image, sound or file of the last message.
    pub fn media(&self) -> Option<&Media> {
        self.parts().find_map(|part| match part {
            Part::Media { media, .. } => Some(media),
            _ => None,
        })
    }

    /// Tool requests: the calls that the last message asks for.
    pub fn tool_requests(&self) -> Vec<&ToolRequest> {
        self.message.iter().flat_map(Message::tool_requests).collect()
    }

    /// Interrupts: the open questions of an interrupted run.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        self.message.as_ref().map(Interrupt::all).unwrap_or_default()
    }

    /// Whether the run waits for answers.
    pub fn is_interrupted(&self) -> bool {
        self.finish_reason == Some(FinishReason::Interrupted)
    }

    /// History: the whole conversation; give it to `.messages(..)` to go on.
    pub fn messages(&self) -> Vec<Message> {
        let history = self.request.iter().flat_map(|request| &request.messages);
        history.chain(&self.message).cloned().collect()
    }

    /// History: the whole conversation, without a copy.
    pub fn into_messages(self) -> Vec<Message> {
        let mut messages = self.request.map(|request| request.messages).unwrap_or_default();
        messages.extend(self.message);
        messages
    }

    /// Structured output: the answer as a `T`.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Dish { name: String, minutes: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::text(r#"Here it is: {"name": "soup", "minutes": 20}"#);
    /// let response = genkit::generate("A quick dish?").output::<Dish>().model(model).await?;
    /// let dish: Dish = response.output()?;
    /// assert_eq!((dish.name.as_str(), dish.minutes), ("soup", 20));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the text does not hold
    /// a value that fits; the error shows the text.
    pub fn output<T: DeserializeOwned>(&self) -> Result<T> {
        let answer = self.answer();
        answer.read().map(|(output, _)| output).map_err(|misfit| match misfit {
            OutputMisfit::Unreadable(error) => error,
            OutputMisfit::Value(why) => E::OutputType { why, shown: answer.shown() }.into(),
        })
    }

    /// Structured output as JSON, read by the format that was asked for.
    ///
    /// # Errors
    /// As [`output`](Self::output).
    pub fn output_value(&self) -> Result<Value> {
        self.answer().value()
    }

    pub(crate) fn answer(&self) -> ModelAnswer<'_> {
        ModelAnswer {
            message: self.message.as_ref(),
            finish_reason: self.finish_reason,
            output: self.request.as_ref().map(|request| &request.output),
        }
    }

    /// The interrupted response that options to resume were made of.
    pub fn interrupted(options: GenerateOptions) -> Self {
        let mut response = Self::of_request(options.into_request());
        response.message = response.request.as_mut().and_then(|request| request.messages.pop());
        response.finish_reason = Some(FinishReason::Interrupted);
        response
    }

    /// A response without a message yet. It is stored and shown, so that a key in the settings of
    /// the run is no part of it.
    pub fn of_request(mut request: ModelRequest) -> Self {
        drop_account(&mut request.config);
        Self { request: Some(request), ..Self::default() }
    }

    /// The answer that ended the run.
    fn stopped_on(&self) -> Option<&ToolResponse> {
        let message = self.message.as_ref().filter(|message| message.role == Role::Tool)?;
        message.content.iter().find_map(stopped_on)
    }

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
        runner()?.run_tools(tools.into_tools(), self.clone()).await
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.message.iter().flat_map(|message| &message.content)
    }
}

fn text_of(answer: &ToolResponse) -> String {
    match &answer.output {
        Value::Null => answer.content.iter().filter_map(Part::as_text).collect(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Counts, never content: what was said may be secret.
impl std::fmt::Debug for GenerateResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GenerateResponse")
            .field("finish_reason", &self.finish_reason)
            .field("finish_message", &self.finish_message)
            .field("parts", &self.parts().count())
            .field("messages", &self.request.as_ref().map_or(0, |request| request.messages.len()))
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}

impl Error {
    /// Partial response: what a run had done before it failed, its history, usage and last message.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{ErrorKind, Error, tool, tools};
    ///
    /// /// Tells the time.
    /// #[tool]
    /// async fn now() -> &'static str { "noon" }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let model = ScriptedModel::new([
    ///     Ok(ModelResponse::from_tool_requests([ToolRequest::new("now", ())])),
    ///     Err(Error::new(ErrorKind::Unavailable, "overloaded")),
    /// ]);
    /// let error = genkit::generate("Late?").model(model).tools(tools![now]).await.unwrap_err();
    /// let done = error.partial().unwrap();
    /// assert_eq!(done.messages().len(), 3); // the question, the call and its answer are not lost
    /// # }
    /// ```
    pub fn partial(&self) -> Option<&GenerateResponse> {
        self.partial_of()
    }

    /// Partial response: what a run had done before it failed, taken out of the error.
    pub fn into_partial(mut self) -> Option<GenerateResponse> {
        self.take_partial()
    }
}
