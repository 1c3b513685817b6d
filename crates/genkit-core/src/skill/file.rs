//! Files of skills.

use std::fmt;
use std::sync::Arc;

/// Skill file: one of a [`Skill`](super::Skill). Cheap to clone.
#[derive(Clone)]
pub struct SkillFile {
    path: Arc<str>,
    uri: Arc<str>,
    digest: Arc<str>,
    bytes: FileBytes,
}

#[derive(Clone)]
enum FileBytes {
    #[cfg_attr(not(feature = "skills"), allow(dead_code, reason = "made by the macro alone"))]
    Static(&'static [u8]),
    #[cfg_attr(not(feature = "skills"), allow(dead_code, reason = "read of folders alone"))]
    Shared(Arc<[u8]>),
}

#[cfg_attr(not(feature = "skills"), allow(dead_code, reason = "nobody makes skills then"))]
impl SkillFile {
    /// In the program.
    pub(super) fn embedded(path: &str, uri: String, digest: &str, bytes: &'static [u8]) -> Self {
        let bytes = FileBytes::Static(bytes);
        Self { path: path.into(), uri: uri.into(), digest: digest.into(), bytes }
    }

    /// Read of a folder.
    pub(super) fn read(path: &str, uri: String, digest: &str, bytes: Arc<[u8]>) -> Self {
        let bytes = FileBytes::Shared(bytes);
        Self { path: path.into(), uri: uri.into(), digest: digest.into(), bytes }
    }
}

impl SkillFile {
    /// Path within the skill, with `/`: `references/FORMS.md`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// URI of the file: `skill://pdf/references/FORMS.md`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            FileBytes::Static(bytes) => bytes,
            FileBytes::Shared(bytes) => bytes,
        }
    }

    /// Text of the file, where that is UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }

    /// The digest of its bytes: `sha256:` and 64 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Size of the file, in bytes.
    pub fn size(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// Media type (MIME type), by what its name ends with.
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

    /// The same at another address.
    pub(super) fn moved(&self, uri: String) -> Self {
        Self { uri: uri.into(), ..self.clone() }
    }
}

impl fmt::Debug for SkillFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SkillFile");
        shown.field("path", &self.path).field("size", &self.size()).finish_non_exhaustive()
    }
}
