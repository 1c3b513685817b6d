//! Skills for a model: names and descriptions first, instructions and files when it asks for them.

mod offered;
mod text;

use std::future::Future;
use std::sync::Arc;

use serde_json::{Value, json};

use self::offered::Offered;
use super::{Middleware, NextModel};
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Result;
use genkit_core::Tool;
use genkit_core::{Message, Part, Role};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_core::{OfferedSkill, SkillSource};
use genkit_model::ChunkSink;

/// The tool that loads a skill.
const USE: &str = "use_skill";

/// The tool that reads a file of one.
const READ: &str = "read_skill_file";

/// Skills of folders, of the program and of MCP servers, as middleware: see [`skills()`].
#[derive(Clone)]
pub struct Skills(Arc<Offered>);

/// Skills: offers them to a model, wherever they lie: folders on disk, those of a registry
/// (`skills!`), and those of MCP servers (`McpHost`, `McpClient`).
///
/// The system text lists names and descriptions, at most 100 skills and 8 KiB; `use_skill` loads the instructions of one
/// by its name, and finds those that are not listed by a query; `read_skill_file` reads a file of one. Nothing of a
/// skill is fetched before the model asks for it, and what a server sends is verified against what it listed. The model
/// is told from where a skill is. A server's skill has the key of its server before its name, `shop/refunds`, so it never
/// stands for one of this program. Nothing in a skill is executed, and `allowed-tools` has no effect.
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
/// let run = genkit::generate("Mend the typo.").model(model.clone()).middleware(skills([folder.clone()])).await?;
/// assert_eq!(run.text(), "I branched.");
/// assert!(model.requests()[0].messages[0].text().contains("- git-flow: How we branch"));
/// assert_eq!(model.tool_outputs("use_skill")[0]["instructions"], "Branch first.\n");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
///
/// A folder with a mistake is an error of the run, with file and line; a server that is not there is left out, with a
/// warning.
pub fn skills<S: SkillSource>(sources: impl IntoIterator<Item = S>) -> Skills {
    let sources = sources.into_iter().map(|source| Arc::new(source) as Arc<dyn SkillSource>);
    Skills(Arc::new(Offered::of(sources.collect())))
}

impl Skills {
    /// Skill source: one more, as in `skills(["skills"]).source(host.clone())`.
    #[must_use]
    pub fn source(self, source: impl SkillSource) -> Self {
        let mut offered = (*self.0).clone();
        offered.sources.push(Arc::new(source));
        Self(Arc::new(offered))
    }

    /// Approval: asks before a skill of an MCP server is loaded, or a file of one is read. A yes holds for all files
    /// as they are now: where the digest of one is another, it is asked anew. Skills of this program are not asked
    /// about.
    ///
    /// ```
    /// use genkit::middleware::skills;
    /// use genkit::skill::OfferedSkill;
    ///
    /// let trusted = |skill: OfferedSkill| async move { skill.server() == Some("shop") };
    /// let middleware = skills(["skills"]).approve(trusted);
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn approve<F, Fut>(self, approve: F) -> Self
    where
        F: Fn(OfferedSkill) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        let mut offered = (*self.0).clone();
        offered.approve = Some(Arc::new(move |skill| Box::pin(approve(skill))));
        Self(Arc::new(offered))
    }

    fn use_skill(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The exact name of a skill."},
                "query": {"type": "string", "description": "A few words for what is needed, to find a skill."},
            },
        });
        let about = "Loads the instructions of a skill by its name, or finds skills by a query.";
        let offered = Arc::clone(&self.0);
        Tool::builder(USE, about).input_schema(schema).read_only(true).handler(
            move |_: Context, input: Value| {
                let offered = Arc::clone(&offered);
                async move { Ok(offered.use_skill(&input).await?) }
            },
        )
    }

    fn read_file(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "skill": {"type": "string", "description": "The exact name of a skill."},
                "path": {"type": "string", "description": "The path of a file of it, as `use_skill` lists it."},
                "offset": {"type": "integer", "minimum": 0, "description": "Where to go on in a long file: `next` of the answer before."},
            },
            "required": ["skill", "path"],
        });
        let about = "Reads a file of a skill.";
        let offered = Arc::clone(&self.0);
        Tool::builder(READ, about).input_schema(schema).read_only(true).handler(
            move |_: Context, input: Value| {
                let offered = Arc::clone(&offered);
                async move { Ok(offered.read_file(&input).await?) }
            },
        )
    }
}

impl Middleware for Skills {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            let listed = text::listed(&self.0.skills().await?);
            let mut request = request.clone();
            let system = request.messages.iter_mut().find(|message| message.role == Role::System);
            match system {
                Some(system) => system.content.push(Part::text(format!("\n\n{listed}"))),
                None => request.messages.insert(0, Message::system(listed)),
            }
            next.run(&request, chunks).await
        })
    }

    fn tools(&self) -> Vec<Tool> {
        vec![self.use_skill(), self.read_file()]
    }
}

impl std::fmt::Debug for Skills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skills").field("sources", &self.0.sources.len()).finish_non_exhaustive()
    }
}
