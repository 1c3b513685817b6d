//! Injected parameters, which a function takes by reference: its context, a stream of chunks, state.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::any::{TypeId, type_name};
use std::marker::PhantomData;

use serde_json::Value;

use super::calling::finished;
use super::chunks::{ChunkItem, Chunks};
use crate::action::error::Error as E;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

/// What a function needs besides its input, as the registry sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Requirement {
    /// `&Context`
    Context,
    /// `&Chunks<C>` with the schema of `C`.
    Chunks(Value),
    /// `&T`: state that must have been given.
    State { id: TypeId, name: &'static str },
}

/// Tells `&Context`, `&Chunks<C>` and `&State` apart by type: inherent methods win over those of
/// [`InjectState`], and those over [`InjectNothing`]'s, so no spelling matters.
pub struct Inject<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Inject<T> {
    /// A reference, so that the fallbacks are one reference away from each other.
    pub const fn of() -> &'static Self
    where
        T: 'static,
    {
        &Self(PhantomData)
    }
}

impl Inject<Context> {
    pub fn inject<'a>(&self, context: &'a Context) -> Result<&'a Context> {
        Ok(context)
    }

    pub fn requirement(&self) -> Requirement {
        Requirement::Context
    }
}

impl<C> Inject<Chunks<C>> {
    pub fn inject(&self, context: &Context) -> Result<Chunks<C>>
    where
        C: ChunkItem,
    {
        Ok(Chunks::to_caller(context))
    }
}

/// The bound is on the impl, unlike that of `inject`: a chunk type that lacks a trait is one error.
impl<C: ChunkItem> Inject<Chunks<C>> {
    pub fn requirement(&self) -> Requirement {
        Requirement::Chunks(C::chunk_schema())
    }
}

/// `#[arg(extension)]`: a value of the request.
///
/// # Errors
/// The request has none.
pub fn extension<T: Send + Sync + 'static>(context: &Context) -> Result<&T> {
    context.extension().ok_or_else(|| E::NoExtension(type_name::<T>()).into())
}

/// The fallback: any other `&T` is state.
pub trait InjectState<T> {
    fn inject<'a>(&self, context: &'a Context) -> Result<&'a T>;
    fn requirement(&self) -> Requirement;
    /// [`calling`](super::calling::calling) of a function with a `T` injected, or for several a tuple of
    /// them. Its future can change threads because what is injected can; if not, that is reported, not this.
    fn calling<'a, R: 'a, O: 'a>(
        &self,
        future: impl Future<Output = R> + Send + 'a,
        finish: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>>;
}

impl<T: Send + Sync + 'static> InjectState<T> for Inject<T> {
    fn inject<'a>(&self, context: &'a Context) -> Result<&'a T> {
        context.state::<T>().ok_or_else(|| E::NoState(type_name::<T>()).into())
    }

    fn requirement(&self) -> Requirement {
        Requirement::State { id: TypeId::of::<T>(), name: type_name::<T>() }
    }

    fn calling<'a, R: 'a, O: 'a>(
        &self,
        future: impl Future<Output = R> + Send + 'a,
        finish: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>> {
        finished(Box::pin(future), finish)
    }
}

/// What is called in a program that does not compile anyway: the one error is that of
/// [`Injectable::check`], on the parameter's own type.
pub trait InjectNothing<T: ?Sized> {
    fn inject<'a>(&self, context: &'a Context) -> Result<&'a T>;
    fn requirement(&self) -> Requirement;
    fn calling<'a, R: 'a, O: 'a>(
        &self,
        future: impl Future<Output = R> + 'a,
        finish: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>>;
}

impl<T: ?Sized> InjectNothing<T> for &Inject<T> {
    fn inject<'a>(&self, _: &'a Context) -> Result<&'a T> {
        Err(E::CannotBeState.into())
    }

    fn requirement(&self) -> Requirement {
        Requirement::Context
    }

    fn calling<'a, R: 'a, O: 'a>(
        &self,
        _: impl Future<Output = R> + 'a,
        _: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>> {
        Box::pin(std::future::pending::<Result<O>>())
    }
}

/// A type that can be injected: state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into this function",
    label = "not a state type",
    note = "a parameter by reference is `&Context`, `&Chunks<C>`, or `&T` for state given with `.state(value)`",
    note = "state must be `Sized + Send + Sync + 'static`; input is taken by value"
)]
pub trait Injectable {
    /// Asserted for each parameter taken by reference.
    fn check() {}
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Injectable for T {}
