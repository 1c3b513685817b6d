//! The response of a run.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::options::GenerateOptions;
use crate::error::{Error, Result};
use crate::generate::error::Error as E;
use crate::generate::format::{ModelOutput, OutputMismatch, stopped_on};
use crate::generate::interrupt::Interrupt;
use crate::message::{Media, Message, Part, Role, ToolRequest, ToolResponse};
use crate::model::request::ModelRequest;
use crate::model::response::{FinishReason, Usage};
use genkit_untrusted::redact::remove_account_settings;

/// The response of `generate`, as plain data in Genkit's JSON.
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
    /// The last message: a model message, or the tool responses if the run ended with a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The finish reason: the reason why the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The finish message: a description of the finish reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_message: Option<String>,
    /// The usage: the sum over all model calls of the run.
    #[serde(default)]
    pub usage: Usage,
    /// Custom data from the model's provider about the last response.
    #[serde(default)]
    pub custom: Map<String, Value>,
    /// The last request to the model, which contains the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ModelRequest>,
}

impl GenerateResponse {
    /// Returns the text of the last message. If a tool ended the run, returns the result of that tool as text or JSON.
    pub fn text(&self) -> String {
        match self.stopped_on() {
            Some(answer) => answer_text(answer),
            None => self.message.as_ref().map(Message::text).unwrap_or_default(),
        }
    }

    /// Returns the reasoning in the last message.
    pub fn reasoning(&self) -> String {
        self.message_parts()
            .filter_map(|part| match part {
                Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Returns the first media part (image, audio or file) of the last message.
    pub fn media(&self) -> Option<&Media> {
        self.message_parts().find_map(|part| match part {
            Part::Media { media, .. } => Some(media),
            _ => None,
        })
    }

    /// Returns the tool requests in the last message.
    pub fn tool_requests(&self) -> Vec<&ToolRequest> {
        self.message.iter().flat_map(Message::tool_requests).collect()
    }

    /// Returns the interrupts: the open questions of an interrupted run.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        self.message.as_ref().map(Interrupt::find_all).unwrap_or_default()
    }

    /// Returns `true` if the run was interrupted and waits for answers.
    pub fn is_interrupted(&self) -> bool {
        self.finish_reason == Some(FinishReason::Interrupted)
    }

    /// Returns the history: the whole conversation. Pass it to `.messages(..)` to continue.
    pub fn messages(&self) -> Vec<Message> {
        let history = self.request.iter().flat_map(|request| &request.messages);
        history.chain(&self.message).cloned().collect()
    }

    /// Returns the history: the whole conversation, without cloning it.
    pub fn into_messages(self) -> Vec<Message> {
        let mut messages = self.request.map(|request| request.messages).unwrap_or_default();
        messages.extend(self.message);
        messages
    }

    /// Returns the structured output as a `T`.
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
    /// Returns [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the text does not contain a
    /// value of this type. The error quotes the text.
    pub fn output<T: DeserializeOwned>(&self) -> Result<T> {
        let answer = self.model_output();
        answer.read().map(|(output, _)| output).map_err(|misfit| match misfit {
            OutputMismatch::Unreadable(error) => error,
            OutputMismatch::Value(why) => {
                E::OutputType { why, shown: answer.text_for_model() }.into()
            }
        })
    }

    /// Returns the structured output as JSON, parsed according to the requested format.
    ///
    /// # Errors
    /// Returns the same errors as [`output`](Self::output).
    pub fn output_value(&self) -> Result<Value> {
        self.model_output().parse_value()
    }

    pub(crate) fn model_output(&self) -> ModelOutput<'_> {
        ModelOutput {
            message: self.message.as_ref(),
            finish_reason: self.finish_reason,
            output: self.request.as_ref().map(|request| &request.output),
        }
    }

    /// Reconstructs the interrupted response from the options of the run that resumes it.
    #[doc(hidden)]
    pub fn from_interrupted(options: GenerateOptions) -> Self {
        let mut response = Self::from_request(options.into_request());
        response.message = response.request.as_mut().and_then(|request| request.messages.pop());
        response.finish_reason = Some(FinishReason::Interrupted);
        response
    }

    /// Creates a response without a message. Responses are stored and displayed, so account settings such as API keys
    /// are removed.
    #[doc(hidden)]
    pub fn from_request(mut request: ModelRequest) -> Self {
        remove_account_settings(&mut request.config);
        Self { request: Some(request), ..Self::default() }
    }

    /// Returns the tool response that ended the run, if any.
    fn stopped_on(&self) -> Option<&ToolResponse> {
        let message = self.message.as_ref().filter(|message| message.role == Role::Tool)?;
        message.content.iter().find_map(stopped_on)
    }

    fn message_parts(&self) -> impl Iterator<Item = &Part> {
        self.message.iter().flat_map(|message| &message.content)
    }
}

fn answer_text(answer: &ToolResponse) -> String {
    match &answer.output {
        Value::Null => answer.content.iter().filter_map(Part::as_text).collect(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

// Prints only counts, because the contents may be secret.
impl std::fmt::Debug for GenerateResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GenerateResponse")
            .field("finish_reason", &self.finish_reason)
            .field("finish_message", &self.finish_message)
            .field("parts", &self.message_parts().count())
            .field("messages", &self.request.as_ref().map_or(0, |request| request.messages.len()))
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}

impl Error {
    /// Returns the partial response: the history, usage and last message of the run before it failed.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{ErrorKind, Error, tool, tools};
    ///
    /// /// Returns the time.
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
    /// assert_eq!(done.messages().len(), 3); // the prompt, the tool call and its result
    /// # }
    /// ```
    pub fn partial(&self) -> Option<&GenerateResponse> {
        self.partial_value()
    }

    /// Takes the partial response out of the error: the history, usage and last message of the run before it failed.
    pub fn into_partial(mut self) -> Option<GenerateResponse> {
        self.take_partial()
    }
}
