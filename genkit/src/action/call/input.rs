//! Typed input: from the JSON of a call to what a function takes by value, in a way that makes one
//! compile error of one unfit type.

#![allow(missing_docs, reason = "for expansions and hidden")]

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::{self, Arguments};
use crate::action::error::Error as E;
use crate::error::Result;

// The input of a function with no parameter taken by value. (A doc comment would be in its schema.)
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object without members", rename = "__Input")]
pub struct NoInput {}

/// Reads `T`, and has its schema.
///
/// The bounds are on the impls, so that for a type that lacks a trait the methods of
/// [`TypedInputFallback`] are found and compile: the one error is then that of
/// [`Argument`](crate::__private::Argument), on the parameter's own type.
pub struct TypedInput<T>(PhantomData<fn() -> T>);

impl<T> TypedInput<T> {
    #[expect(clippy::new_without_default, reason = "hidden; only expansions call it")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: DeserializeOwned> TypedInput<T> {
    pub fn read(&self, arguments: Arguments) -> Result<T> {
        args::parse(arguments)
    }
}

impl<T: JsonSchema> TypedInput<T> {
    pub fn schema(&self) -> Value {
        untitled(crate::schema::input_of::<T>())
    }
}

/// Without the title that comes of a name of ours.
fn untitled(mut schema: Value) -> Value {
    if schema.get("title").and_then(Value::as_str).is_some_and(|title| title.starts_with("__")) {
        schema.as_object_mut().map(|schema| schema.remove("title"));
    }
    schema
}

/// What is called in a program that does not compile anyway.
pub trait TypedInputFallback<T> {
    fn read(&self, arguments: Arguments) -> Result<T>;
    fn schema(&self) -> Value;
}

impl<T> TypedInputFallback<T> for TypedInput<T> {
    fn read(&self, _: Arguments) -> Result<T> {
        Err(E::NoDeserialize.into())
    }

    fn schema(&self) -> Value {
        Value::Null
    }
}
