//! Roots: the folders that a client works in.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A root: a folder, or another resource, that the client works in.
///
/// An `McpHost` lists its roots to servers, and a tool requests the roots of its client with
/// [`Context::roots`](crate::context::Context::roots). The conversion from a string treats text with `://` as a URI and
/// other text as a path.
///
/// ```
/// use genkit::context::Root;
/// use std::path::Path;
///
/// assert_eq!(Root::new("file:///srv/data").uri, "file:///srv/data");
/// # #[cfg(unix)] {
/// assert_eq!(Root::from("/home/ada/my project").uri, "file:///home/ada/my%20project");
/// let named = Root::from(Path::new("/home/ada/project")).with_name("The project");
/// assert_eq!(named.name.as_deref(), Some("The project"));
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Root {
    /// The URI, for example `file:///home/ada/project`.
    pub uri: String,
    /// The display name.
    #[serde(default)]
    pub name: Option<String>,
}

impl Root {
    /// Creates a root with this URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }

    /// Sets the display name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

/// Converts the path of a folder. A relative path is resolved against the current directory.
impl From<&Path> for Root {
    fn from(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self::new(file_uri(&path))
    }
}

impl From<PathBuf> for Root {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&PathBuf> for Root {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&str> for Root {
    fn from(text: &str) -> Self {
        if text.contains("://") { Self::new(text) } else { Path::new(text).into() }
    }
}

impl From<String> for Root {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Root {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

/// Returns the `file://` URI of an absolute path (RFC 8089).
fn file_uri(path: &Path) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut uri = String::from("file://");
    let bytes = path.as_os_str().as_encoded_bytes();
    // `C:\notes` is `/C:/notes` in a URI.
    if cfg!(windows) && !bytes.starts_with(b"\\") {
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'.' | b'_' | b'~' | b':' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => {
                uri.push('%');
                uri.push(char::from(HEX[usize::from(byte >> 4)]));
                uri.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    uri
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn paths_uris_and_names() {
        let uri = |root: Root| root.uri;
        assert_eq!(uri("/a b/ü#?%".into()), "file:///a%20b/%C3%BC%23%3F%25");
        assert_eq!(uri(PathBuf::from("/srv/x").into()), "file:///srv/x");
        assert_eq!(uri("https://example.com/a b".into()), "https://example.com/a b");
        let here = std::env::current_dir().unwrap();
        assert_eq!(uri("notes".into()), uri(here.join("notes").into()));
        let named = Root::new("x://1").with_name("one");
        let json = serde_json::to_value(&named).unwrap();
        assert_eq!(json, serde_json::json!({"uri": "x://1", "name": "one"}));
        assert_eq!(serde_json::from_value::<Root>(json).unwrap(), named);
    }
}
