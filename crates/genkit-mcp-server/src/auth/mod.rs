//! Authentication: from the token of a request to the principal that it stands for, and what a client is
//! told that has none.

mod authentication;
mod challenge;
mod protected_resource;
mod verifier;

pub(crate) use self::authentication::{Authentication, Denial};
pub(crate) use self::challenge::Challenges;
pub use self::protected_resource::ProtectedResource;
pub(crate) use self::protected_resource::document_answer;
pub use self::verifier::{TokenError, TokenVerifier};
