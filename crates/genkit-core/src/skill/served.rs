//! The files of skills as resources of a server.

use futures_util::future::ready;

use super::{SKILL_MD, Skill, SkillFile};
use crate::action::{Resource, ResourceContents};

impl Skill {
    /// Returns the `SKILL.md` file.
    #[doc(hidden)]
    pub fn manifest_file(&self) -> Option<&SkillFile> {
        self.file(SKILL_MD)
    }

    /// Returns the file with this URI.
    #[doc(hidden)]
    pub fn file_at(&self, uri: &str) -> Option<&SkillFile> {
        if !uri.starts_with(self.root_uri()) {
            return None;
        }
        self.files().iter().find(|file| file.uri() == uri)
    }

    /// Returns a file as a resource. `SKILL.md` gets the name and the description of the skill (SEP-2640).
    #[doc(hidden)]
    pub fn file_resource(&self, file: &SkillFile) -> Resource {
        let (name, description) = match file.path() {
            SKILL_MD => (self.name(), self.description()),
            path => (path.rsplit('/').next().unwrap_or(path), ""),
        };
        let read = file.clone();
        Resource::from_server(file.uri().to_owned(), name.to_owned(), description.to_owned())
            .mime_type(file.mime_type())
            .forwards(move |_, _| {
                let contents = match read.text() {
                    Some(text) => ResourceContents::text(text),
                    None => ResourceContents::bytes(read.bytes()),
                };
                Box::pin(ready(Ok(vec![contents])))
            })
    }
}
