//! For tests of programs that use this library.

#[cfg(feature = "testing")]
mod client;

#[cfg(feature = "testing")]
pub use client::{Answer, Client, ClientBuilder, Seen};

use crate::error::Result;
use crate::registry::Registry;

/// Looks at everything that is annotated in the program: see [`Registry::check`].
///
/// As a unit test it finds at build time what serving would find at start-up:
///
/// ```
/// #[test]
/// fn the_registry_is_sound() {
///     genkit::testing::check().unwrap();
/// }
/// ```
///
/// # Errors
/// One error that lists every problem with its place.
pub fn check() -> Result<()> {
    Registry::global().check()
}
