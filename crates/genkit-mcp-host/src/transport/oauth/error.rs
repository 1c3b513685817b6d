//! Errors of OAuth.

use std::path::PathBuf;

use genkit_oauth_client::Error as ClientError;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    // The user's settings.
    #[error("invalid OAuth settings of server `{key}`: {error}")]
    Settings { key: String, error: Box<Error> },
    #[error(
        "`.client_secret(..)` is set without `.client_id(..)`; set the id that the secret belongs to"
    )]
    SecretWithoutId,
    #[error("`.client_metadata_url(..)` must be an `https` URL with a path")]
    MetadataUrl,
    #[error("`.redirect_uri(..)` is not a URL")]
    RedirectUri,
    #[error(
        "`.redirect_uri(..)` must be `http://127.0.0.1:PORT/PATH`, unless `.on_authorize(..)` is set"
    )]
    RedirectElsewhere,
    #[error("`{setting}` returned no {what}")]
    NothingGiven { setting: &'static str, what: &'static str },
    #[error("`{setting}` returned an empty {what}; expected a JWT")]
    EmptyGiven { setting: &'static str, what: &'static str },
    #[error(
        "the token endpoint of `IdentityProvider::new(..)` is not a URL ({0}); expected \
         `https://host/path`"
    )]
    InvalidTokenEndpoint(String),
    #[error(
        "the token endpoint of `IdentityProvider::new(..)` is not encrypted: {0}; use an `https://` \
         URL, or a server on this machine"
    )]
    ProviderNotEncrypted(String),
    #[error(
        "`.credentials(..)` stores tokens that are bound to a key, but `.dpop(true)` generates a new key on each \
         run; set a permanent key with `.dpop_key(..)`"
    )]
    KeyWouldBeLost,
    #[error(
        "`OAuth::client_certificate(..)` is not a certificate with its private key in PEM; pass both in one string, each \
         with its `-----BEGIN ..-----` line"
    )]
    ClientCertificate,
    #[error("`{0}` is not a supported signing algorithm; expected `RS256` or `ES256`")]
    UnknownAlgorithm(String),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot access the credentials file {}", path.display())]
    CredentialFile { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    CredentialTask(tokio::task::JoinError),

    // The authorization server.
    #[error(
        "its authorization server is {found}, but `.issuer(..)` expects \
         {expected}"
    )]
    OtherIssuer { found: String, expected: String },
    #[error("the {what} endpoint {url} of its authorization server is not encrypted")]
    NotEncrypted { what: &'static str, url: String },
    #[error("the {what} endpoint of its authorization server uses `{scheme}` instead of `https`")]
    NotHttps { what: &'static str, scheme: String },
    #[error("the {what} endpoint of its authorization server is not a URL: {fault}")]
    InvalidEndpoint { what: &'static str, fault: String },
    #[error(
        "its authorization server changed from {before} to {now}; set `.issuer(..)` to the one that the \
         secret is for"
    )]
    IssuerChanged { now: String, before: String },
    #[error(
        "its authorization server {found} is not on the server's own origin; set `.issuer(..)` to the \
         authorization server that the secret is for"
    )]
    IssuerElsewhere { found: String },
    #[error("dynamic client registration failed; set `.client_id(..)` instead")]
    CannotRegister,
    #[error("the response is longer than {0} bytes")]
    AnswerTooLong(usize),
    #[error("its token endpoint is not a URL: {0}")]
    TokenEndpoint(String),
    #[error("{0}")]
    TokenEndpointFailed(String),
    #[error("its response has no access token")]
    MissingAccessToken,
    #[error(
        "its authorization server issued a token that is not bound to a key, so it does not support DPoP; \
         remove `.dpop(..)` to accept such tokens"
    )]
    NotBound,
    #[error("its authorization server does not accept DPoP proofs signed with ES256")]
    MissingProofAlgorithm,
    #[error("the token contains characters that are not allowed in a header")]
    MissingHeader,

    // The identity provider.
    #[error("the identity provider issued no assertion for the user")]
    IssuerNotTrusted,
    #[error(
        "the identity provider returned no assertion of type `id-jag`; it must support \
         enterprise-managed authorization (Identity Assertion JWT Authorization Grant)"
    )]
    MissingIdJag,

    // The user.
    #[error("the user must grant access")]
    NeedsUser,
    #[error(
        "the server asked the user to sign in more than three times in 10 minutes, and does not accept the tokens; \
         try again later, or report it to the server's operator"
    )]
    TooManySignIns,
    #[error("the user did not grant access within {0} minutes; try again and open the printed URL")]
    UserTimeout(u64),
    #[error("the response does not match the pending sign-in")]
    OtherAnswer,
    #[error("the authorization server did not grant access ({error}){}", .why.as_ref().map(|why| format!(" {why}")).unwrap_or_default())]
    AccessDenied { error: String, why: Option<String> },
    #[error("the authorization server granted access but returned no token")]
    MissingToken,

    // Insufficient scopes.
    #[error("{0} denied the request and did not state the required scopes")]
    NoScopeNamed(String),
    #[error("{target} requires the scopes `{scopes}`, which were requested but not granted")]
    ScopesNotGiven { target: String, scopes: String },
    #[error("{target} denied the request although the scopes `{scopes}` are granted")]
    ScopesNoHelp { target: String, scopes: String },
    #[error("{target} denied the request of client `{client}`; it requires `{scopes}`")]
    ClientNotAllowed { target: String, client: String, scopes: String },

    // The task that requests access.
    #[error("the task that requests access panicked")]
    Panicked,
    #[error("the runtime is shutting down")]
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
            | Self::InvalidEndpoint { .. }
            | Self::IssuerChanged { .. }
            | Self::IssuerElsewhere { .. }
            | Self::MissingIdJag
            | Self::NotBound
            | Self::MissingProofAlgorithm
            | Self::MissingHeader
            | Self::TokenEndpoint(_)
            | Self::Client(ClientError::Callback { .. }) => ErrorKind::FailedPrecondition,
            Self::OtherIssuer { .. }
            | Self::MissingAccessToken
            | Self::NeedsUser
            | Self::TooManySignIns
            | Self::UserTimeout(_)
            | Self::OtherAnswer
            | Self::MissingToken => ErrorKind::Unauthenticated,
            Self::AccessDenied { .. }
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
