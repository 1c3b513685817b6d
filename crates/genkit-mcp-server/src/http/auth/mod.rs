//! Authentication: resolves the token of a request to a principal, and challenges clients without a
//! valid token.

mod authentication;
mod challenge;
mod protected_resource;
mod verifier;

pub(crate) use self::authentication::{AuthError, Authentication};
pub(crate) use self::challenge::Challenges;
pub use self::protected_resource::ProtectedResource;
pub(crate) use self::protected_resource::document_answer;
pub use self::verifier::{TokenError, TokenVerifier};
