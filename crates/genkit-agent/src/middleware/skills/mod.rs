//! Skills for a model: names and descriptions first, instructions and files on request.

mod offered;
mod text;

use std::future::Future;
use std::sync::Arc;

use serde_json::{Value, json};

use self::offered::SkillOffers;
use super::NextModel;
use super::chain::impl_model_middleware;
use genkit_core::Context;
use genkit_core::Result;
use genkit_core::Tool;
use genkit_core::{Message, Part, Role};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_core::{OfferedSkill, SkillSource};
use genkit_model::ChunkSink;

/// The tool that loads a skill.
const USE_SKILL_TOOL: &str = "use_skill";

/// The tool that reads a file of a skill.
const READ_FILE_TOOL: &str = "read_skill_file";

/// Middleware that offers skills from folders, registries and MCP servers to a model; created by
/// [`skills()`].
#[derive(Clone)]
pub struct Skills(Arc<SkillOffers>);

/// Creates middleware that offers skills to a model: from folders on disk, from a registry
/// (`skills!`), and from MCP servers (`McpHost`, `McpClient`).
///
/// The system message lists names and descriptions, up to 100 skills and 8 KiB. The tool `use_skill` loads a skill's
/// instructions by name, or takes a query to find skills that are not in the list. The tool `read_skill_file` reads a
/// file of a skill. The content of a skill is fetched only when the model requests it, and content from a server is
/// verified against the digests in the server's list. The model receives the origin of each skill. The name of a
/// server's skill starts with the key of the server, as in `shop/refunds`, so it cannot replace a skill of this
/// program. Nothing in a skill is executed, and `allowed-tools` has no effect.
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::middleware::skills;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("skills-of-middleware-{}", std::process::id()));
/// # std::fs::create_dir_all(folder.join("git-flow"))?;
/// # let text = "---\nname: git-flow\ndescription: How we branch\n---\nBranch first.\n";
/// # std::fs::write(folder.join("git-flow/SKILL.md"), text)?;
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("use_skill", json!({"name": "git-flow"}))]),
///     ModelResponse::from_text("I branched."),
/// ]);
/// let run = genkit::generate("Fix the typo.").model(model.clone()).middleware(skills([folder.clone()])).await?;
/// assert_eq!(run.text(), "I branched.");
/// assert!(model.requests()[0].messages[0].text().contains("- git-flow: How we branch"));
/// assert_eq!(model.tool_outputs("use_skill")[0]["instructions"], "Branch first.\n");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
///
/// An invalid skill in a folder is omitted, and the reason is logged with file and line. The run fails if no skill in a
/// folder can be used. An MCP server that is unavailable is skipped with a warning.
pub fn skills<S: SkillSource>(sources: impl IntoIterator<Item = S>) -> Skills {
    let sources = sources.into_iter().map(|source| Arc::new(source) as Arc<dyn SkillSource>);
    Skills(Arc::new(SkillOffers::from_sources(sources.collect())))
}

impl Skills {
    /// Adds a skill source, as in `skills(["skills"]).source(host.clone())`.
    #[must_use]
    pub fn source(self, source: impl SkillSource) -> Self {
        let mut offered = (*self.0).clone();
        offered.sources.push(Arc::new(source));
        Self(Arc::new(offered))
    }

    /// Sets a function that approves skills. It is called before a skill from an MCP server is loaded or one of its
    /// files is read. An approval covers the current content of all files; if the digest of a file changes, the
    /// function is called again. Skills of this program do not need approval.
    ///
    /// ```
    /// use genkit::middleware::skills;
    /// use genkit::skill::OfferedSkill;
    ///
    /// let trusted = |skill: OfferedSkill| async move { skill.server() == Some("shop") };
    /// let middleware = skills(["skills"]).approve_with(trusted);
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn approve_with<F, Fut>(self, approve: F) -> Self
    where
        F: Fn(OfferedSkill) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        let mut offered = (*self.0).clone();
        offered.approve = Some(Arc::new(move |skill| Box::pin(approve(skill))));
        Self(Arc::new(offered))
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `approve_with`")]
    #[must_use]
    pub fn approve<F, Fut>(self, approve: F) -> Self
    where
        F: Fn(OfferedSkill) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        self.approve_with(approve)
    }

    fn use_skill_tool(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The exact name of a skill."},
                "query": {"type": "string", "description": "Keywords that describe the skill to find."},
            },
        });
        let about = "Loads the instructions of a skill by its name, or finds skills by a query.";
        let offered = Arc::clone(&self.0);
        Tool::builder(USE_SKILL_TOOL, about).input_schema(schema).read_only(true).handler(
            move |_: Context, input: Value| {
                let offered = Arc::clone(&offered);
                async move { Ok(offered.use_skill(&input).await?) }
            },
        )
    }

    fn read_file_tool(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "skill": {"type": "string", "description": "The exact name of a skill."},
                "path": {"type": "string", "description": "The path of a file in the skill, as listed by `use_skill`."},
                "offset": {"type": "integer", "minimum": 0, "description": "Where to continue in a long file: `next` of the previous response."},
            },
            "required": ["skill", "path"],
        });
        let about = "Reads a file of a skill.";
        let offered = Arc::clone(&self.0);
        Tool::builder(READ_FILE_TOOL, about).input_schema(schema).read_only(true).handler(
            move |_: Context, input: Value| {
                let offered = Arc::clone(&offered);
                async move { Ok(offered.read_file(&input).await?) }
            },
        )
    }
}

impl Skills {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let listed = text::format_skills(&self.0.list_skills().await?);
        let mut request = request.clone();
        let system = request.messages.iter_mut().find(|message| message.role == Role::System);
        match system {
            Some(system) => system.content.push(Part::text(format!("\n\n{listed}"))),
            None => request.messages.insert(0, Message::system(listed)),
        }
        next.run(&request, chunks).await
    }
}

impl_model_middleware!(Skills, {
    fn tools(&self) -> Vec<Tool> {
        vec![self.use_skill_tool(), self.read_file_tool()]
    }
});

impl std::fmt::Debug for Skills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skills").field("sources", &self.0.sources.len()).finish_non_exhaustive()
    }
}
