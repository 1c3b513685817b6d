//! Fields: the data that the macros generate for each parameter taken by value.

#![allow(missing_docs, reason = "for expansions and hidden")]

use serde_json::Value;

use super::argument::{ArgumentType, Boxed};

/// One parameter taken by value: a member of the object that callers send.
pub struct Field {
    /// The name that callers use.
    pub(super) name: &'static str,
    /// All accepted names, in the order shown in messages. The list is empty if there is only `name`.
    pub(super) names: &'static [&'static str],
    pub(super) ty: &'static ArgumentType,
    pub(super) notes: &'static [Note],
    pub(super) default: Option<FieldDefault>,
}

/// The default value of a field.
#[derive(Clone, Copy)]
pub(super) struct FieldDefault {
    pub(super) value: fn() -> Boxed,
    /// The value as shown in the schema, if it can be serialized.
    pub(super) shown: fn() -> Option<Value>,
}

/// A part of a field's schema that is not derived from its type.
pub enum Note {
    /// A doc comment, without the leading space of each line.
    Doc(&'static str),
    Title(&'static str),
    Description(&'static str),
    /// An example. Omitted from the schema if it cannot be serialized.
    Example(fn() -> Option<Value>),
    /// A keyword that applies to one JSON type, such as `minimum` for `number`.
    Bound {
        of: &'static str,
        keyword: &'static str,
        value: fn() -> Value,
    },
    Format(&'static str),
}

impl Field {
    pub const fn new(name: &'static str, ty: &'static ArgumentType) -> Self {
        Self { name, names: &[], ty, notes: &[], default: None }
    }

    pub const fn names(mut self, names: &'static [&'static str]) -> Self {
        self.names = names;
        self
    }

    pub const fn notes(mut self, notes: &'static [Note]) -> Self {
        self.notes = notes;
        self
    }

    pub const fn default(mut self, value: fn() -> Boxed, shown: fn() -> Option<Value>) -> Self {
        self.default = Some(FieldDefault { value, shown });
        self
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.name == name || self.names.contains(&name)
    }
}

/// A default value shown in the schema. Its inherent methods take precedence over the methods of [`NotDisplayed`].
pub struct Shown<T>(pub T);

impl<T: serde::Serialize> Shown<T> {
    pub fn value(self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// The fallback for [`Shown`]: a value that cannot be serialized is not shown.
pub trait NotDisplayed: Sized {
    fn value(self) -> Option<Value> {
        None
    }
}

impl<T> NotDisplayed for Shown<T> {}

/// Converts the value of a bound or of an example.
pub fn json(value: impl Into<Value>) -> Value {
    value.into()
}
