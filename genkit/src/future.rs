//! Boxed futures, for traits and closures that are used as values.

use std::future::Future;
use std::pin::Pin;

/// A future on the heap that any thread can run.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
