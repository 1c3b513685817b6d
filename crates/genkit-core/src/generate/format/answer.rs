//! The response from a model as typed output: parsed by its format, checked against its schema and its type.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Format, parse_answer};
use crate::error::Result;
use crate::message::{Message, Part, ToolResponse};
use crate::model::request::OutputConfig;
use crate::model::response::FinishReason;
use genkit_schema::Schema;
use genkit_schema::internal::placed;
use genkit_schema::internal::truncate::excerpt;

/// The length of the response quoted in an error, in characters. Default is 500.
const SHOWN: usize = 500;

/// The metadata key that marks the response of the tool that ended a run.
pub const STOPPED: &str = "stoppedRun";

/// Returns the tool response if it ended the run.
pub fn stopped_on(part: &Part) -> Option<&ToolResponse> {
    let is_marked = part.metadata().get(STOPPED).is_some_and(|mark| mark == true);
    part.as_tool_response().filter(|_| is_marked)
}

/// A message from a model, with the requested output.
#[derive(Clone, Copy)]
pub struct ModelOutput<'a> {
    pub message: Option<&'a Message>,
    pub finish_reason: Option<FinishReason>,
    pub output: Option<&'a OutputConfig>,
}

/// The reason why a response does not match the requested output.
pub enum OutputMismatch {
    /// The text cannot be parsed in its format.
    Unreadable(crate::error::Error),
    /// The reason why the value does not match, with its location.
    Value(String),
}

impl From<genkit_schema::internal::Error> for OutputMismatch {
    fn from(error: genkit_schema::internal::Error) -> Self {
        Self::Unreadable(error.into())
    }
}

impl From<crate::error::Error> for OutputMismatch {
    fn from(error: crate::error::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl OutputMismatch {
    /// Returns the description that is sent to the model.
    pub fn explanation(&self) -> String {
        match self {
            Self::Unreadable(error) => error.to_string(),
            Self::Value(why) => why.clone(),
        }
    }
}

impl ModelOutput<'_> {
    /// Parses the response as JSON, according to the requested format.
    pub(crate) fn parse_value(&self) -> Result<Value> {
        let mut parts = self.message.iter().flat_map(|message| &message.content);
        let data = parts.find_map(|part| match part {
            Part::Data { data, .. } => Some(data),
            part => stopped_on(part).map(|answer| &answer.output).filter(|it| !it.is_null()),
        });
        if let Some(data) = data {
            return Ok(data.clone());
        }
        let text = self.joined_text();
        let format = self.output.and_then(|output| output.format.as_deref());
        match format.and_then(Format::from_name) {
            Some(format) => parse_answer(format, &text).map(|value| self.without_nulls(value)),
            // Without a format: JSON if the text contains any, otherwise the text itself.
            None => Ok(genkit_schema::internal::partial_json::extract(&text)
                .unwrap_or(Value::String(text))),
        }
    }

    /// Deserializes the response as a `T`, checks it against the bounds of the schema, and also returns it as JSON.
    pub fn read<T: DeserializeOwned>(&self) -> Result<(T, Value), OutputMismatch> {
        let value = self.parse_value()?;
        let bounds = self.output_schema().map(Schema::bounds).transpose()?;
        let reads = |value: &Value| T::deserialize(value).is_ok();
        let read =
            placed::read(&value).map_err(|misfit| OutputMismatch::Value(misfit.to_string()))?;
        match bounds.flatten().map(|bounds| bounds.check_read(&value, &reads)) {
            Some(Err(why)) => Err(OutputMismatch::Value(why)),
            _ => Ok((read, value)),
        }
    }

    /// Parses the response as JSON that matches the whole schema, for output without a Rust type.
    pub fn checked_value(&self) -> Result<Value, OutputMismatch> {
        let value = self.parse_value()?;
        let bounds = self.output_schema().map(Schema::whole_bounds).transpose()?;
        match bounds.flatten().map(|bounds| bounds.check(&value)) {
            Some(Err(why)) => Err(OutputMismatch::Value(why)),
            _ => Ok(value),
        }
    }

    fn output_schema(&self) -> Option<&Schema> {
        self.output.and_then(|output| output.schema.as_ref())
    }

    /// Removes `null` values of optional properties. A model writes them if its provider requires every property.
    fn without_nulls(&self, mut value: Value) -> Value {
        if let Some(schema) = self.output_schema() {
            genkit_schema::internal::drop_optional_nulls(&mut value, schema, false);
        }
        value
    }

    fn joined_text(&self) -> String {
        self.message.map(Message::text).unwrap_or_default()
    }

    /// Returns [`text_for_model`](Self::text_for_model), or an empty string if `why` already quotes the response.
    pub fn shown_after(&self, why: &str) -> String {
        let quoted = format!("{:?}", excerpt(&self.joined_text(), super::parse::MAX_QUOTED));
        if why.ends_with(&quoted) { String::new() } else { format!("; {}", self.text_for_model()) }
    }

    /// Quotes the response, with the finish reason if that may explain the error.
    pub(crate) fn text_for_model(&self) -> String {
        let text = excerpt(&self.joined_text(), SHOWN);
        match self.finish_reason {
            Some(FinishReason::Stop) | None => format!("the text is: {text}"),
            Some(reason) => format!("it ended with {reason:?}, and the text is: {text}"),
        }
    }
}
