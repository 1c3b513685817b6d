//! Parts of an OAuth client that a library of the protocol leaves to the program.
//!
//! - [`CallbackListener`]: the redirect of a browser to a port of this machine (RFC 8252).
//! - [`Signer`]: client assertions, JWTs that show who a program is (RFC 7523).
//! - [`DpopKey`]: proofs that a program has the key that its tokens are bound to (RFC 9449).

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
