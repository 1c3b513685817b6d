//! Skills: folders with instructions for a model (`SKILL.md`) and other files.
//!
//! A [`Skill`] is embedded in the program ([`skills!`](crate::skills)), or read from a folder on disk
//! ([`Skill::read_dir`], [`GenkitBuilder::skills_dir`](crate::GenkitBuilder::skills_dir)). A server lists the skills of
//! its registry over MCP (the extension `io.modelcontextprotocol/skills`, SEP-2640). The middleware
//! [`skills`](crate::middleware) offers skills to a model.

#[doc(inline)]
pub use genkit_core::{OfferedSkill, SkillSource};
#[doc(inline)]
pub use genkit_core::{Skill, SkillFile};
