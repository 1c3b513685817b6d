//! Agent Skills: reads and checks folders with a `SKILL.md`, and computes the digest of each file.
//!
//! A skill is a folder with a `SKILL.md`, which begins with a frontmatter (`name`, `description`) followed by
//! instructions. The folder can contain any other files. Names follow the Agent Skills format. Limits, URIs and digests
//! follow the MCP extension `io.modelcontextprotocol/skills` (SEP-2640).
//!
//! ```
//! let text = "---\nname: git-flow\ndescription: How we branch\n---\nBranch first.\n";
//! let skill = genkit_skills::SkillText::parse("git-flow/SKILL.md", text)?;
//! assert_eq!((skill.name(), skill.instructions), ("git-flow", "Branch first.\n"));
//! # Ok::<(), genkit_skills::Error>(())
//! ```

#![forbid(unsafe_code)]

mod digest;
mod error;
mod folder;
mod limits;
mod links;
mod name;
mod text;
mod uri;
mod walk;

pub use digest::sha256_digest;
pub use error::Error;
pub use folder::{FoundFile, FoundSkill, read_skills, read_valid_skills};
pub use limits::{MAX_DESCRIPTION, MAX_FILES, MAX_NAME, MAX_SKILL_BYTES};
pub use name::check_name;
pub use text::SkillText;
pub use uri::skill_uri;

/// The file that makes a folder a skill.
pub const SKILL_MD: &str = "SKILL.md";
