//! Parts of an OAuth client that protocol libraries leave to the program.
//!
//! - [`CallbackListener`]: receives the redirect of a browser on a local port (RFC 8252).
//! - [`Signer`]: signs client assertions, JWTs that authenticate a program (RFC 7523).
//! - [`DpopKey`]: signs proofs that a program possesses the key that its tokens are bound to (RFC 9449).

#![forbid(unsafe_code)]

mod assertion;
mod callback;
mod error;
mod key;
mod proof;

pub use assertion::Signer;
pub use callback::CallbackListener;
pub use error::Error;
pub use proof::{DpopKey, DpopProof};
