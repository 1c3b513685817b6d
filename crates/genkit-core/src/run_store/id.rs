//! The id of a run, which is its idempotency key.

use serde::{Deserialize, Serialize};

use super::error::Error as E;
use crate::error::{Error, Result};

/// How long an id may be, in characters.
const LONGEST: usize = 128;

/// What ids of tasks begin with, which an MCP server makes.
const TASK: &str = "mcp-task-";

/// What ids of sessions begin with that an MCP server keeps.
const SESSION: &str = "mcp-session-";

/// What ids of streams of events begin with that an MCP server keeps.
const STREAM: &str = "mcp-stream-";

/// The id of a durable run, which its program chooses: the number of an order, of a request. The same id is the same
/// run, never a second one.
///
/// 1 to 128 of `A-Z a-z 0-9 - _ .`, and the first is none of `- .`; so that it is a name everywhere. Those that begin with
/// `mcp-task-`, `mcp-session-` or `mcp-stream-` are of MCP servers.
///
/// ```
/// use genkit::durable::RunId;
///
/// assert_eq!(RunId::new("order-4711")?.as_str(), "order-4711");
/// assert!(RunId::new("../passwd").is_err());
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// The id of this text.
    ///
    /// # Errors
    /// `InvalidArgument` where it has other characters, none, or too many.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = (1..=LONGEST).contains(&id.len())
            && id.chars().all(is_known)
            && !id.starts_with(['-', '.']);
        if fits { Ok(Self(id)) } else { Err(E::RunId { most: LONGEST }.into()) }
    }

    /// Whether it is that of a task of an MCP server.
    pub fn is_task(&self) -> bool {
        self.0.starts_with(TASK)
    }

    /// Whether an MCP server works on it, and no worker does.
    pub fn is_of_server(&self) -> bool {
        self.is_task() || self.is_of_session()
    }

    /// Whether it is a session of an MCP server, or a stream of one: what is due of these is over.
    pub fn is_of_session(&self) -> bool {
        self.0.starts_with(SESSION) || self.0.starts_with(STREAM)
    }

    /// The id under which a session is kept: by a hash, so that a store gives no session away.
    #[cfg(feature = "http")]
    pub fn of_session(session: &str) -> Self {
        Self(format!("{SESSION}{}", hash_of(session)))
    }

    /// The id under which a stream of a session is kept.
    #[cfg(feature = "http")]
    pub fn of_stream(session: &str, number: u64) -> Self {
        Self(format!("{STREAM}{}-{number}", hash_of(session)))
    }

    /// The id of a new task, of 128 random bits, which nobody guesses.
    pub fn new_task(random: [u8; 16]) -> Self {
        Self(format!("{TASK}{:032x}", u128::from_ne_bytes(random)))
    }

    /// The id of a task, as a client says it; `None` for what no server has made.
    pub fn of_task(id: &str) -> Option<Self> {
        let random = id.strip_prefix(TASK)?;
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (random.len() == 32 && random.bytes().all(is_hex)).then(|| Self(id.to_owned()))
    }

    /// Text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(feature = "http")]
fn hash_of(session: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let hash = Sha256::digest(session.as_bytes());
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl TryFrom<String> for RunId {
    type Error = Error;

    fn try_from(id: String) -> Result<Self> {
        Self::new(id)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_name_everywhere() {
        let longest = "a".repeat(LONGEST);
        for id in ["a", "order-4711", "A_b.c", "_x", "9", &longest] {
            assert_eq!(RunId::new(id).map(String::from).expect(id), id);
        }
        let longer = "a".repeat(LONGEST + 1);
        for id in ["", ".", "..", ".x", "-x", "a/b", "a\\b", "a b", "a:b", "ä", "a\n", &longer] {
            assert_eq!(
                RunId::new(id).expect_err(id).kind(),
                crate::error::ErrorKind::InvalidArgument
            );
        }
    }
}
