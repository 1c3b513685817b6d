//! The answer of a model as what was asked for: its format reads it, its schema and its type check it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Format, parse};
use crate::error::Result;
use crate::message::{Message, Part, ToolResponse};
use crate::model::request::OutputConfig;
use crate::model::response::FinishReason;
use genkit_schema::Schema;
use genkit_schema::internal::placed;
use genkit_schema::internal::truncate::excerpt;

/// How much of an answer an error shows, in characters. Default is 500.
const SHOWN: usize = 500;

/// The mark of the answer of a tool that ended a run, in its metadata.
pub const STOPPED: &str = "stoppedRun";

/// The answer of a tool, if that ended the run.
pub fn stopped_on(part: &Part) -> Option<&ToolResponse> {
    let is_marked = part.metadata().get(STOPPED).is_some_and(|mark| mark == true);
    part.as_tool_response().filter(|_| is_marked)
}

/// A message of a model, and what was asked for.
#[derive(Clone, Copy)]
pub struct ModelAnswer<'a> {
    pub message: Option<&'a Message>,
    pub finish_reason: Option<FinishReason>,
    pub output: Option<&'a OutputConfig>,
}

/// Why an answer is not what was asked for.
pub enum OutputMisfit {
    /// It does not read in its format.
    Unreadable(crate::error::Error),
    /// What is wrong with the value, and where.
    Value(String),
}

impl From<genkit_schema::internal::Error> for OutputMisfit {
    fn from(error: genkit_schema::internal::Error) -> Self {
        Self::Unreadable(error.into())
    }
}

impl From<crate::error::Error> for OutputMisfit {
    fn from(error: crate::error::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl OutputMisfit {
    /// As the model is told.
    pub fn why(&self) -> String {
        match self {
            Self::Unreadable(error) => error.to_string(),
            Self::Value(why) => why.clone(),
        }
    }
}

impl ModelAnswer<'_> {
    /// As JSON, read by the format that was asked for.
    pub(crate) fn value(&self) -> Result<Value> {
        let mut parts = self.message.iter().flat_map(|message| &message.content);
        let data = parts.find_map(|part| match part {
            Part::Data { data, .. } => Some(data),
            part => stopped_on(part).map(|answer| &answer.output).filter(|it| !it.is_null()),
        });
        if let Some(data) = data {
            return Ok(data.clone());
        }
        let text = self.text();
        let format = self.output.and_then(|output| output.format.as_deref());
        match format.and_then(Format::of_name) {
            Some(format) => parse(format, &text).map(|value| self.without_nulls(value)),
            // Nothing was asked for: JSON if it is, else the text itself.
            None => Ok(genkit_schema::internal::partial_json::extract(&text)
                .unwrap_or(Value::String(text))),
        }
    }

    /// As a `T`, which also fits what the schema says beyond the type, and as JSON.
    pub fn read<T: DeserializeOwned>(&self) -> Result<(T, Value), OutputMisfit> {
        let value = self.value()?;
        let bounds = self.schema().map(Schema::bounds).transpose()?;
        let reads = |value: &Value| T::deserialize(value).is_ok();
        let read =
            placed::read(&value).map_err(|misfit| OutputMisfit::Value(misfit.to_string()))?;
        match bounds.flatten().map(|bounds| bounds.check_read(&value, &reads)) {
            Some(Err(why)) => Err(OutputMisfit::Value(why)),
            _ => Ok((read, value)),
        }
    }

    /// As JSON that fits the whole schema, where no type reads it.
    pub fn checked(&self) -> Result<Value, OutputMisfit> {
        let value = self.value()?;
        let bounds = self.schema().map(Schema::whole_bounds).transpose()?;
        match bounds.flatten().map(|bounds| bounds.check(&value)) {
            Some(Err(why)) => Err(OutputMisfit::Value(why)),
            _ => Ok(value),
        }
    }

    fn schema(&self) -> Option<&Schema> {
        self.output.and_then(|output| output.schema.as_ref())
    }

    /// A provider that binds every property makes the model write null for what it leaves out.
    fn without_nulls(&self, mut value: Value) -> Value {
        if let Some(schema) = self.schema() {
            genkit_schema::internal::drop_optional_nulls(&mut value, schema, false);
        }
        value
    }

    fn text(&self) -> String {
        self.message.map(Message::text).unwrap_or_default()
    }

    /// [`shown`](Self::shown) behind a reason, which may have quoted the text already.
    pub fn shown_after(&self, why: &str) -> String {
        let quoted = format!("{:?}", excerpt(&self.text(), super::parse::MAX_QUOTED));
        if why.ends_with(&quoted) { String::new() } else { format!("; {}", self.shown()) }
    }

    /// Why there may be no answer, and what there is.
    pub(crate) fn shown(&self) -> String {
        let text = excerpt(&self.text(), SHOWN);
        match self.finish_reason {
            Some(FinishReason::Stop) | None => format!("the text is: {text}"),
            Some(reason) => format!("it ended with {reason:?}, and the text is: {text}"),
        }
    }
}
