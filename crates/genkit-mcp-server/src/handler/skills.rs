//! The methods of the skills extension (SEP-2640): `skills/get` and `resources/directory/read`. `skills/list` is
//! handled like any other list, and the files of skills are resources.

use rmcp::model::{ErrorData, GetSkillResult, ReadResourceDirectoryResult};

use super::{Methods, method_names};
use crate::error::Error as E;
use crate::lists::{Lists, take_page};
use crate::state::SharedState;
use genkit_core::internal::suggest;

/// The methods that are available only if the server has skills.
const METHODS: [&str; 3] = ["skills/list", "skills/get", "resources/directory/read"];

/// Returns whether a method belongs to the extension, but the server does not declare it because it has no skills.
pub(crate) fn is_undeclared(shared: &SharedState, method: &str) -> bool {
    METHODS.contains(&method) && !shared.genkit.registry.has_skills()
}

impl Methods<'_> {
    /// Returns the entry of a skill in `lists`.
    pub(crate) fn get_skill(&self, lists: &Lists, uri: &str) -> Result<GetSkillResult, E> {
        let Some(skill) = lists.find_skill(uri) else {
            let known = lists.skills.iter().map(|skill| skill.uri.as_str());
            return Err(E::UnknownName(suggest::unknown_name("skill", uri, known)));
        };
        let mut result = GetSkillResult::new(skill.clone());
        result.ttl_ms = self.cache_ms();
        result.cache_scope = Some(lists.cache_scope());
        Ok(result)
    }

    /// Returns the direct children of a folder of a skill in `lists`.
    pub(crate) fn read_directory(
        &self,
        lists: &Lists,
        uri: &str,
        cursor: Option<&str>,
    ) -> Result<ReadResourceDirectoryResult, E> {
        let Some(children) = lists.find_folder(uri) else {
            return Err(E::NotADirectory(uri.to_owned()));
        };
        let size = self.shared.settings.pages.size;
        let (children, next) = take_page(&children, |child| &child.uri, cursor, size)?;
        let mut result = ReadResourceDirectoryResult::with_all_items(children.to_vec());
        result.next_cursor = next;
        result.ttl_ms = self.cache_ms();
        result.cache_scope = Some(lists.cache_scope());
        Ok(result)
    }
}

/// Returns the error for a method of the undeclared extension.
pub(crate) fn undeclared_skills(method: &str) -> ErrorData {
    method_names::undeclared_method(method, "this server has no skills")
}
