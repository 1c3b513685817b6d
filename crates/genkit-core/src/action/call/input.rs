//! Derived input: the struct that the macros generate for a function with an attribute that only a derive macro
//! understands. An unsuitable type causes only one compile error.

#![allow(missing_docs, reason = "for expansions and hidden")]

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::Problem;
use super::argument::{Argument, ArgumentType, MemberSchema};
use crate::action::error::Error as E;

/// Finds the [`ArgumentType`] of a derived struct.
///
/// The bounds are on the impl. For a struct without a required trait, the method of [`TypedInputFallback`] is found and
/// compiles, so the only error comes from the derive, or from [`Argument`](super::Argument) on the parameter's own
/// type.
pub struct TypedInput<T>(PhantomData<fn() -> T>);

impl<T> TypedInput<T> {
    #[expect(clippy::new_without_default, reason = "hidden; only expansions call it")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> TypedInput<T> {
    pub fn ty(&self) -> &'static ArgumentType {
        <T as Argument>::TYPE
    }
}

/// The fallback for programs that do not compile in any case.
pub trait TypedInputFallback {
    fn ty(&self) -> &'static ArgumentType;
}

impl<T> TypedInputFallback for TypedInput<T> {
    fn ty(&self) -> &'static ArgumentType {
        &ArgumentType::UNFIT
    }
}

impl ArgumentType {
    const UNFIT: Self = Self {
        member_schema: |_| MemberSchema::any_value(),
        whole: || Value::Null,
        read: |_| Err(Problem::for_value(E::NotDeserialize)),
        missing: |_| Err(serde::de::Error::custom(E::NotDeserialize)),
    };
}
