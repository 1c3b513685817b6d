//! Skills as MCP lists them: entries, and folders with their direct children.

use rmcp::model::{
    DIRECTORY_MIME_TYPE, Resource as McpResource, Skill as McpSkill, SkillFrontmatter,
    SkillResource, SkillResources,
};

use super::Lists;
use genkit_core::{Skill, SkillFile};

/// Builds an entry of `skills/list`.
pub(super) fn skill_entry(skill: &Skill) -> McpSkill {
    let mut frontmatter = SkillFrontmatter::new(skill.name(), skill.description());
    frontmatter.extra = skill.frontmatter().clone();
    frontmatter.extra.retain(|key, _| key != "name" && key != "description");
    let file = |file: &SkillFile| SkillResource::new(file.uri(), file.digest(), file.size());
    let files = skill.files().iter().map(file).collect();
    McpSkill::new(skill.uri(), frontmatter, SkillResources::Files(files))
}

impl Lists {
    /// Returns the entry of the skill whose `SKILL.md` is at `uri`.
    pub(crate) fn find_skill(&self, uri: &str) -> Option<&McpSkill> {
        let at = self.skills.binary_search_by(|skill| skill.uri.as_str().cmp(uri)).ok()?;
        self.skills.get(at)
    }

    /// Returns the direct children of the folder at `uri`, sorted by URI; `None` if it is not a folder.
    pub(crate) fn find_folder(&self, uri: &str) -> Option<Vec<McpResource>> {
        let folder = format!("{}/", uri.strip_suffix('/').unwrap_or(uri));
        let mut children: Vec<McpResource> = Vec::new();
        for skill in &self.items.skills {
            for file in skill.files() {
                let Some(rest) = file.uri().strip_prefix(&folder) else { continue };
                let child = match rest.split_once('/') {
                    None => super::list_resource(&skill.file_resource(file)),
                    Some((name, _)) => McpResource::new(format!("{folder}{name}"), name)
                        .with_mime_type(DIRECTORY_MIME_TYPE),
                };
                match children.binary_search_by(|known| known.uri.cmp(&child.uri)) {
                    Err(place) => children.insert(place, child),
                    // The entry of the nested skill for its `SKILL.md` is more complete.
                    Ok(place) if child.uri == file.uri() && file.path() == "SKILL.md" => {
                        children[place] = child;
                    }
                    Ok(_) => {}
                }
            }
        }
        (!children.is_empty()).then_some(children)
    }
}
