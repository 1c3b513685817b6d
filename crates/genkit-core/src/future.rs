//! Boxed futures, for traits and closures that are used as values.

use std::future::Future;
use std::pin::Pin;

/// A boxed future that is `Send`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Boxes the future that `make` returns, and constructs it in place. `Box::pin` moves its argument to the heap, and
/// moving a large future costs more than most of its polls.
#[inline]
pub fn box_in_place<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}

/// A bound that no type satisfies, for types that `.await` or `.run()` converts into a future.
///
/// It provides the compiler's message for `tokio::spawn(generate(..))` and `block_on(serve_mcp())`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a future; `.await` converts it into one",
    label = "not a future",
    note = "in async code `.await` it; `tokio::spawn`, `block_on` and `join!` need a future, which `.run()` returns for a request, a call or a server, and `.into_future()` for anything else: `tokio::spawn(genkit::generate(\"..\").run())`"
)]
pub trait AwaitOrRun<'a> {}

/// A bound that no type satisfies, for methods of a response that are called on a run before it is awaited.
#[diagnostic::on_unimplemented(
    message = "this run has not been awaited, so it has no response yet",
    label = "`.await?` it first",
    note = "use `genkit::generate(\"..\").await?.text()`, or `.stream()` to receive chunks"
)]
pub trait Awaited<'a> {}

/// Like [`Awaited`], for a question to the user.
#[diagnostic::on_unimplemented(
    message = "this question has not been asked yet, so it has no answer",
    label = "`.await?` it first",
    note = "write `ctx.elicit::<Form>(\"..\").await?.accepted()?`"
)]
pub trait Asked<'a> {}

/// Generates methods whose calls fail to compile with an error that names the missing feature. `$feature` is a trait
/// without implementations; its diagnostic names the feature.
#[doc(hidden)]
#[macro_export]
macro_rules! stub_methods {
    ($feature:ident for $type:ty: $($method:ident($($argument:ident),*)),*) => {
        #[doc(hidden)]
        impl $type {
            $(pub fn $method<$($argument),*>(self, $(_: $argument),*) -> Self
            where
                for<'never> Self: $feature<'never>,
            {
                self
            })*
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! becomes_a_future {
    ($builder:ty, $output:ty $(, $($generics:tt)+)?) => {
        #[doc(hidden)]
        impl $(<$($generics)+>)? std::future::Future for $builder
        where
            for<'never> Self: $crate::internal::future::AwaitOrRun<'never>,
        {
            type Output = $output;

            fn poll(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Self::Output> {
                std::task::Poll::Pending
            }
        }
    };
}
