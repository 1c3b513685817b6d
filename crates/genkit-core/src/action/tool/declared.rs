//! Declared output schemas, the option `output_schema` of `#[tool]`: the types and values that can be an output schema,
//! and the results that can have an output schema. Each mistake causes a single compile error.

#![allow(missing_docs, reason = "for expansions and hidden")]

use schemars::JsonSchema;
use serde_json::Value;

use super::returned::Returns;
use crate::message::Part;
use genkit_schema::internal as schema;

/// A type that can be declared as the schema of a result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON schema",
    label = "not a type with a schema",
    note = "derive `schemars::JsonSchema` for it, or write the schema itself in braces: `{{ \"type\": \"object\", .. }}`"
)]
pub trait SchemaType {
    /// Returns the schema of a function's return type.
    fn schema() -> Value;

    /// Returns the deserialization schema, for a model's response.
    fn read_schema() -> Value;

    /// Returns the schema without definitions, for embedding in another schema.
    fn inlined_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> SchemaType for T {
    fn schema() -> Value {
        schema::output_schema::<T>()
    }

    fn read_schema() -> Value {
        schema::input_schema::<T>()
    }
    fn inlined_schema() -> Value {
        schema::inlined_schema::<T>()
    }
}

/// A value that can be declared as the schema of a result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a JSON schema",
    label = "not a schema",
    note = "give a call that returns a `serde_json::Value` or a `schemars::Schema`, a type with `schemars::JsonSchema`, or the schema itself in braces"
)]
pub trait SchemaValue {
    fn into_schema(self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Value>> SchemaValue for T {
    fn into_schema(self) -> Value {
        self.into()
    }
}

/// A result that a declared schema can describe: a value, or a value with content.
#[diagnostic::on_unimplemented(
    message = "an `output_schema` on a tool that returns content",
    label = "parts have no value that a schema could describe",
    note = "return the value that the schema describes, as `serde_json::Value` or a type of yours, or `ToolReply<T>` for a value with content; or remove `output_schema`"
)]
pub trait Describable {
    fn check(self)
    where
        Self: Sized,
    {
    }
}

/// A marker for a result that has a value.
pub struct ValueResult;

/// A marker for a result that is only content.
pub struct ContentResult;

#[diagnostic::do_not_recommend]
impl Describable for ValueResult {}

impl Returns<Part> {
    pub fn described(self) -> ContentResult {
        ContentResult
    }
}

impl Returns<Vec<Part>> {
    pub fn described(self) -> ContentResult {
        ContentResult
    }
}

/// The fallback for [`Returns::described`]. Other unsuitable result types are reported elsewhere.
pub trait Described {
    fn described(self) -> ValueResult;
}

impl<T> Described for Returns<T> {
    fn described(self) -> ValueResult {
        ValueResult
    }
}
