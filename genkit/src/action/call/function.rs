//! Type erasure: from an annotated function with types of its own to plain `fn` pointers.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use serde_json::Value;

use super::args::Arguments;
use super::inject::Requirement;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

/// An annotated function of any kind: its input, its injected parameters, its output, its call.
///
/// The macros implement it for the type that has the function's name; nothing else should.
pub trait ActionFn: 'static {
    /// The output: `ToolOutput`, `PromptOutput` or `ResourceOutput`.
    type Output: Send + 'static;

    /// Reads the parameters taken by value and calls the function with what it needs.
    fn call(context: &Context, arguments: Arguments) -> BoxFuture<'_, Result<Self::Output>>;

    /// The schema of the parameters taken by value.
    fn input_schema() -> Value;

    /// The parameters taken by reference.
    fn requirements() -> Vec<Requirement> {
        Vec::new()
    }

    /// The schema of the result, where there is one.
    fn output_schema() -> Option<Value> {
        None
    }
}

/// An [`ActionFn`] without its types: one `fn` pointer for each of its functions.
pub(crate) struct ErasedFn<O: 'static> {
    pub(crate) input_schema: fn() -> Value,
    pub(crate) output_schema: fn() -> Option<Value>,
    pub(crate) requirements: fn() -> Vec<Requirement>,
    pub(crate) call: for<'a> fn(&'a Context, Arguments) -> BoxFuture<'a, Result<O>>,
}

impl<O> Clone for ErasedFn<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for ErasedFn<O> {}

impl<O: Send + 'static> ErasedFn<O> {
    pub(crate) const fn of<F: ActionFn<Output = O>>() -> Self {
        Self {
            input_schema: F::input_schema,
            output_schema: F::output_schema,
            requirements: F::requirements,
            call: F::call,
        }
    }
}
