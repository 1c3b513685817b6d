//! The error messages of OAuth.

use std::path::PathBuf;

use genkit_oauth_client::Error as ClientError;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    // The settings of the user.
    #[error("the OAuth of server {key:?}: {error}")]
    Settings { key: String, error: Box<Error> },
    #[error("`.client_secret(..)` needs the `.client_id(..)` that it belongs to")]
    SecretWithoutId,
    #[error("`.client_metadata_url(..)` must be an `https` address with a path")]
    MetadataUrl,
    #[error("`.redirect_uri(..)` is no address")]
    RedirectUri,
    #[error(
        "`.redirect_uri(..)` must be `http://127.0.0.1:PORT/PATH`, unless `.on_authorize(..)` brings \
         the answer back"
    )]
    RedirectElsewhere,
    #[error("`{setting}` gives no {what}")]
    NothingGiven { setting: &'static str, what: &'static str },
    #[error("`{setting}` gives an empty {what}: a JWT is expected")]
    EmptyGiven { setting: &'static str, what: &'static str },
    #[error(
        "the token endpoint of `IdentityProvider::new(..)` is no address ({0}): it is written \
         `https://host/path`"
    )]
    NoProviderAddress(String),
    #[error(
        "the token endpoint of `IdentityProvider::new(..)` is {0}, which is not encrypted: it begins \
         with `https://`, unless it is on this machine"
    )]
    ProviderNotEncrypted(String),
    #[error(
        "`.credentials(..)` keeps access that is bound to a key, and `.dpop(true)` makes another key in each \
         run: give one that stays with `.dpop_key(..)`"
    )]
    KeyWouldBeLost,
    #[error("{0:?} is no known algorithm to sign with: RS256 and ES256 are")]
    UnknownAlgorithm(String),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot use the credentials in {}", path.display())]
    CredentialFile { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    CredentialTask(tokio::task::JoinError),

    // The authorization server.
    #[error(
        "it names the authorization server {found}, and `.issuer(..)` says that its client is for \
         {expected}"
    )]
    OtherIssuer { found: String, expected: String },
    #[error("its authorization server names the {what} endpoint {url}, which is not encrypted")]
    NotEncrypted { what: &'static str, url: String },
    #[error("its authorization server names a {what} endpoint over `{scheme}`, not `https`")]
    NotHttps { what: &'static str, scheme: String },
    #[error("its authorization server names a {what} endpoint that is no address: {fault}")]
    NoAddress { what: &'static str, fault: String },
    #[error(
        "its authorization server is now {now}, and was {before} before: `.issuer(..)` says which \
         one its secret is for"
    )]
    IssuerChanged { now: String, before: String },
    #[error(
        "its authorization server is {found}, which is elsewhere than the server itself: `.issuer(..)` says \
         which one its secret is for"
    )]
    IssuerElsewhere { found: String },
    #[error("this program cannot register by itself; `.client_id(..)` says how it is known")]
    CannotRegister,
    #[error("the answer is longer than {0} bytes")]
    AnswerTooLong(usize),
    #[error("its token endpoint: {0}")]
    TokenEndpoint(String),
    #[error("{0}")]
    TokenEndpointFailed(String),
    #[error("its answer has no access token")]
    NoAccessToken,
    #[error(
        "its authorization server gives a token that is not bound to a key: it does not support DPoP; \
         without `.dpop(..)` such a token is taken"
    )]
    NotBound,
    #[error("its authorization server takes no proofs of DPoP that are signed with ES256")]
    NoProofAlgorithm,
    #[error("the token that was given has characters that no header can carry")]
    NoHeader,

    // The identity provider.
    #[error("the identity provider does not say who the user is")]
    NotVouchedFor,
    #[error(
        "the identity provider answers without an assertion of the type `id-jag`: it must support \
         enterprise-managed authorization (Identity Assertion JWT Authorization Grant)"
    )]
    NoIdJag,

    // The user.
    #[error("a person must give it")]
    NeedsUser,
    #[error("nobody gave it within {0} minutes")]
    UserTimeout(u64),
    #[error("the answer belongs to another question")]
    OtherAnswer,
    #[error("it was not given ({error}){}", .why.as_ref().map(|why| format!(" {why}")).unwrap_or_default())]
    NotGiven { error: String, why: Option<String> },
    #[error("it was given without a token")]
    NoToken,

    // More access than before.
    #[error("{0} does not allow this, and does not say what it wants")]
    NoScopeNamed(String),
    #[error("{target} wants the scopes `{scopes}`, which were asked for and not given")]
    ScopesNotGiven { target: String, scopes: String },
    #[error("{target} does not allow this, although it has the scopes `{scopes}`")]
    ScopesNoHelp { target: String, scopes: String },
    #[error("{target} does not allow this to {client:?}: it wants `{scopes}`")]
    ClientNotAllowed { target: String, client: String, scopes: String },

    // A flow.
    #[error("what asks for access panicked")]
    Panicked,
    #[error("the program ends")]
    RuntimeEnded,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Client(ClientError::NoRandom) | Self::CredentialTask(_) | Self::Panicked => {
                ErrorKind::Internal
            }
            Self::CredentialFile { .. }
            | Self::NotEncrypted { .. }
            | Self::NotHttps { .. }
            | Self::NoAddress { .. }
            | Self::IssuerChanged { .. }
            | Self::IssuerElsewhere { .. }
            | Self::NoIdJag
            | Self::NotBound
            | Self::NoProofAlgorithm
            | Self::NoHeader
            | Self::TokenEndpoint(_)
            | Self::Client(ClientError::Callback { .. }) => ErrorKind::FailedPrecondition,
            Self::OtherIssuer { .. }
            | Self::NoAccessToken
            | Self::NeedsUser
            | Self::UserTimeout(_)
            | Self::OtherAnswer
            | Self::NoToken => ErrorKind::Unauthenticated,
            Self::NotGiven { .. }
            | Self::NoScopeNamed(_)
            | Self::ScopesNotGiven { .. }
            | Self::ScopesNoHelp { .. }
            | Self::ClientNotAllowed { .. } => ErrorKind::PermissionDenied,
            Self::AnswerTooLong(_) | Self::TokenEndpointFailed(_) => ErrorKind::Unavailable,
            Self::RuntimeEnded => ErrorKind::Cancelled,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
