//! Session ids: 128 random bits, written as a UUID.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The id of a session. The id appears in each request and in the logs of proxies, so it must not
/// grant access on its own; see [`Owner`](super::Owner).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct SessionId(Uuid);

impl SessionId {
    pub(in super::super) fn new() -> Self {
        Self(Uuid::new_v4())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for SessionId {
    type Err = ();

    /// Parses an id. Accepts only the format that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, ()> {
        let id = Uuid::try_parse(text).map_err(|_| ())?;
        let mut written = [0; uuid::fmt::Hyphenated::LENGTH];
        if id.hyphenated().encode_lower(&mut written) == text { Ok(Self(id)) } else { Err(()) }
    }
}
