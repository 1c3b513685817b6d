//! Input decoding: converts the JSON of a call to the values of its parameters, each with the decoder of its type.

#![allow(missing_docs, reason = "for expansions and hidden")]

use std::any::type_name;

use serde_json::Value;

use super::args::Problem;
use super::argument::{ArgumentType, Boxed, not_an_object_message};
use super::field::Field;
use genkit_schema::internal::placed::Segment;

/// The input that a function takes by value.
#[derive(Clone, Copy)]
pub enum Input {
    /// Each parameter is a member of an object.
    Fields(&'static [Field]),
    /// The whole input is one value.
    Whole(fn() -> &'static ArgumentType),
}

/// The decoded arguments of a call, by position.
pub struct DecodedArguments(Vec<Option<Boxed>>);

/// Takes the value of the parameter at `place`. Each value can be taken once. This is not a method, because a method of
/// a user's trait with the same name could shadow it.
pub fn take<T: 'static>(given: &mut DecodedArguments, place: usize) -> T {
    let value = given.0.get_mut(place).and_then(Option::take);
    match value.map(|value| value.downcast()) {
        Some(Ok(value)) => *value,
        _ => unreachable!("no `{}` at {place}", type_name::<T>()),
    }
}

impl Input {
    /// Returns the exact schema of the input.
    pub(crate) fn input_schema(self) -> Value {
        match self {
            Self::Fields(fields) => super::object::object_schema(fields),
            Self::Whole(ty) => super::object::remove_title((ty().whole)()),
        }
    }

    /// Decodes the arguments of a call. `called` is the kind and name of the function, for messages.
    ///
    /// Fields are decoded in the same order and with the same messages as in serde's derive for a struct with these
    /// fields and `deny_unknown_fields`.
    pub(super) fn read(
        self,
        value: &Value,
        called: [&str; 2],
    ) -> Result<DecodedArguments, Problem> {
        let fields = match self {
            Self::Fields(fields) => fields,
            Self::Whole(ty) => return Ok(DecodedArguments(vec![Some((ty().read)(value)?)])),
        };
        let Value::Object(members) = value else {
            return Err(Problem::for_value(not_an_object_message(
                value,
                &expected_arguments(fields, called),
            )));
        };
        let mut values: Vec<Option<Boxed>> = fields.iter().map(|_| None).collect();
        for (key, value) in members {
            let segment = || Segment::Key(key.clone());
            let Some(place) = fields.iter().position(|field| field.has_name(key)) else {
                return Err(Problem::for_value(unknown_argument(fields, key)).in_segment(segment()));
            };
            if values[place].is_some() {
                return Err(Problem::for_value(format_args!(
                    "duplicate field `{}`",
                    fields[place].name
                )));
            }
            let read = (fields[place].ty.read)(value);
            values[place] = Some(read.map_err(|problem| problem.in_segment(segment()))?);
        }
        for (field, value) in fields.iter().zip(&mut values).filter(|(_, value)| value.is_none()) {
            *value = Some(match field.default {
                Some(default) => (default.value)(),
                None => (field.ty.missing)(field.name).map_err(Problem::for_value)?,
            });
        }
        Ok(DecodedArguments(values))
    }
}

fn expected_arguments(fields: &[Field], [noun, name]: [&str; 2]) -> String {
    match fields.is_empty() {
        true => "an object without members".to_owned(),
        false => format!("an object with the arguments of the {noun} `{name}`"),
    }
}

/// Returns serde's message for an unknown field.
fn unknown_argument(fields: &[Field], key: &str) -> String {
    let names: Vec<String> = fields
        .iter()
        .flat_map(|field| match field.names.is_empty() {
            true => std::slice::from_ref(&field.name),
            false => field.names,
        })
        .map(|name| format!("`{name}`"))
        .collect();
    match &names[..] {
        [] => format!("unknown field `{key}`; there are no fields"),
        [only] => format!("unknown field `{key}`, expected {only}"),
        [one, other] => format!("unknown field `{key}`, expected {one} or {other}"),
        all => format!("unknown field `{key}`, expected one of {}", all.join(", ")),
    }
}
