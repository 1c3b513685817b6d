//! Injected parameters, which a function takes by reference: its context, a stream of chunks, state.

#![allow(missing_docs, reason = "most of this is for expansions and hidden")]

use std::any::{TypeId, type_name};
use std::marker::PhantomData;

use disqualified::ShortName;
use serde_json::Value;

use super::calling::finished_call;
use super::chunks::{ChunkItem, Chunks};
use crate::action::error::Error as E;
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;

/// A value that a function needs in addition to its input, as seen by the registry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Requirement {
    /// `&Context`
    Context,
    /// `&Chunks<C>` with the schema of `C`.
    Chunks(Value),
    /// `&T`: state that the program must provide.
    State { id: TypeId, name: &'static str },
}

/// Distinguishes `&Context`, `&Chunks<C>` and `&State` by type, even behind an alias: inherent methods take
/// precedence over the methods of [`InjectState`], which take precedence over the methods of [`InjectNothing`].
pub struct Inject<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Inject<T> {
    /// Returns a reference, so that each fallback is one auto-reference away from the next.
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

/// The bound is on the impl, unlike the bound of `inject`, so that a chunk type without a required trait causes only
/// one error.
impl<C: ChunkItem> Inject<Chunks<C>> {
    pub fn requirement(&self) -> Requirement {
        Requirement::Chunks(C::chunk_schema())
    }
}

/// Returns the extension for `#[arg(extension)]`, a value of the request.
///
/// # Errors
/// Returns an error if the request has no such value.
pub fn extension<T: Send + Sync + 'static>(context: &Context) -> Result<&T> {
    context.extension().ok_or_else(|| E::MissingExtension(ShortName::of::<T>()).into())
}

/// The fallback: any other `&T` is state.
pub trait InjectState<T> {
    fn inject<'a>(&self, context: &'a Context) -> Result<&'a T>;
    fn requirement(&self) -> Requirement;
    /// Runs `future` like [`calling`](super::calling::calling), for a function with an injected `T`, or a tuple of
    /// several. Its future is `Send` because the injected types are `Sync`; if one is not, the compiler reports that
    /// type.
    fn calling<'a, R: 'a, O: 'a>(
        &self,
        future: impl Future<Output = R> + Send + 'a,
        finish: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>>;
}

impl<T: Send + Sync + 'static> InjectState<T> for Inject<T> {
    fn inject<'a>(&self, context: &'a Context) -> Result<&'a T> {
        context.state::<T>().ok_or_else(|| E::MissingState(ShortName::of::<T>()).into())
    }

    fn requirement(&self) -> Requirement {
        Requirement::State { id: TypeId::of::<T>(), name: type_name::<T>() }
    }

    fn calling<'a, R: 'a, O: 'a>(
        &self,
        future: impl Future<Output = R> + Send + 'a,
        finish: fn(R) -> Result<O>,
    ) -> BoxFuture<'a, Result<O>> {
        finished_call(Box::pin(future), finish)
    }
}

/// The fallback for programs that do not compile in any case, so that the only error comes from [`Injectable::check`],
/// on the parameter's own type.
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

/// A type that can be injected as state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into this function",
    label = "not a state type",
    note = "a reference parameter must be `&Context`, `&Chunks<C>`, or `&T` for state set with `.state(value)`",
    note = "state must be `Sized + Send + Sync + 'static`; input is taken by value"
)]
pub trait Injectable {
    /// Called for each parameter taken by reference.
    fn check() {}
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Injectable for T {}
