//! The output of a tool or a flow: a value, content, or both.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::action::error::Error as E;
use crate::context::Outcome;
use crate::error::Result;
use crate::message::Part;
use crate::trace::SpanOutcome;
use genkit_schema::internal as schema;
use genkit_schema::internal::to_finite_value;

/// The type-erased result of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    pub value: Option<Value>,
    pub content: Vec<Part>,
    pub metadata: Map<String, Value>,
    /// The text blocks that repeat the structured value of an upstream tool. Kept for callers that forward the result.
    pub repeated: Vec<String>,
}

impl ToolOutput {
    /// Returns the response for a model, the content that accompanies it, and the metadata. Without a value, content
    /// that is only text becomes the response.
    pub fn into_answer(self) -> (Value, Vec<Part>, Map<String, Value>) {
        let Self { value, content, metadata, .. } = self;
        match value {
            Some(value) => (value, content, metadata),
            None if content.iter().all(|part| part.as_text().is_some()) => {
                let text: String = content.iter().filter_map(Part::as_text).collect();
                let text = if content.is_empty() { Value::Null } else { text.into() };
                (text, Vec::new(), metadata)
            }
            None => (Value::Null, content, metadata),
        }
    }

    /// Returns the outcome that is recorded when the call's span ends.
    pub fn to_span_outcome(outcome: &mut Outcome<Self>) -> SpanOutcome<'_> {
        outcome.to_span_outcome(|output| output.clone().into_value())
    }

    pub fn into_value(self) -> Value {
        match self.value {
            Some(value) => value,
            None if self.content.is_empty() => Value::Null,
            None if self.content.iter().all(|part| part.as_text().is_some()) => {
                self.content.iter().filter_map(Part::as_text).collect::<String>().into()
            }
            None => serde_json::to_value(self.content).unwrap_or_default(),
        }
    }
}

/// The result of a tool: a structured value, with content for users and models.
///
/// ```
/// use genkit::{ToolReply, tool};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Weather { celsius: f64 }
///
/// /// The weather in a city.
/// #[tool]
/// async fn weather(city: String) -> ToolReply<Weather> {
///     ToolReply::new(Weather { celsius: 21.0 })
///         .with_text(format!("It is 21 degrees in {city}."))
///         .with_part(genkit::Part::image("image/png", b"..."))
///         .with_meta("example.com/source", "station 7")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let reply = weather("Oslo".into()).await; // it is still a plain function
/// assert_eq!(reply.value().celsius, 21.0);
/// assert_eq!(reply.parts()[0].as_text(), Some("It is 21 degrees in Oslo."));
/// assert_eq!(reply.meta()["example.com/source"], "station 7");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ToolReply<T> {
    value: T,
    content: Vec<Part>,
    metadata: Map<String, Value>,
}

impl<T> ToolReply<T> {
    /// Creates a reply with this `value`. If no content is added, the text content is the value as JSON.
    pub fn new(value: T) -> Self {
        Self { value, content: Vec::new(), metadata: Map::new() }
    }

    /// Adds text.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        self.with_part(Part::text(text))
    }

    /// Adds a part.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Self {
        self.content.push(part);
        self
    }

    /// Adds an entry to MCP's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Returns a reference to the value, for unit tests of the function.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the value, without content.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the text and other parts, in insertion order.
    pub fn parts(&self) -> &[Part] {
        &self.content
    }

    /// Returns the entries of MCP's `_meta`.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.metadata
    }
}

/// A type that a tool or a flow can return.
///
/// Implemented for every `T: Serialize + JsonSchema`, and for [`Part`] and [`ToolReply`]. A function can also return
/// `Vec<Part>`, and can return each of these types in a `Result` or an alias of `Result`.
///
/// ```
/// use genkit::{Part, Tool, tool};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Sum { total: i64 }
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> Sum {
///     Sum { total: a + b }
/// }
///
/// /// Draws a dot.
/// #[tool]
/// async fn dot() -> Result<Vec<Part>, std::io::Error> {
///     Ok(vec![Part::text("a dot"), Part::image("image/png", b"...")])
/// }
///
/// assert!(Tool::of::<add>().output_schema().is_some());
/// assert!(Tool::of::<dot>().output_schema().is_none()); // content has no schema
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool or a flow",
    label = "not a result type",
    note = "derive `serde::Serialize` and `schemars::JsonSchema` for it, or return `String`, `Part`, `Vec<Part>` or `ToolReply<T>`"
)]
pub trait IntoOutput {
    /// Converts the value into the output.
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialized to JSON.
    #[doc(hidden)]
    fn into_output(self) -> Result<ToolOutput>;

    /// Returns the schema of the value, if there is one.
    #[doc(hidden)]
    fn schema() -> Option<Value>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput for T {
    fn into_output(self) -> Result<ToolOutput> {
        let value = Some(to_finite_value(self).map_err(E::Output)?);
        Ok(ToolOutput { value, ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        Some(schema::output_schema::<T>())
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput for Part {
    fn into_output(self) -> Result<ToolOutput> {
        Ok(ToolOutput { content: vec![self], ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput for ToolReply<T> {
    fn into_output(self) -> Result<ToolOutput> {
        let Self { value, content, metadata } = self;
        let value = Some(to_finite_value(value).map_err(E::Output)?);
        Ok(ToolOutput { value, content, metadata, ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        Some(schema::output_schema::<T>())
    }
}

/// A wrapper for several parts. An impl for `Vec<Part>` itself would conflict with the impl for all serializable types.
pub struct Parts(pub(super) Vec<Part>);

#[diagnostic::do_not_recommend]
impl IntoOutput for Parts {
    fn into_output(self) -> Result<ToolOutput> {
        Ok(ToolOutput { content: self.0, ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        None
    }
}
