//! The error of a handler closure, which any error converts into by `?`.

use crate::error::{BoxError, Error};

/// The error of a handler closure. Any error converts into it by `?` or `.into()`, as in a function with `#[tool]`:
/// `anyhow::Error`, a `String`, the error of a database. The kind of a [`genkit::Error`](crate::error::Error) is kept.
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
///         return Err("pages begin at 1".into()); // a text
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
/// Use this type where an error type must be written:
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
