//! Argument types: the schema and the decoders of a type that is taken by value, as `fn` pointers created per type.

#![allow(missing_docs, reason = "for expansions and hidden")]

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::args::{self, Problem};

/// A decoded value of any type.
pub type Boxed = Box<dyn Any + Send>;

/// A type that can be an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument",
    label = "not an argument type",
    note = "arguments come as JSON: derive `serde::Deserialize` and `schemars::JsonSchema` for this type and the types in it",
    note = "for a type of another crate, enable its feature `serde`, and the feature of `schemars` for it, such as `uuid1` or `chrono04`",
    note = "to inject a value from the framework instead (`&Context`, state), take it by reference"
)]
pub trait Argument {
    /// The argument type. Expansions refer to it with the span of the parameter's type, so that errors point to that
    /// type.
    const TYPE: &'static ArgumentType;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> Argument for T {
    const TYPE: &'static ArgumentType = &ArgumentType::for_type::<T>();
}

/// A type-erased argument type, shared by all parameters of that type.
pub struct ArgumentType {
    pub(super) member_schema: fn(&mut SchemaGenerator) -> MemberSchema,
    pub(super) whole: fn() -> Value,
    pub(super) read: fn(&Value) -> Result<Boxed, Problem>,
    pub(super) missing: fn(&'static str) -> Result<Boxed, serde_json::Error>,
}

impl ArgumentType {
    pub(super) const fn for_type<T: DeserializeOwned + JsonSchema + Send + 'static>() -> Self {
        Self {
            member_schema: member_schema::<T>,
            whole: genkit_schema::internal::input_schema::<T>,
            read: |value| Ok(Box::new(args::read::<T>(value)?)),
            missing: |name| {
                Ok(Box::new(T::deserialize(MissingValueReader { name, error: PhantomData })?))
            },
        }
    }
}

/// The schema of one member of an object, and whether the member is optional.
pub(super) struct MemberSchema {
    pub(super) schema: Schema,
    pub(super) is_optional: bool,
}

impl MemberSchema {
    /// Creates the schema of a type that does not declare a schema.
    pub(super) fn any_value() -> Self {
        Self { schema: Schema::default(), is_optional: false }
    }
}

/// An object with one member. The derive macro of `schemars` determines whether the member is optional.
#[derive(JsonSchema)]
struct Alone<T> {
    #[schemars(rename = "member")]
    _member: T,
}

fn member_schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> MemberSchema {
    into_member_schema(<Alone<T>>::json_schema(generator))
}

fn into_member_schema(mut object: Schema) -> MemberSchema {
    let is_optional = object.get("required").is_none();
    let members = object.get_mut("properties").and_then(Value::as_object_mut);
    let schema = members.and_then(|members| members.remove("member"));
    let schema = schema.and_then(|schema| Schema::try_from(schema).ok()).unwrap_or_default();
    MemberSchema { schema, is_optional }
}

/// A deserializer for a missing member. As in serde's derive, only an `Option` can be deserialized from it.
struct MissingValueReader<E> {
    name: &'static str,
    error: PhantomData<E>,
}

impl<'de, E: serde::de::Error> Deserializer<'de> for MissingValueReader<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, E> {
        Err(E::missing_field(self.name))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Returns the message for a value that is not an object.
pub(super) fn not_an_object_message(value: &Value, expected: &str) -> String {
    let refused = value.deserialize_struct("", &[], RejectingVisitor(expected));
    refused.map_or_else(|error| error.to_string(), |()| String::new())
}

struct RejectingVisitor<'a>(&'a str);

impl Visitor<'_> for RejectingVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
