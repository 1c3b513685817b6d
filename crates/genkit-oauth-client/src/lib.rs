//! Parts of an OAuth client that a library of the protocol leaves to the program.
//!
//! - [`CallbackListener`]: the redirect of a browser to a port of this machine (RFC 8252).
//! - [`Signer`]: client assertions, JWTs that show who a program is (RFC 7523).

#![forbid(unsafe_code)]

mod assertion;
mod callback;
mod error;

pub use assertion::Signer;
pub use callback::CallbackListener;
pub use error::Error;
