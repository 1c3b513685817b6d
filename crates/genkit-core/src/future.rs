//! Boxed futures, for traits and closures that are used as values.

use std::future::Future;
use std::pin::Pin;

/// Boxed future that any thread can run.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The future that `make` gives, made where it stays: what `Box::pin` takes is made elsewhere first, and moving a large
/// one costs more than most of its polls.
#[inline]
pub fn boxed<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}

/// What becomes a future when it is awaited, and is none itself.
///
/// Nothing implements it: it is there for what the compiler says of `tokio::spawn(generate(..))`
/// and `block_on(serve_mcp())`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` becomes a future when it is awaited, and is none itself",
    label = "not a future yet",
    note = "in async code `.await` it; `tokio::spawn`, `block_on` and `join!` take the future that `.run()` makes of a request, a call or a server, and `.into_future()` of anything else: `tokio::spawn(genkit::generate(\"..\").run())`"
)]
pub trait AwaitOrRun<'a> {}

/// A `Future` that never applies: its unmet condition carries the note of [`AwaitOrRun`]. With a
/// lifetime in it the compiler looks at the condition only where somebody needs it.
/// Never holds: what is read of a response stands here on the run that gives one.
#[diagnostic::on_unimplemented(
    message = "this run has not been awaited, and has no answer yet",
    label = "`.await?` it first",
    note = "`genkit::generate(\"..\").await?.text()`, or `.stream()` to watch it"
)]
pub trait Awaited<'a> {}

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
