//! Derived input: the struct of a function with an attribute that only a derive understands, in a way that makes one
//! compile error of one unfit type.

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
/// The bounds are on the impl, so that for a struct that lacks a trait the method of [`TypedInputFallback`] is found and
/// compiles: the one error is then that of the derive, or of [`Argument`](super::Argument) on the parameter's own type.
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

/// What is called in a program that does not compile anyway.
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
        member: |_| MemberSchema::any(),
        whole: || Value::Null,
        read: |_| Err(Problem::whole(E::NoDeserialize)),
        missing: |_| Err(serde::de::Error::custom(E::NoDeserialize)),
    };
}
