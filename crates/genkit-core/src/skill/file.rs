//! The files of skills.

use std::fmt;
use std::sync::Arc;

/// A file of a [`Skill`](super::Skill). Cheap to clone.
#[derive(Clone)]
pub struct SkillFile {
    path: Arc<str>,
    uri: Arc<str>,
    digest: Arc<str>,
    bytes: FileBytes,
}

#[derive(Clone)]
enum FileBytes {
    Static(&'static [u8]),
    Shared(Arc<[u8]>),
}

impl SkillFile {
    /// Creates a file that is embedded in the program.
    #[doc(hidden)]
    pub fn from_embedded(path: &str, uri: String, digest: &str, bytes: &'static [u8]) -> Self {
        let bytes = FileBytes::Static(bytes);
        Self { path: path.into(), uri: uri.into(), digest: digest.into(), bytes }
    }

    /// Creates a file that was read from a folder.
    #[doc(hidden)]
    pub fn read(path: &str, uri: String, digest: &str, bytes: Arc<[u8]>) -> Self {
        let bytes = FileBytes::Shared(bytes);
        Self { path: path.into(), uri: uri.into(), digest: digest.into(), bytes }
    }
}

impl SkillFile {
    /// Returns the path within the skill, with `/` separators, for example `references/FORMS.md`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the URI of the file, for example `skill://pdf/references/FORMS.md`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            FileBytes::Static(bytes) => bytes,
            FileBytes::Shared(bytes) => bytes,
        }
    }

    /// Returns the text of the file, if it is UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }

    /// Returns the digest of the bytes: `sha256:` and 64 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the size of the file, in bytes.
    pub fn size(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// Returns the media type (MIME type), derived from the file extension.
    pub fn mime_type(&self) -> &'static str {
        let extension = self.path.rsplit('/').next().and_then(|file| file.rsplit_once('.'));
        match extension.map_or("", |(_, extension)| extension) {
            "md" => "text/markdown",
            "html" => "text/html",
            "css" => "text/css",
            "csv" => "text/csv",
            "js" | "mjs" => "text/javascript",
            "py" => "text/x-python",
            "sh" => "application/x-sh",
            "json" => "application/json",
            "yaml" | "yml" => "application/yaml",
            "xml" => "application/xml",
            "pdf" => "application/pdf",
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "gif" => "image/gif",
            "svg" => "image/svg+xml",
            _ if self.text().is_some() => "text/plain",
            _ => "application/octet-stream",
        }
    }

    /// Returns this file with another URI.
    pub(super) fn with_uri(&self, uri: String) -> Self {
        Self { uri: uri.into(), ..self.clone() }
    }
}

impl fmt::Debug for SkillFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SkillFile");
        shown.field("path", &self.path).field("size", &self.size()).finish_non_exhaustive()
    }
}
