//! Return values: distinguishes a `Result` (or an alias of it) from a bare value by type, so that one unsuitable type
//! causes only one compile error.

#![allow(missing_docs, reason = "for expansions and hidden")]

use std::convert::Infallible;
use std::marker::PhantomData;

use serde_json::Value;

use super::output::{IntoOutput, Parts};
use crate::error::{BoxError, Error};
use crate::message::Part;

/// The return value of a function. Inherent methods take precedence over trait methods, which distinguishes a `Result`
/// from a bare value by type, even through a type alias.
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

/// The fallback for [`Returned`]: a bare value cannot fail.
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

/// The return type of a function, used for the schema of the result before there is a value.
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

/// The fallback for [`Returns::success`].
pub trait ReturnsValue<T> {
    fn success(self) -> Returns<T>;
}

impl<T> ReturnsValue<T> for Returns<T> {
    fn success(self) -> Returns<T> {
        self
    }
}

/// The fallback for [`Returns::schema`].
pub trait ReturnsSchema<T> {
    fn schema(self) -> Option<Value>;
}

impl<T: IntoOutput> ReturnsSchema<T> for Returns<T> {
    fn schema(self) -> Option<Value> {
        T::schema()
    }
}

/// The fallback for a type that cannot be returned, one auto-reference further away, so that the only error comes from
/// [`IntoOutput`].
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
pub trait IntoError {
    fn into_error(self) -> Error;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> IntoError for E {
    fn into_error(self) -> Error {
        Error::from_failure(self)
    }
}
