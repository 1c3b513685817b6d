//! Entries of `skills/list`, which are validated before anything is fetched.

use std::collections::HashSet;

use genkit_schema::internal::truncate::excerpt;
use genkit_skills::{MAX_DESCRIPTION, MAX_FILES, MAX_SKILL_BYTES, SKILL_MD, check_name};
use serde_json::{Map, Value};

use crate::limits::MAX_DEFINITION;

/// The longest URI, in bytes.
const MAX_URI: usize = 2048;

/// A skill as listed by a server.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) frontmatter: Map<String, Value>,
    pub(super) files: Vec<ListedFile>,
}

/// A file as listed by a server.
#[derive(Debug)]
pub(super) struct ListedFile {
    /// The path within the skill, decoded.
    pub(super) path: String,
    pub(super) uri: String,
    pub(super) digest: String,
    pub(super) size: u64,
}

impl Entry {
    /// Reads an entry.
    ///
    /// # Errors
    /// Returns the reason why the entry is omitted.
    pub(super) fn read(value: Value) -> Result<Self, &'static str> {
        if genkit_schema::internal::size::json_size(&value) > MAX_DEFINITION {
            return Err("it is too large");
        }
        let Value::Object(mut value) = value else { return Err("it is not an object") };
        let Some(Value::Object(frontmatter)) = value.remove("frontmatter") else {
            return Err("its frontmatter is not an object");
        };
        let text = |key: &str| frontmatter.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, description) = (text("name").to_owned(), text("description").to_owned());
        check_name(&name)?;
        if description.trim().is_empty() {
            return Err("its description is empty");
        }
        // The limit is a rule for authors. Truncate the description instead of omitting the skill.
        let description = excerpt(&description, MAX_DESCRIPTION - 1);
        let uri = value.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
        let root = uri.strip_suffix(SKILL_MD).ok_or("its `uri` does not end with `/SKILL.md`")?;
        let is_plain = !uri.contains(['?', '#']) && uri.len() <= MAX_URI;
        if !is_plain || !root.ends_with(&format!("/{name}/")) {
            return Err("its `uri` does not match its name");
        }
        let resources = match value.remove("resources") {
            Some(Value::Array(resources)) if resources.len() <= MAX_FILES => resources,
            Some(Value::Array(_)) => return Err("it has more than 512 files"),
            Some(Value::String(dynamic)) if dynamic == "dynamic" => {
                return Err("its files have no digests (`dynamic`), so they cannot be verified");
            }
            _ => return Err("its list of files is not an array"),
        };
        let files = resources.iter().map(|file| ListedFile::read(file, root));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let mut seen = HashSet::new();
        if !files.iter().all(|file| seen.insert(file.path.as_str())) {
            return Err("it lists a file twice");
        }
        if !seen.contains(SKILL_MD) {
            return Err("it does not list its own `SKILL.md`");
        }
        let total = files.iter().try_fold(0_u64, |total, file| total.checked_add(file.size));
        if total.is_none_or(|total| total > MAX_SKILL_BYTES) {
            return Err("it is larger than 16 MiB");
        }
        Ok(Self { name, description, frontmatter, files, uri })
    }

    /// Returns the file at a path within the skill.
    pub(super) fn find_file(&self, path: &str) -> Option<&ListedFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

impl ListedFile {
    fn read(value: &Value, root: &str) -> Result<Self, &'static str> {
        let uri = value["uri"].as_str().filter(|uri| uri.len() <= MAX_URI);
        let uri = uri.ok_or("one of its files has no valid `uri`")?;
        let inside = uri.strip_prefix(root).ok_or("one of its files is outside the skill")?;
        let path = resolve_path(inside)
            .ok_or("the `uri` of one of its files is not a path within the skill")?;
        let digest = value["digest"].as_str().unwrap_or_default();
        let hex = digest.strip_prefix("sha256:").unwrap_or_default();
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if hex.len() != 64 || !hex.bytes().all(is_hex) {
            return Err(
                "the digest of one of its files is not `sha256:` and 64 lowercase hexadecimal digits",
            );
        }
        let size = value["size"].as_u64().ok_or("one of its files has no size")?;
        Ok(Self { path, uri: uri.to_owned(), digest: digest.to_owned(), size })
    }
}

/// Returns the path at the end of a URI, or `None` if it leaves the skill or is ambiguous.
fn resolve_path(inside: &str) -> Option<String> {
    if inside.contains(['?', '#']) {
        return None;
    }
    let path = decode_path(inside)?;
    let is_plain = |segment: &str| !matches!(segment, "" | "." | "..");
    let is_legal = |c: char| !c.is_control() && c != '\\';
    (path.split('/').all(is_plain) && path.chars().all(is_legal)).then_some(path)
}

/// Percent-decodes a string; an encoded slash is rejected.
fn decode_path(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let hex = std::str::from_utf8(after.get(..2)?).ok()?;
        let value = u8::from_str_radix(hex, 16).ok().filter(|value| *value != b'/')?;
        bytes.push(value);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(edit: impl FnOnce(&mut Value)) -> Result<Entry, &'static str> {
        let digest = genkit_skills::sha256_digest(b"x");
        let mut value = json!({
            "uri": "skill://a/SKILL.md",
            "frontmatter": {"name": "a", "description": "d"},
            "resources": [{"uri": "skill://a/SKILL.md", "digest": digest, "size": 1}],
        });
        edit(&mut value);
        Entry::read(value)
    }

    fn with_file(uri: &str, size: u64) -> Result<Entry, &'static str> {
        let file = json!({"uri": uri, "digest": genkit_skills::sha256_digest(b"y"), "size": size});
        entry(|value| value["resources"].as_array_mut().unwrap().push(file))
    }

    #[test]
    fn sound_entry_is_read() {
        assert_eq!(entry(|_| ()).unwrap().name, "a");
        let entry = with_file("skill://a/my%20x.md", 7).unwrap();
        assert_eq!(entry.find_file("my x.md").map(|file| file.size), Some(7));
    }

    #[test]
    fn path_that_leaves_the_skill_is_rejected_however_it_is_written() {
        for path in [
            "../b/x.md",
            "x/../../y",
            "..%2fx",
            "%2e%2e/x",
            ".%2E/x",
            "x//y",
            "x/",
            "./x",
            "x%5cy",
            "x?y",
            "x#y",
            "%zz",
            "%0a",
            "%ff",
        ] {
            assert!(with_file(&format!("skill://a/{path}"), 1).is_err(), "{path}");
        }
        assert!(with_file("skill://b/x.md", 1).is_err());
        assert!(with_file("skill://ab/x.md", 1).is_err());
        assert!(with_file("file:///etc/passwd", 1).is_err());
    }

    #[test]
    fn long_description_is_truncated() {
        let read = entry(|value| value["frontmatter"]["description"] = "x".repeat(1025).into());
        assert_eq!(read.unwrap().description.chars().count(), 1024);
    }

    #[test]
    fn oversized_or_malformed_entry_is_rejected() {
        assert!(with_file("skill://a/x", 16 * 1024 * 1024).is_err());
        assert!(with_file("skill://a/x", u64::MAX).is_err());
        assert!(with_file("skill://a/SKILL.md", 1).is_err(), "twice");
        assert!(with_file("skill://a/SKILL%2Emd", 1).is_err(), "twice in another spelling");
        for (at, wrong) in [
            ("/uri", json!("skill://b/SKILL.md")),
            ("/uri", json!("skill://a/SKILL.md?x")),
            ("/frontmatter", json!([])),
            ("/frontmatter/name", json!("A")),
            ("/frontmatter/description", json!(" ")),
            ("/resources", json!("dynamic")),
            ("/resources", json!([])),
            ("/resources", json!(vec![json!({}); 513])),
            ("/resources/0/digest", json!("SHA256:AA")),
            ("/resources/0/size", json!(-1)),
            ("/resources/0/size", json!("1")),
        ] {
            let read = entry(|value| *value.pointer_mut(at).unwrap() = wrong.clone());
            assert!(read.is_err(), "{at}: {wrong}");
        }
    }
}
