//! Fields: what the macros write of each parameter taken by value, as data.

#![allow(missing_docs, reason = "for expansions and hidden")]

use serde_json::Value;

use super::argument::{ArgumentType, Boxed};

/// One parameter taken by value: a member of the object that callers send.
pub struct Field {
    /// What callers write.
    pub(super) name: &'static str,
    /// All names that it answers to, in the order of messages; empty where there is but one.
    pub(super) names: &'static [&'static str],
    pub(super) ty: &'static ArgumentType,
    pub(super) notes: &'static [Note],
    pub(super) default: Option<FieldDefault>,
}

/// The value where the caller gives none.
#[derive(Clone, Copy)]
pub(super) struct FieldDefault {
    pub(super) value: fn() -> Boxed,
    /// As the schema shows it, where it can be shown.
    pub(super) shown: fn() -> Option<Value>,
}

/// What the schema says of a field beyond its type.
pub enum Note {
    /// A doc comment: lines without the space before them.
    Doc(&'static str),
    Title(&'static str),
    Description(&'static str),
    /// What does not serialize is no example.
    Example(fn() -> Option<Value>),
    /// A keyword that has a meaning for one type of JSON: `minimum` for `number`.
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

    pub(super) fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.names.contains(&name)
    }
}

/// A default value as the schema shows it: inherent methods win over those of [`NotShown`].
pub struct Shown<T>(pub T);

impl<T: serde::Serialize> Shown<T> {
    pub fn value(self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// The fallback of [`Shown`]: a value that does not serialize is not shown.
pub trait NotShown: Sized {
    fn value(self) -> Option<Value> {
        None
    }
}

impl<T> NotShown for Shown<T> {}

/// The value of a bound or of an example.
pub fn json(value: impl Into<Value>) -> Value {
    value.into()
}
