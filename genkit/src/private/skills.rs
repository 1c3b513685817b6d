//! Embedded folders of skills.

use genkit_core::Skill;
use genkit_core::internal::skill::expansion::StaticSkills;
pub use genkit_macros::skill_folder;

/// Returns all skills of an embedded folder.
pub fn embedded_skills(skills: &'static StaticSkills) -> Vec<Skill> {
    genkit_core::internal::skill::embedded_skills(skills).to_vec()
}
