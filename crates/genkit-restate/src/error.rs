//! The errors of this crate.

use genkit::ErrorKind;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{0}` is not a valid Restate URL; expected `http://..` or `https://..`")]
    Url(String),
    #[error(
        "Restate does not respond at {url}: {why}. Check that the server is running; `npx @restatedev/restate-server` starts \
         one. Clients connect to its ingress (port 8080); workers are registered at its admin port (9070)"
    )]
    Unreachable { url: String, why: String },
    #[error(
        "Restate at {url} has no service `genkit.Run`; register the URL of your workers once, with \
         `RestateAdmin::new(\"http://127.0.0.1:9070\")?.register(\"http://..:9080\")`"
    )]
    NotRegistered { url: String },
    #[error("Restate at {url} responded with status {status}: {message}")]
    Refused { url: String, status: u16, message: String },
    #[error("failed to read the response from Restate at {url}: {why}")]
    Unreadable { url: String, why: String },
    #[error("the response from Restate at {url} exceeds {most} bytes")]
    TooLarge { url: String, most: usize },
    #[error("{0}")]
    Said(String, ErrorKind),
    #[error(
        "`{0}` is not a Restate identity key; use the key that `restate` prints, such as `publickeyv1_..`"
    )]
    IdentityKey(String),
    #[error("failed to listen at {at}: {why}")]
    Listen { at: String, why: std::io::Error },
    #[error("failed to create the HTTP client: {0}")]
    Client(String),
    #[error(
        "Restate's admin API at {admin} failed to register `{worker}`: {message}. The workers must be running at a URL \
         that Restate can reach"
    )]
    Registering { admin: String, worker: String, message: String },
}

impl Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Url(_) | Self::IdentityKey(_) => ErrorKind::InvalidArgument,
            Self::Unreachable { .. } => ErrorKind::Unavailable,
            Self::Refused { status, .. } if *status >= 500 => ErrorKind::Unavailable,
            Self::Refused { .. } | Self::Unreadable { .. } | Self::Client(_) => ErrorKind::Internal,
            Self::NotRegistered { .. } | Self::Listen { .. } | Self::Registering { .. } => {
                ErrorKind::FailedPrecondition
            }
            Self::TooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::Said(_, kind) => *kind,
        }
    }
}

impl From<Error> for genkit::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}
