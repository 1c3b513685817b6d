//! The errors of this crate, all in one list.

use genkit::ErrorKind;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{0}` is no address of Restate: it begins with `http://` or `https://`")]
    Url(String),
    #[error(
        "Restate does not answer at {url}: {why}. Is the server running there? `npx @restatedev/restate-server` starts \
         one: clients ask its ingress (port 8080), deployments are registered at its admin port (9070)"
    )]
    Unreachable { url: String, why: String },
    #[error(
        "Restate at {url} knows no `genkit.Run`: register the address of your workers, once, by \
         `RestateAdmin::new(\"http://127.0.0.1:9070\")?.register(\"http://..:9080\")`"
    )]
    NotRegistered { url: String },
    #[error("Restate at {url} answers {status}: {message}")]
    Refused { url: String, status: u16, message: String },
    #[error("what Restate at {url} answers does not read: {why}")]
    Unreadable { url: String, why: String },
    #[error("the answer of Restate at {url} has more than {most} bytes")]
    TooLarge { url: String, most: usize },
    #[error("{0}")]
    Said(String, ErrorKind),
    #[error("there is no run `{0}`")]
    NoRun(String),
    #[error("`{0}` is no key of Restate's requests: `publickeyv1_..`, as `restate` prints it")]
    IdentityKey(String),
    #[error("cannot listen at {at}: {why}")]
    Listen { at: String, why: std::io::Error },
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
    #[error(
        "Restate's admin at {admin} cannot register `{worker}`: {message}. The workers must be serving there, at an address \
         that Restate reaches"
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
            Self::NoRun(_) => ErrorKind::NotFound,
        }
    }
}

impl From<Error> for genkit::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}
