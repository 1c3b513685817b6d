//! Skills that are in the program: `skills!("folder")` checked them, and knows their digests.

use std::sync::OnceLock;

use genkit_skills::uri_of;

use super::{Skill, SkillFile};

/// The skills of a folder that the compiler read: what `skills!("folder")` hands over.
#[allow(missing_docs, reason = "for expansions and hidden")]
pub struct StaticSkills {
    skills: &'static [StaticSkill],
    /// Made on first use.
    made: OnceLock<Vec<Skill>>,
}

/// One of them.
#[allow(missing_docs, reason = "for expansions and hidden")]
pub struct StaticSkill {
    /// Source: its `SKILL.md`, as errors call it.
    pub source: &'static str,
    /// Path below `skill://`.
    pub path: &'static str,
    /// JSON.
    pub frontmatter: &'static str,
    /// The path of each file inside of the skill, its digest, and what it holds; in the order of paths.
    pub files: &'static [(&'static str, &'static str, &'static [u8])],
}

#[allow(missing_docs, reason = "for expansions and hidden")]
impl StaticSkills {
    pub const fn new(skills: &'static [StaticSkill]) -> Self {
        Self { skills, made: OnceLock::new() }
    }
}

/// The skills of a folder that is in the program, made once.
pub fn embedded(skills: &'static StaticSkills) -> &'static [Skill] {
    skills.made.get_or_init(|| skills.skills.iter().map(of_static).collect())
}

fn of_static(skill: &StaticSkill) -> Skill {
    let file = |(path, digest, bytes): &(&'static str, &'static str, &'static [u8])| {
        SkillFile::embedded(path, uri_of(&format!("{}/{path}", skill.path)), digest, bytes)
    };
    let frontmatter = serde_json::from_str(skill.frontmatter).expect("the macro wrote an object");
    let files = skill.files.iter().map(file).collect();
    Skill::new(skill.source.to_owned(), format!("{}/", uri_of(skill.path)), frontmatter, files)
}
