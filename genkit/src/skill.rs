//! Skills: folders with instructions for a model (`SKILL.md`) and files beside them, as values.
//!
//! A [`Skill`] is in the program ([`skills!`](crate::skills)), or comes from a folder on disk
//! ([`Skill::read_dir`], [`GenkitBuilder::skills_dir`](crate::GenkitBuilder::skills_dir)). A server lists those of its
//! registry over MCP (the extension `io.modelcontextprotocol/skills`, SEP-2640), and the middleware
//! [`skills`](crate::middleware) offers them to a model.

#[cfg(feature = "skills")]
#[doc(inline)]
pub use genkit_core::{OfferedSkill, SkillSource};
#[doc(inline)]
pub use genkit_core::{Skill, SkillFile};
