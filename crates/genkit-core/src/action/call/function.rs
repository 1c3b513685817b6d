//! Annotated functions, as the macros write them: data and `fn` pointers, without types of their own.

#![allow(missing_docs, reason = "for expansions and hidden")]

use serde_json::Value;

use super::args::Arguments;
use super::field::Field;
use super::given::{Given, Input};
use super::inject::Requirement;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

/// The call of a function: borrows what is injected, and makes the future with the values that were read. Nothing of
/// the function runs before that is polled.
pub type Call<O> = for<'a> fn(&'a Context, Given) -> Result<BoxFuture<'a, Result<O>>>;

/// The same of a function with nothing injected.
pub type PlainCall<O> = fn(Given) -> BoxFuture<'static, Result<O>>;

enum AnyCall<O: 'static> {
    Plain(PlainCall<O>),
    With(Call<O>),
}

/// An annotated function of any kind.
pub struct Function<O: 'static> {
    input: Input,
    requirements: fn() -> Vec<Requirement>,
    output_schema: fn() -> Option<Value>,
    call: AnyCall<O>,
}

impl<O> Function<O> {
    /// A function that takes `fields`, and nothing by reference.
    pub(crate) const fn plain(fields: &'static [Field], call: PlainCall<O>) -> Self {
        Self::of(Input::Fields(fields), AnyCall::Plain(call))
    }

    /// Any function.
    pub const fn new(input: Input, call: Call<O>) -> Self {
        Self::of(input, AnyCall::With(call))
    }

    const fn of(input: Input, call: AnyCall<O>) -> Self {
        Self { input, requirements: Vec::new, output_schema: || None, call }
    }

    /// The parameters taken by reference.
    pub const fn needs(mut self, requirements: fn() -> Vec<Requirement>) -> Self {
        self.requirements = requirements;
        self
    }

    /// The schema of the result, where there is one.
    pub const fn gives(mut self, output_schema: fn() -> Option<Value>) -> Self {
        self.output_schema = output_schema;
        self
    }
}

/// An annotated function with what it is called in messages, and whether a user is asked before it runs.
pub(crate) struct NamedFn<O: 'static> {
    pub(crate) function: &'static Function<O>,
    /// `["tool", "add"]`
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
        self.function.input.schema()
    }

    pub(crate) fn output_schema(self) -> fn() -> Option<Value> {
        self.function.output_schema
    }

    pub(crate) fn requirements(self) -> Vec<Requirement> {
        (self.function.requirements)()
    }

    pub(super) async fn call(self, context: &Context, arguments: Arguments) -> Result<O> {
        let given = self.function.input.read(arguments, self.called)?;
        let call = match self.function.call {
            AnyCall::Plain(call) => call(given),
            AnyCall::With(call) => call(context, given)?,
        };
        // Once the arguments are known to fit, and before anything happens.
        if self.needs_approval {
            context.approved_to_run().await?;
        }
        call.await
    }
}
