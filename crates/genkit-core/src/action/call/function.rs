//! Annotated functions as the macros generate them: data and `fn` pointers, without function-specific types.

#![allow(missing_docs, reason = "for expansions and hidden")]

use serde_json::Value;

use super::decoded_arguments::{DecodedArguments, Input};
use super::field::Field;
use super::inject::Requirement;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

/// The call to a function: borrows the injected values, and creates the future with the decoded arguments. The function
/// does not run before the future is polled.
pub type Call<O> = for<'a> fn(&'a Context, DecodedArguments) -> Result<BoxFuture<'a, Result<O>>>;

/// The call to a function without injected parameters.
pub type PlainCall<O> = fn(DecodedArguments) -> BoxFuture<'static, Result<O>>;

pub(super) enum AnyCall<O: 'static> {
    Plain(PlainCall<O>),
    With(Call<O>),
}

/// An annotated function of any kind.
pub struct Function<O: 'static> {
    pub(super) input: Input,
    requirements: fn() -> Vec<Requirement>,
    output_schema: fn() -> Option<Value>,
    pub(super) call: AnyCall<O>,
}

impl<O> Function<O> {
    /// Creates a function that takes `fields` by value and nothing by reference.
    pub(crate) const fn without_injection(fields: &'static [Field], call: PlainCall<O>) -> Self {
        Self::with_call(Input::Fields(fields), AnyCall::Plain(call))
    }

    /// Creates a function with any input and injected parameters.
    pub const fn new(input: Input, call: Call<O>) -> Self {
        Self::with_call(input, AnyCall::With(call))
    }

    const fn with_call(input: Input, call: AnyCall<O>) -> Self {
        Self { input, requirements: Vec::new, output_schema: || None, call }
    }

    /// Sets the parameters taken by reference.
    pub const fn needs(mut self, requirements: fn() -> Vec<Requirement>) -> Self {
        self.requirements = requirements;
        self
    }

    /// Sets the schema of the result, if it has one.
    pub const fn with_output_schema(mut self, output_schema: fn() -> Option<Value>) -> Self {
        self.output_schema = output_schema;
        self
    }
}

/// An annotated function with its name for messages, and whether it needs the user's approval.
pub(crate) struct NamedFn<O: 'static> {
    pub(crate) function: &'static Function<O>,
    /// The kind and the name, such as `["tool", "add"]`.
    pub(crate) called: [&'static str; 2],
    pub(crate) needs_approval: bool,
}

impl<O> Clone for NamedFn<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for NamedFn<O> {}

impl<O> NamedFn<O> {
    pub(crate) fn input_schema(self) -> Value {
        self.function.input.input_schema()
    }

    pub(crate) fn output_schema(self) -> fn() -> Option<Value> {
        self.function.output_schema
    }

    pub(crate) fn requirements(self) -> Vec<Requirement> {
        (self.function.requirements)()
    }
}
