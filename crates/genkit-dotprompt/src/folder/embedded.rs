//! A folder embedded in the program.

use std::path::{Path, PathBuf};

use super::{Folder, walk};

impl Folder {
    /// Creates a folder from the paths and the texts of its files. The paths are relative to the folder, with `/` as
    /// the separator. Files that do not end with `.prompt` are ignored.
    ///
    /// ```
    /// use genkit_dotprompt::Folder;
    ///
    /// let files = [("mail/reply.formal.prompt", "Dear {{name}}"), ("_header.prompt", "Hello")];
    /// let folder = Folder::embedded("prompts", files);
    /// assert_eq!(folder.prompts()[0].full_name(), "mail/reply.formal");
    /// assert_eq!(folder.prompts()[0].path.to_str(), Some("prompts/mail/reply.formal.prompt"));
    /// assert_eq!(folder.partials()[0].name, "header");
    /// ```
    pub fn embedded<'a>(
        path: impl Into<PathBuf>,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let root = path.into();
        let file = |(path, source): (&str, &str)| {
            let name = path.strip_suffix(".prompt")?.to_owned();
            let path = root.join(Path::new(path));
            Some(walk::File { name, path, source: source.into() })
        };
        let files: Vec<walk::File> = files.into_iter().filter_map(file).collect();
        Self::from_files(root, files)
    }
}
