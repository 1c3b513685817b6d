//! What a tool gives back: a value, content, or both.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::convert::Infallible;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{BoxError, Error, ErrorKind, Result};
use crate::message::Part;
use crate::schema;

/// The result of a tool after its type is gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    pub(crate) value: Option<Value>,
    pub(crate) content: Vec<Part>,
    pub(crate) metadata: Map<String, Value>,
}

impl ToolOutput {
    /// What a program reads: the value, or the content where there is none.
    pub(crate) fn into_value(self) -> Value {
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

/// A value for programs beside content for people and models.
///
/// ```
/// use genkit::{Reply, tool};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Weather { celsius: f64 }
///
/// /// The weather in a city.
/// #[tool]
/// async fn weather(city: String) -> Reply<Weather> {
///     Reply::new(Weather { celsius: 21.0 })
///         .text(format!("It is 21 degrees in {city}."))
///         .part(genkit::Part::image("image/png", b"..."))
///         .meta("example.com/source", "station 7")
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Reply<T> {
    value: T,
    content: Vec<Part>,
    metadata: Map<String, Value>,
}

impl<T> Reply<T> {
    /// A reply of `value`; without content, the value's JSON is the text.
    pub fn new(value: T) -> Self {
        Self { value, content: Vec::new(), metadata: Map::new() }
    }

    /// Adds text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(Part::text(text))
    }

    /// Adds any part.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.content.push(part);
        self
    }

    /// Adds an entry of MCP's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }
}

/// A type that a tool or a flow can return.
///
/// Every `T: Serialize + JsonSchema` is one; so are [`Part`], `Vec<Part>` and [`Reply`]. A
/// function may return it bare or in a `Result` of any alias.
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
    note = "derive `serde::Serialize` and `schemars::JsonSchema` for it, or return `String`, `Part`, `Vec<Part>` or `Reply<T>`"
)]
pub trait IntoOutput {
    /// Turns the value into what is sent.
    ///
    /// # Errors
    /// The value does not serialize to JSON.
    #[doc(hidden)]
    fn into_output(self) -> Result<ToolOutput>;

    /// The schema of the value, where there is a value.
    #[doc(hidden)]
    fn schema() -> Option<Value>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput for T {
    fn into_output(self) -> Result<ToolOutput> {
        Ok(ToolOutput { value: Some(to_value(self)?), ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        Some(schema::output_of::<T>())
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
impl<T: Serialize + JsonSchema> IntoOutput for Reply<T> {
    fn into_output(self) -> Result<ToolOutput> {
        let Self { value, content, metadata } = self;
        Ok(ToolOutput { value: Some(to_value(value)?), content, metadata })
    }

    fn schema() -> Option<Value> {
        Some(schema::output_of::<T>())
    }
}

fn to_value(value: impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| {
        Error::new(ErrorKind::Internal, "the result does not serialize to JSON").with_source(e)
    })
}

/// What a function returned. Inherent methods win over trait methods, so `Result` is told from
/// a bare value by type: any alias works.
pub struct Returned<T>(pub T);

impl<T, E> Returned<std::result::Result<T, E>> {
    pub fn split(self) -> std::result::Result<Returned<T>, E> {
        self.0.map(Returned)
    }
}

impl Returned<Vec<Part>> {
    pub fn value(self) -> Parts {
        Parts(self.0)
    }
}

/// The fallback of [`Returned`]: a bare value cannot fail, and is itself.
pub trait ReturnedValue<T> {
    fn split(self) -> std::result::Result<Returned<T>, Infallible>;
    fn value(self) -> T;
}

impl<T> ReturnedValue<T> for Returned<T> {
    fn split(self) -> std::result::Result<Returned<T>, Infallible> {
        Ok(self)
    }

    fn value(self) -> T {
        self.0
    }
}

/// Several parts. (`Vec<Part>` itself would meet the impl for everything that serializes.)
pub struct Parts(Vec<Part>);

#[diagnostic::do_not_recommend]
impl IntoOutput for Parts {
    fn into_output(self) -> Result<ToolOutput> {
        Ok(ToolOutput { content: self.0, ..ToolOutput::default() })
    }

    fn schema() -> Option<Value> {
        None
    }
}

/// The same for a type, before there is a value: what is the schema of the result?
pub struct Returns<T>(PhantomData<fn() -> T>);

impl<T> Returns<T> {
    #[expect(clippy::new_without_default, reason = "hidden; only expansions call it")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T, E> Returns<std::result::Result<T, E>> {
    pub fn success(self) -> Returns<T> {
        Returns::new()
    }
}

impl Returns<Vec<Part>> {
    pub fn schema(self) -> Option<Value> {
        None
    }
}

/// The fallback of [`Returns::success`].
pub trait ReturnsValue<T> {
    fn success(self) -> Returns<T>;
}

impl<T> ReturnsValue<T> for Returns<T> {
    fn success(self) -> Returns<T> {
        self
    }
}

/// The fallback of [`Returns::schema`].
pub trait ReturnsSchema<T> {
    fn schema(self) -> Option<Value>;
}

impl<T: IntoOutput> ReturnsSchema<T> for Returns<T> {
    fn schema(self) -> Option<Value> {
        T::schema()
    }
}

/// The fallback for a type that cannot be returned, one reference further away: the error is
/// that of [`IntoOutput`] alone.
pub trait ReturnsNothing {
    fn schema(&self) -> Option<Value>;
}

impl<T> ReturnsNothing for Returns<T> {
    fn schema(&self) -> Option<Value> {
        None
    }
}

/// A type that can be the error of an annotated function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of this function",
    label = "not an error type",
    note = "it must convert into `Box<dyn std::error::Error + Send + Sync>`, as `genkit::Error`, `anyhow::Error`, `String` and every `std::error::Error + Send + Sync` do"
)]
pub trait Failure {
    fn into_error(self) -> Error;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Failure for E {
    fn into_error(self) -> Error {
        Error::from_failure(self)
    }
}
