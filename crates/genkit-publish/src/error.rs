//! The errors of publishing.

use std::io;
use std::path::PathBuf;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// An error that occurs during publishing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(
        "`{field}` is missing; add it to `Cargo.toml` and call `serve_mcp().package(genkit::package!())`"
    )]
    Missing { field: &'static str },
    #[error(
        "the description is {length} characters long, but the registry accepts at most 100; shorten `description` in \
         `Cargo.toml`"
    )]
    LongDescription { length: usize },
    #[error(
        "`{name}` is not a valid registry name; write a reversed domain and a name, such as `io.github.me/notes`"
    )]
    RegistryName { name: String },
    #[error("`{version}` is not a version such as `1.2.3`; the registry does not accept ranges")]
    Version { version: String },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } | Self::LongDescription { .. } => ErrorKind::FailedPrecondition,
            Self::RegistryName { .. } | Self::Version { .. } => ErrorKind::InvalidArgument,
            Self::Read { .. } | Self::Write { .. } => ErrorKind::Unavailable,
        }
    }
}
