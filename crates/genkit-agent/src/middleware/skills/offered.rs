//! The skills of all sources, and the responses of the two tools.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::text;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::ToolDefinition;
use genkit_core::internal::model::find_matches;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{OfferedSkill, SkillSource};
use genkit_schema::internal::truncate::truncate;

/// The lifetime of a cached list of skills. Default is 30 seconds; a skill that fails to load invalidates it
/// earlier.
const LIST_AGE: Duration = Duration::from_secs(30);

/// The number of skills that a query returns. Default is 8.
const MAX_FOUND: usize = 8;

/// The maximum number of bytes of a file in one response. Default is 64 KiB.
const MAX_ANSWER: usize = 64 * 1024;

type Approve = Arc<dyn Fn(OfferedSkill) -> BoxFuture<'static, bool> + Send + Sync>;

/// A cached list with its creation time.
type CachedSkills = Option<(Instant, Arc<[OfferedSkill]>)>;

/// The skill sources, with their cached list and approvals.
#[derive(Clone)]
pub(super) struct SkillOffers {
    pub(super) sources: Vec<Arc<dyn SkillSource>>,
    pub(super) approve: Option<Approve>,
    /// The names and fingerprints of approved skills.
    approved: Arc<Mutex<HashSet<String>>>,
    kept: Arc<Mutex<CachedSkills>>,
}

impl SkillOffers {
    pub(super) fn from_sources(sources: Vec<Arc<dyn SkillSource>>) -> Self {
        Self { sources, approve: None, approved: Arc::default(), kept: Arc::default() }
    }

    /// Returns all skills by name. If two have the same name, the first is used.
    pub(super) async fn list_skills(&self) -> Result<Arc<[OfferedSkill]>> {
        if let Some((made, kept)) = &*lock(&self.kept)
            && made.elapsed() < LIST_AGE
        {
            return Ok(Arc::clone(kept));
        }
        let mut all: Vec<OfferedSkill> = Vec::new();
        let mut names = HashSet::new();
        for source in &self.sources {
            for skill in source.list().await? {
                if names.insert(skill.name.clone()) {
                    all.push(skill);
                } else {
                    let name = Logged::name(skill.name());
                    tracing::warn!(%name, "two skills have the same name; using the first");
                }
            }
        }
        all.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
        let all: Arc<[OfferedSkill]> = all.into();
        *lock(&self.kept) = Some((Instant::now(), Arc::clone(&all)));
        Ok(all)
    }

    /// Returns the response of `use_skill`.
    pub(super) async fn use_skill(&self, input: &Value) -> Result<Value> {
        let skills = self.list_skills().await?;
        let Some(name) = input["name"].as_str().filter(|name| !name.is_empty()) else {
            return Ok(match input["query"].as_str().map(str::trim) {
                Some(query) if !query.is_empty() => search_skills(&skills, query),
                _ => {
                    json!({ "error": "missing argument: pass `name`, the exact name of a skill, or a `query`" })
                }
            });
        };
        let skill = match self.find_permitted(&skills, name).await {
            Ok(skill) => skill,
            Err(answer) => return Ok(answer),
        };
        let output_instructions = match skill.reader.load_instructions().await {
            Ok(output_instructions) => output_instructions,
            Err(error) => return Ok(self.failure_value(skill, &error)),
        };
        let mut answer = json!({ "skill": skill.name(), "from": describe_origin(skill) });
        put_text(&mut answer, "instructions", &output_instructions, 0);
        answer["files"] = skill.paths().filter(|path| *path != "SKILL.md").collect();
        Ok(answer)
    }

    /// Returns the response of `read_skill_file`.
    pub(super) async fn read_file(&self, input: &Value) -> Result<Value> {
        let skills = self.list_skills().await?;
        let (name, path) = (input["skill"].as_str(), input["path"].as_str());
        let (Some(name), Some(path)) = (name, path) else {
            return Ok(
                json!({ "error": "missing argument: pass `skill`, the name of a skill, and `path`" }),
            );
        };
        let skill = match self.find_permitted(&skills, name).await {
            Ok(skill) => skill,
            Err(answer) => return Ok(answer),
        };
        if !skill.paths().any(|known| known == path) {
            let unknown = genkit_core::internal::suggest::unknown_name(
                "file of the skill",
                path,
                skill.paths(),
            );
            return Ok(json!({ "error": unknown }));
        }
        let bytes = match skill.reader.read(path).await {
            Ok(bytes) => bytes,
            Err(error) => return Ok(self.failure_value(skill, &error)),
        };
        let mut answer =
            json!({ "skill": skill.name(), "path": path, "from": describe_origin(skill) });
        match std::str::from_utf8(&bytes) {
            Ok(text) => {
                let offset = input["offset"].as_u64().and_then(|at| usize::try_from(at).ok());
                put_text(&mut answer, "text", text, offset.unwrap_or_default());
            }
            Err(_) if bytes.len() <= MAX_ANSWER => {
                answer["base64"] = STANDARD.encode(&bytes).into()
            }
            Err(_) => {
                answer["error"] =
                    format!("the file is binary and too large ({} bytes)", bytes.len()).into();
            }
        }
        Ok(answer)
    }

    /// Returns the skill with this name, if it is approved or needs no approval.
    async fn find_permitted<'a>(
        &self,
        skills: &'a [OfferedSkill],
        name: &str,
    ) -> std::result::Result<&'a OfferedSkill, Value> {
        let Some(skill) = skills.iter().find(|skill| skill.name() == name) else {
            let names = skills.iter().map(OfferedSkill::name);
            return Err(
                json!({ "error": genkit_core::internal::suggest::unknown_name("skill", name, names) }),
            );
        };
        let (Some(_), Some(approve)) = (skill.server(), &self.approve) else { return Ok(skill) };
        // The same files under a different name need a separate approval.
        let approval = format!("{} {}", skill.name(), skill.fingerprint());
        if lock(&self.approved).contains(&approval) {
            return Ok(skill);
        }
        if !approve(skill.clone()).await {
            let text = format!("the user did not approve the skill `{name}`; continue without it");
            return Err(json!({ "error": text }));
        }
        lock(&self.approved).insert(approval);
        Ok(skill)
    }

    /// Returns the response for a skill that failed to load, and invalidates the list.
    fn failure_value(&self, skill: &OfferedSkill, error: &genkit_core::Error) -> Value {
        *lock(&self.kept) = None;
        let (name, chain) = (Logged::name(skill.name()), error.chain());
        let why = Logged::text(&chain);
        tracing::warn!(%name, error = %why, "failed to load a skill");
        json!({ "error": format!("failed to load the skill `{}`: {error}", skill.name()) })
    }
}

/// Describes the origin of a skill, for the model.
fn describe_origin(skill: &OfferedSkill) -> String {
    match skill.server() {
        Some(server) => format!("the MCP server `{server}`, which wrote this text"),
        None => "this program".to_owned(),
    }
}

fn search_skills(skills: &[OfferedSkill], query: &str) -> Value {
    let of = |skill: &OfferedSkill| ToolDefinition::new(skill.name(), skill.description());
    let definitions: Vec<ToolDefinition> = skills.iter().map(of).collect();
    let names: Vec<String> =
        find_matches(&definitions, query).into_iter().map(|it| it.name.clone()).collect();
    let found = names.iter().take(MAX_FOUND).filter_map(|name| {
        let skill = skills.iter().find(|skill| skill.name() == name)?;
        Some(text::format_skill(skill))
    });
    let found: Vec<String> = found.collect();
    let note = match found.is_empty() {
        true => "no skill matches; try other words, or continue without one",
        false => "load one by its name",
    };
    json!({ "found": found, "note": note })
}

/// Adds the longest part of a string that fits into one response, and the offset of the rest.
fn put_text(answer: &mut Value, key: &str, text: &str, offset: usize) {
    let rest = text.get(offset..).unwrap_or_default();
    let piece = truncate(rest, MAX_ANSWER);
    answer[key] = piece.into();
    if piece.len() < rest.len() {
        answer["next"] = (offset + piece.len()).into();
        let more = "there is more: continue with `read_skill_file` and `offset` (offsets in `SKILL.md` include its frontmatter)";
        answer["note"] = more.into();
    }
}
