//! A document: read from text or a value, bounded, and its `$ref`s inside of itself.

use genkit::{Error, Result};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// How large a document may be, in bytes of text. Default is 16 MiB.
pub(crate) const MAX_DOCUMENT: usize = 16 * 1024 * 1024;

/// How many values there may be in a document. Default is 1,000,000.
const MAX_VALUES: usize = 1_000_000;

/// How deep a document may be. Default is 128.
const MAX_DEPTH: usize = 128;

/// Over how many others a `$ref` may lead to what it means. Default is 16.
const MAX_HOPS: usize = 16;

/// What could be read, or why not: a sentence that names the remedy.
pub(crate) type Checked<T> = std::result::Result<T, String>;

/// OpenAPI document as it is given: JSON or YAML as text, or a value that is read already.
///
/// ```
/// use genkit_openapi::Spec;
///
/// let text = Spec::from(r#"{"openapi": "3.1.0", "paths": {}}"#);
/// let value = Spec::from(serde_json::json!({"openapi": "3.1.0", "paths": {}}));
/// # let _ = (text, value);
/// ```
#[derive(Clone)]
pub struct Spec(Unread);

#[derive(Clone)]
enum Unread {
    Text(String),
    Value(Value),
}

impl From<&str> for Spec {
    fn from(text: &str) -> Self {
        Self(Unread::Text(text.to_owned()))
    }
}

impl From<String> for Spec {
    fn from(text: String) -> Self {
        Self(Unread::Text(text))
    }
}

impl From<Value> for Spec {
    fn from(value: Value) -> Self {
        Self(Unread::Value(value))
    }
}

impl From<&Value> for Spec {
    fn from(value: &Value) -> Self {
        Self(Unread::Value(value.clone()))
    }
}

/// A document of a version that is known.
pub(crate) struct ApiDocument {
    root: Value,
    /// Whether schemas are those of OpenAPI 3.0, not JSON Schema 2020-12.
    pub(crate) is_3_0: bool,
}

impl ApiDocument {
    pub(crate) fn read(spec: Spec) -> Result<Self> {
        let root = match spec.0 {
            Unread::Value(value) => value,
            Unread::Text(text) => parse_document(&text)?,
        };
        check_bounds(&root)?;
        let is_3_0 = match openapi_version(&root) {
            Some(version) if is_minor(version, "3.0") => true,
            Some(version) if ["3.1", "3.2"].iter().any(|known| is_minor(version, known)) => false,
            _ if root.get("swagger").is_some() => {
                return Err(Error::invalid_argument(
                    "this is a document of Swagger 2.0, and read are OpenAPI 3.0 and later: convert it first, for \
                     example with the program `swagger2openapi`",
                ));
            }
            _ => {
                return Err(Error::invalid_argument(
                    "this is no OpenAPI document: at its top there is no `openapi: 3.0.x`, `3.1.x` or `3.2.x`",
                ));
            }
        };
        if !root.get("paths").is_some_and(Value::is_object) {
            return Err(Error::invalid_argument("the OpenAPI document has no `paths`"));
        }
        Ok(Self { root, is_3_0 })
    }

    pub(crate) fn root_value(&self) -> &Value {
        &self.root
    }

    /// What stands at a `$ref`, which must be inside of the document.
    pub(crate) fn find_reference(&self, reference: &str) -> Checked<&Value> {
        let outside = || {
            format!(
                "`$ref: {}` leads out of the document, and nothing else is loaded: bundle all files into one first",
                quote_text(reference)
            )
        };
        let pointer = reference.strip_prefix('#').ok_or_else(outside)?;
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(format!(
                "`$ref: {}` names an anchor: write where it stands",
                quote_text(reference)
            ));
        }
        self.root.pointer(&pointer).ok_or_else(|| {
            format!(
                "`$ref: {}` leads to nothing: correct it in the document",
                quote_text(reference)
            )
        })
    }

    /// The value itself, or what its `$ref` means.
    pub(crate) fn resolve_value<'v>(&'v self, mut value: &'v Value) -> Checked<&'v Value> {
        for _ in 0..MAX_HOPS {
            match value.get("$ref").and_then(Value::as_str) {
                Some(reference) => value = self.find_reference(reference)?,
                None => return Ok(value),
            }
        }
        Err(format!(
            "a `$ref` leads over more than {MAX_HOPS} others, perhaps to itself: shorten the way"
        ))
    }
}

/// Words of the document in a message: short, and in one line.
pub(crate) fn quote_text(text: &str) -> String {
    let mut shown: String = text.chars().take(120).flat_map(char::escape_debug).collect();
    if text.chars().nth(120).is_some() {
        shown.push('…');
    }
    shown
}

fn openapi_version(root: &Value) -> Option<&str> {
    root.get("openapi")?.as_str()
}

fn is_minor(version: &str, minor: &str) -> bool {
    version.strip_prefix(minor).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn parse_document(text: &str) -> Result<Value> {
    if text.len() > MAX_DOCUMENT {
        return Err(Error::invalid_argument(format!(
            "the OpenAPI document has {} bytes, over {MAX_DOCUMENT}: keep only the paths that are wanted",
            text.len()
        )));
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            Error::invalid_argument(format!("the OpenAPI document is no JSON: {error}"))
        });
    }
    parse_yaml(text)
}

#[cfg(feature = "yaml")]
fn parse_yaml(text: &str) -> Result<Value> {
    let read = genkit_dotprompt::yaml_within(text, MAX_VALUES, MAX_DOCUMENT);
    read.map(Value::Object).map_err(|error| {
        // Its words are for prompts.
        let why = error.to_string().replace("the frontmatter", "the document");
        Error::invalid_argument(format!("the OpenAPI document cannot be read as YAML: {why}"))
    })
}

#[cfg(not(feature = "yaml"))]
fn parse_yaml(_: &str) -> Result<Value> {
    Err(Error::invalid_argument(
        "the OpenAPI document does not begin with `{`: YAML is read with the feature `yaml` of genkit-openapi",
    ))
}

/// Looks at the size and depth of a value, without recursion.
fn check_bounds(root: &Value) -> Result<()> {
    let mut open = vec![(root, 1)];
    let mut values = 0;
    while let Some((value, depth)) = open.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(Error::invalid_argument(format!(
                "the OpenAPI document is deeper than {MAX_DEPTH}: move inner schemas to `components` and name them by `$ref`"
            )));
        }
        if values > MAX_VALUES {
            return Err(Error::invalid_argument(format!(
                "the OpenAPI document has over {MAX_VALUES} values: keep only the paths that are wanted"
            )));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
