//! Skills of servers (the extension `io.modelcontextprotocol/skills`), which are loaded on demand and verified.

mod entry;

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;
use genkit_skills::{SKILL_MD, SkillText, sha256_digest};
use serde_json::{Map, Value};

use self::entry::{Entry, ListedFile};
use super::catalog::host_state::HostState;
use super::catalog::{Catalog, pagination};
use super::client::McpClient;
use super::error::ServerErrorExt as _;
use super::mcp_host::McpHost;
use super::request::methods;
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::internal::error::Topic;
use genkit_core::internal::skill::{SkillReader, compute_fingerprint, not_listed};
use genkit_core::internal::visible::Logged;
use genkit_core::{ErrorKind, Result};
use genkit_core::{OfferedSkill, SkillSource};

/// How many skills of one server are read. Default is 1,000.
const MAX_SKILLS: usize = 1000;

/// Errors of skills. The messages are prefixed with the name of the server.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("sent {actual} bytes for `{uri}`, but listed {listed}; the file is not used")]
    Size { uri: String, listed: u64, actual: u64 },
    #[error("sent `{uri}` with a different digest than listed; the file is not used")]
    Digest { uri: String },
    #[error("sent `{uri}` with a different frontmatter than listed; the skill is not loaded")]
    Frontmatter { uri: String },
    #[error("returned {pieces} contents for `{uri}`; expected one")]
    Pieces { uri: String, pieces: usize },
    #[error("sent an invalid `{uri}`: {why}")]
    Unreadable { uri: String, why: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::FailedPrecondition
    }
}

/// A remote skill, listed by an MCP server but not fetched yet.
///
/// ```no_run
/// # async fn run(client: genkit::mcp::McpClient) -> genkit::Result<()> {
/// for skill in client.skills().await? {
///     println!("{}/{}: {}", skill.server(), skill.name(), skill.description());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RemoteSkill {
    catalog: Arc<Catalog>,
    entry: Arc<Entry>,
    _host: Arc<HostState>,
}

impl RemoteSkill {
    /// Returns the server's own name of the skill. It is unique per server.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the server's description of the skill, which explains its purpose and when to use it.
    pub fn description(&self) -> &str {
        &self.entry.description
    }

    /// Returns the key of the server that offers the skill.
    pub fn server(&self) -> &str {
        &self.catalog.server.key
    }

    /// Returns the server's URI of the skill's `SKILL.md`.
    pub fn uri(&self) -> &str {
        &self.entry.uri
    }

    /// Returns the frontmatter that the server lists. `allowed-tools` has no effect.
    pub fn frontmatter(&self) -> &Map<String, Value> {
        &self.entry.frontmatter
    }

    /// Returns the paths of the skill's files, relative to the skill.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entry.files.iter().map(|file| file.path.as_str())
    }

    /// Returns the fingerprint of the skill, a digest of the URIs and digests of all its files. Approvals refer to the
    /// fingerprint, which changes if any file changes.
    pub fn fingerprint(&self) -> String {
        compute_fingerprint(
            self.entry.files.iter().map(|file| (file.uri.as_str(), file.digest.as_str())),
        )
    }

    /// Loads the skill: fetches its `SKILL.md` and verifies size, digest and frontmatter.
    ///
    /// # Errors
    /// Returns an error if the file differs from its listing, or if the server is unreachable.
    pub async fn load(&self) -> Result<LoadedSkill> {
        let file =
            self.entry.find_file(SKILL_MD).ok_or_else(|| not_listed(self.name(), SKILL_MD))?;
        let bytes = self.fetch_file(file).await?;
        let uri = || self.entry.uri.clone();
        let unreadable =
            |why: String| Error::Unreadable { uri: uri(), why }.for_server(self.server());
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
        let parsed = SkillText::parse_leniently(SKILL_MD, &text);
        let parsed = parsed.map_err(|error| unreadable(error.to_string()))?;
        if parsed.frontmatter != self.entry.frontmatter {
            return Err(Error::Frontmatter { uri: uri() }.for_server(self.server()));
        }
        let instructions = parsed.instructions.to_owned();
        Ok(LoadedSkill { skill: self.clone(), instructions })
    }

    /// Fetches and verifies one file.
    async fn fetch_file(&self, file: &ListedFile) -> Result<Vec<u8>> {
        let server = &self.catalog.server;
        let mut pieces = methods::read_resource(server, &Context::detached(), &file.uri).await?;
        let uri = file.uri.clone();
        let (Some(piece), true) = (pieces.pop(), pieces.is_empty()) else {
            return Err(Error::Pieces { uri, pieces: pieces.len() + 1 }.for_server(&server.key));
        };
        let bytes = piece.as_bytes();
        let actual = bytes.len() as u64;
        if actual != file.size {
            return Err(Error::Size { uri, listed: file.size, actual }.for_server(&server.key));
        }
        if sha256_digest(bytes) != file.digest {
            return Err(Error::Digest { uri }.for_server(&server.key));
        }
        Ok(bytes.to_vec())
    }
}

impl fmt::Debug for RemoteSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RemoteSkill");
        shown.field("server", &self.server()).field("uri", &self.uri()).finish_non_exhaustive()
    }
}

/// A skill whose `SKILL.md` was downloaded and whose size, digest and frontmatter were verified.
#[derive(Clone, Debug)]
pub struct LoadedSkill {
    skill: RemoteSkill,
    instructions: String,
}

impl LoadedSkill {
    /// Returns the instructions, the text below the frontmatter of its `SKILL.md`.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// Fetches the file at `path` within the skill from the server, and verifies it.
    ///
    /// # Errors
    /// Returns an error if the file is not listed, if it differs from its listing, or if the server is unreachable.
    pub async fn read(&self, path: &str) -> Result<Vec<u8>> {
        SkillReader::read(&self.skill, path).await
    }
}

impl SkillReader for RemoteSkill {
    fn load_instructions(&self) -> BoxFuture<'_, Result<String>> {
        Box::pin(async move { Ok(RemoteSkill::load(self).await?.instructions) })
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Vec<u8>>> {
        Box::pin(async move {
            let file = self.entry.find_file(path).ok_or_else(|| not_listed(self.name(), path))?;
            self.fetch_file(file).await
        })
    }
}

impl From<RemoteSkill> for OfferedSkill {
    fn from(skill: RemoteSkill) -> Self {
        Self {
            name: format!("{}/{}", skill.server(), skill.name()),
            description: skill.description().to_owned(),
            server: Some(skill.server().to_owned()),
            fingerprint: skill.fingerprint(),
            paths: skill.paths().map(str::to_owned).collect(),
            reader: Arc::new(skill),
        }
    }
}

impl McpClient {
    /// Returns the skills that the server currently lists, or none if it does not support the extension. No file is
    /// fetched before [`RemoteSkill::load`]. An invalid entry is omitted with a warning, and at most 1,000 skills are
    /// kept.
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or does not list its skills.
    pub async fn skills(&self) -> Result<Vec<RemoteSkill>> {
        let (catalog, host) = self.catalog_and_host();
        let connection = catalog.server.wait_connected().await?;
        if !(pagination::SKILLS.is_offered)(&connection.info.capabilities) {
            return Ok(Vec::new());
        }
        let list = pagination::read_all_pages(&connection, &pagination::SKILLS).await;
        let list = list.map_err(|failed| failed.error)?;
        let server = self.key();
        let left_out = |why: &str, uri: &str| {
            let Some(warnings) = catalog.server.warnings.count_warning() else { return };
            let uri = Logged::text(uri);
            tracing::warn!(server, warnings, %uri, why, "omitted a skill from an MCP server");
        };
        if let Some(notice) = &list.notice {
            let notice = Logged::text(notice);
            tracing::warn!(server, %notice, "omitted skills from an MCP server");
        }
        if list.items.len() > MAX_SKILLS {
            let (listed, kept) = (list.items.len(), MAX_SKILLS);
            tracing::warn!(server, listed, kept, "omitted skills from an MCP server");
        }
        let mut found: Vec<RemoteSkill> = Vec::new();
        for item in list.items.into_iter().take(MAX_SKILLS) {
            let uri = item["uri"].as_str().unwrap_or_default().to_owned();
            match Entry::read(item) {
                Ok(entry) if found.iter().any(|known| known.name() == entry.name) => {
                    left_out("another skill has the same name", &uri);
                }
                Ok(entry) => found.push(RemoteSkill {
                    catalog: Arc::clone(&catalog),
                    entry: Arc::new(entry),
                    _host: Arc::clone(&host),
                }),
                Err(why) => left_out(why, &uri),
            }
        }
        Ok(found)
    }

    /// Returns the skills if they are available in time; otherwise none, with a warning.
    async fn skills_in_time(&self) -> Vec<RemoteSkill> {
        let limit = self.catalog.server.settings.startup;
        let why = match tokio::time::timeout(limit, self.skills()).await {
            Ok(Ok(skills)) => return skills,
            Ok(Err(error)) => error.chain(),
            Err(_) => format!("they were not listed within {limit:?}"),
        };
        let (server, why) = (self.key(), Logged::text(&why));
        tracing::warn!(server, error = %why, "omitted the skills from an MCP server");
        Vec::new()
    }
}

impl McpHost {
    /// Returns the skills of all reachable servers. A server that does not respond is omitted, with a warning.
    pub async fn skills(&self) -> Vec<RemoteSkill> {
        let clients: Vec<McpClient> = self.clients();
        let lists = join_all(clients.iter().map(McpClient::skills_in_time)).await;
        lists.into_iter().flatten().collect()
    }
}

impl SkillSource for McpClient {
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
        Box::pin(
            async move { Ok(self.skills_in_time().await.into_iter().map(Into::into).collect()) },
        )
    }
}

impl SkillSource for McpHost {
    fn list(&self) -> BoxFuture<'_, Result<Vec<OfferedSkill>>> {
        Box::pin(async move { Ok(self.skills().await.into_iter().map(Into::into).collect()) })
    }
}
