//! Data points: an input, the actual output and the expected output.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use genkit_core::Result;

use crate::error::Error;

/// A data point: an input, the output to judge, and the data to judge it by.
///
/// ```
/// use genkit::evaluate::DataPoint;
///
/// let point = DataPoint::new("What is the capital of Norway?")
///     .with_test_case_id("norway")
///     .with_output("Oslo")
///     .with_context(["Oslo has been the capital since 1814."])
///     .with_reference("Oslo");
/// assert_eq!(point.output_text()?, "Oslo");
/// let read: DataPoint = serde_json::from_str(r#"{"input": 1, "output": {"n": 2}}"#)?;
/// assert_eq!(read.output_text()?, r#"{"n":2}"#);
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataPoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub test_case_id: Option<String>,
    #[serde(default)]
    #[doc(hidden)]
    pub input: Value,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "deserialize_present"
    )]
    #[doc(hidden)]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<Vec<Value>>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "deserialize_present"
    )]
    pub(crate) reference: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trace_ids: Vec<String>,
}

/// Deserializes an explicit `null` as a value.
fn deserialize_present<'de, D: Deserializer<'de>>(
    reader: D,
) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

impl DataPoint {
    /// Creates a data point with this input, which can be any JSON.
    pub fn new(input: impl Into<Value>) -> Self {
        Self { input: input.into(), ..Self::default() }
    }

    /// Sets the output to judge.
    #[must_use]
    pub fn with_output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }

    /// Sets the reference: the expected output, or a pattern or an expression that judges the output.
    #[must_use]
    pub fn with_reference(mut self, reference: impl Into<Value>) -> Self {
        self.reference = Some(reference.into());
        self
    }

    /// Sets the context: the information that was available for the output, for example the retrieved documents.
    #[must_use]
    pub fn with_context<V: Into<Value>>(mut self, context: impl IntoIterator<Item = V>) -> Self {
        self.context = Some(context.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the id of the test case, which is also part of the results.
    #[must_use]
    pub fn with_test_case_id(mut self, id: impl Into<String>) -> Self {
        self.test_case_id = Some(id.into());
        self
    }

    /// Returns the id of the test case, if there is one.
    pub fn test_case_id(&self) -> Option<&str> {
        self.test_case_id.as_deref()
    }

    /// Returns the input.
    pub fn input(&self) -> &Value {
        &self.input
    }

    /// Returns the ids of the traces that produced the output.
    pub fn trace_ids(&self) -> &[String] {
        &self.trace_ids
    }

    /// Returns the output.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the output is missing.
    pub fn output(&self) -> Result<&Value> {
        self.output.as_ref().ok_or_else(|| missing_field("output"))
    }

    /// Returns the reference.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the reference is missing.
    pub fn reference(&self) -> Result<&Value> {
        self.reference.as_ref().ok_or_else(|| missing_field("reference"))
    }

    /// Returns the context.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the context is missing or empty.
    pub fn context(&self) -> Result<&[Value]> {
        let given = self.context.as_deref().filter(|context| !context.is_empty());
        given.ok_or_else(|| missing_field("context"))
    }

    /// Returns the input as text: a string unchanged, other values as compact JSON.
    pub fn input_text(&self) -> String {
        value_text(&self.input)
    }

    /// Returns the output as text: a string unchanged, other values as compact JSON.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the output is missing.
    pub fn output_text(&self) -> Result<String> {
        self.output().map(value_text)
    }

    /// Returns the reference as text: a string unchanged, other values as compact JSON.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the reference is missing.
    pub fn reference_text(&self) -> Result<String> {
        self.reference().map(value_text)
    }
}

fn missing_field(what: &'static str) -> genkit_core::Error {
    Error::MissingField(what).into()
}

/// Returns a string unchanged, and other values as compact JSON.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_null_is_an_output() {
        let point: DataPoint = serde_json::from_str(r#"{"input": 1, "output": null}"#).unwrap();
        assert_eq!(point.output().unwrap(), &Value::Null);
        let point: DataPoint = serde_json::from_str(r#"{"input": 1}"#).unwrap();
        assert_eq!(point.output().unwrap_err().to_string(), "output was not provided");
    }
}
