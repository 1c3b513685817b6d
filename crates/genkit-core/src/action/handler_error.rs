//! The bounds of handler closures: their input, their result, and their error type. `?` converts any error into the
//! error type.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::error::{BoxError, Error, Result};

/// The error type of a handler closure. As in a `#[tool]` function, `?` and `.into()` convert any error into it:
/// `anyhow::Error`, a `String`, a database error. A [`genkit::Error`](crate::error::Error) keeps its kind.
///
/// It does not implement `std::error::Error`, so that the error type of a closure with `Ok(..)` and `?` is inferred
/// without an annotation.
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::{Context, Error, Tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Page { number: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let page = Tool::builder("page", "Opens a page.").handler(|_: Context, page: Page| async move {
///     let number: u32 = page.number.parse()?; // a `ParseIntError`
///     if number == 0 {
///         return Err("pages begin at 1".into()); // a message
///     }
///     if number > 100 {
///         return Err(Error::not_found("the book has 100 pages").into());
///     }
///     Ok(format!("page {number}"))
/// });
/// # let json = |number: &str| serde_json::json!({"number": number});
/// # for (number, said) in [("x", "invalid digit"), ("0", "pages begin at 1"), ("101", "100 pages")] {
/// #     let told = page.call(&ToolRequest::new("page", json(number))).await?.into_response()?;
/// #     assert!(told.error().unwrap().contains(said), "{told:?}");
/// # }
/// # Ok(())
/// # }
/// ```
///
/// Use this type if a function needs an explicit error type:
///
/// ```
/// use genkit::action::HandlerError;
///
/// async fn open(number: u32) -> Result<String, HandlerError> {
///     Ok(std::fs::read_to_string(format!("{number}.txt"))?)
/// }
/// ```
pub struct HandlerError(Error);

impl<E: Into<BoxError>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self(Error::from_failure(error))
    }
}

impl HandlerError {
    /// Converts this into an [`Error`].
    pub fn into_error(self) -> Error {
        self.0
    }
}

/// The input of a handler closure: any type that implements `serde::Deserialize` and `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a handler",
    label = "not an input type",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for it, or take `serde_json::Value` and set `.input_schema(..)`"
)]
pub trait HandlerInput: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> HandlerInput for T {}

/// The result of a handler closure: a `Result` with a [`HandlerError`].
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    label = "a handler returns a `Result` whose error type is inferred",
    note = "write `Ok(value)` for a value, and `Ok(search(input).await?)` for a function that returns a `Result`"
)]
pub trait HandlerResult {
    /// The type of the value.
    type Value;

    /// Converts the handler's error into an [`Error`].
    ///
    /// # Errors
    /// Returns the error from the handler.
    fn into_result(self) -> Result<Self::Value>;
}

impl<T> HandlerResult for Result<T, HandlerError> {
    type Value = T;

    fn into_result(self) -> Result<T> {
        self.map_err(HandlerError::into_error)
    }
}

impl std::fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for HandlerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
