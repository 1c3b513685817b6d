//! The id of a run, which is its idempotency key.

use serde::{Deserialize, Serialize};

use super::error::Error as E;
use crate::error::{Error, Result};

/// The maximum length of an id, in characters.
const LONGEST: usize = 128;

/// The prefix of the ids of tasks that an MCP server creates.
const TASK: &str = "mcp-task-";

/// The prefix of the ids of sessions that an MCP server stores.
const SESSION: &str = "mcp-session-";

/// The prefix of the ids of event streams that an MCP server stores.
const STREAM: &str = "mcp-stream-";

/// The id of a durable run, which the program chooses, for example the number of an order or a request. The same id
/// always refers to the same run.
///
/// An id has 1 to 128 characters of `A-Z a-z 0-9 - _ .` and does not begin with `-` or `.`, so every store can use it
/// as a name. Ids that begin with `mcp-task-`, `mcp-session-` or `mcp-stream-` are reserved for MCP servers.
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
    /// Creates an id from a string.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the id is empty or too long, contains other characters, or begins with `-` or `.`.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = (1..=LONGEST).contains(&id.len())
            && id.chars().all(is_known)
            && !id.starts_with(['-', '.']);
        if fits { Ok(Self(id)) } else { Err(E::RunId { most: LONGEST }.into()) }
    }

    /// Returns whether the id belongs to a task of an MCP server.
    #[doc(hidden)]
    pub fn is_task(&self) -> bool {
        self.0.starts_with(TASK)
    }

    /// Returns whether the run belongs to an MCP server. Workers must ignore the run in this case.
    #[doc(hidden)]
    pub fn is_of_server(&self) -> bool {
        self.is_task() || self.is_session_run()
    }

    /// Returns whether the id belongs to a session of an MCP server or one of its streams. Such runs are due when they
    /// have expired.
    #[doc(hidden)]
    pub fn is_session_run(&self) -> bool {
        self.0.starts_with(SESSION) || self.0.starts_with(STREAM)
    }

    /// Creates the run id for a session. The run id contains a hash, so that the store does not reveal the session id.
    #[doc(hidden)]
    pub fn for_session(session: &str) -> Self {
        Self(format!("{SESSION}{}", short_hash(session)))
    }

    /// Creates the id of a stream of a session.
    #[doc(hidden)]
    pub fn for_stream(session: &str, number: u64) -> Self {
        Self(format!("{STREAM}{}-{number}", short_hash(session)))
    }

    /// Creates the id of a new task from 128 random bits, so that it cannot be guessed.
    #[doc(hidden)]
    pub fn new_task(random: [u8; 16]) -> Self {
        Self(format!("{TASK}{:032x}", u128::from_ne_bytes(random)))
    }

    /// Parses the id of a task sent by a client. Returns `None` if no server can have created it.
    #[doc(hidden)]
    pub fn parse_task(id: &str) -> Option<Self> {
        let random = id.strip_prefix(TASK)?;
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (random.len() == 32 && random.bytes().all(is_hex)).then(|| Self(id.to_owned()))
    }

    /// Returns the id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the first half of the SHA-256 hash of `text`, in hexadecimal.
pub fn short_hash(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let hash = Sha256::digest(text.as_bytes());
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
