//! An OpenAPI document: reading it from text or a value, within limits, and resolving its references.

use genkit::{Error, Result};
use genkit_core::internal::bounded_json::has_more_values;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The maximum size of a document, in bytes of text. Default is 16 MiB.
pub(crate) const MAX_DOCUMENT: usize = 16 * 1024 * 1024;

/// The maximum number of values in a document. Default is 1,000,000.
const MAX_VALUES: usize = 1_000_000;

/// The maximum nesting depth of a document. Default is 128.
const MAX_DEPTH: usize = 128;

/// The maximum length of a chain of `$ref`s. Default is 16.
const MAX_HOPS: usize = 16;

/// The result of reading a part of a document. The error is a message with the remedy.
pub(crate) type Checked<T> = std::result::Result<T, String>;

/// An OpenAPI document: JSON or YAML as text, or a parsed value.
///
/// ```
/// use genkit_openapi::Spec;
///
/// let text = Spec::from(r#"{"openapi": "3.1.0", "paths": {}}"#);
/// let value = Spec::from(serde_json::json!({"openapi": "3.1.0", "paths": {}}));
/// # let _ = (text, value);
/// ```
#[derive(Clone)]
pub struct Spec(SpecSource);

#[derive(Clone)]
enum SpecSource {
    Text(String),
    Value(Value),
}

impl From<&str> for Spec {
    fn from(text: &str) -> Self {
        Self(SpecSource::Text(text.to_owned()))
    }
}

impl From<String> for Spec {
    fn from(text: String) -> Self {
        Self(SpecSource::Text(text))
    }
}

impl From<Value> for Spec {
    fn from(value: Value) -> Self {
        Self(SpecSource::Value(value))
    }
}

impl From<&Value> for Spec {
    fn from(value: &Value) -> Self {
        Self(SpecSource::Value(value.clone()))
    }
}

/// A document with a supported version.
pub(crate) struct ApiDocument {
    root: Value,
    /// Whether schemas follow OpenAPI 3.0, rather than JSON Schema 2020-12.
    pub(crate) is_3_0: bool,
}

impl ApiDocument {
    pub(crate) fn read(spec: Spec) -> Result<Self> {
        let mut root = match spec.0 {
            SpecSource::Value(value) => value,
            SpecSource::Text(text) => parse_document(&text)?,
        };
        check_bounds(&root)?;
        restore_texts(&mut root);
        let is_3_0 = match version(&root) {
            Some(version) if is_minor(version, "3.0") => true,
            Some(version) if ["3.1", "3.2"].iter().any(|known| is_minor(version, known)) => false,
            _ if root.get("swagger").is_some() => {
                return Err(Error::invalid_argument(
                    "Swagger 2.0 is not supported, only OpenAPI 3.0 and later; convert the document first, for \
                     example with `swagger2openapi`",
                ));
            }
            _ => {
                return Err(Error::invalid_argument(
                    "unsupported OpenAPI document; expected `openapi: 3.0.x`, `3.1.x` or `3.2.x` at its top level",
                ));
            }
        };
        if !root.get("paths").is_some_and(Value::is_object) {
            return Err(Error::invalid_argument("the OpenAPI document has no `paths`"));
        }
        Ok(Self { root, is_3_0 })
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// Returns the target of a `$ref`, which must be in the document.
    pub(crate) fn at(&self, reference: &str) -> Checked<&Value> {
        let outside = || {
            format!(
                "`$ref: {}` refers to another document, which is not loaded; bundle all files into one",
                escape_text(reference)
            )
        };
        let pointer = reference.strip_prefix('#').ok_or_else(outside)?;
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(format!(
                "`$ref: {}` refers to an anchor, which is not supported; use a JSON pointer",
                escape_text(reference)
            ));
        }
        self.root.pointer(&pointer).ok_or_else(|| {
            format!(
                "`$ref: {}` refers to nothing; correct it in the document",
                escape_text(reference)
            )
        })
    }

    /// Returns the value itself, or the value that its `$ref` refers to.
    pub(crate) fn resolve<'v>(&'v self, mut value: &'v Value) -> Checked<&'v Value> {
        for _ in 0..MAX_HOPS {
            match value.get("$ref").and_then(Value::as_str) {
                Some(reference) => value = self.at(reference)?,
                None => return Ok(value),
            }
        }
        Err(format!(
            "a chain of `$ref`s is longer than {MAX_HOPS}, perhaps because it is circular; shorten it"
        ))
    }
}

/// Formats text of the document for a message: truncated, and on one line.
pub(crate) fn escape_text(text: &str) -> String {
    let mut escaped: String = text.chars().take(120).flat_map(char::escape_debug).collect();
    if text.chars().nth(120).is_some() {
        escaped.push('…');
    }
    escaped
}

fn version(root: &Value) -> Option<&str> {
    root.get("openapi")?.as_str()
}

/// The members of a document that are text.
const TEXTS: [&str; 9] =
    ["openapi", "operationId", "name", "in", "style", "summary", "description", "title", "url"];

/// The members that contain values of the API, which are kept unchanged.
const VALUES: [&str; 5] = ["default", "example", "examples", "enum", "const"];

/// Converts scalars to text in members that must be text. YAML reads `operationId: 404` as a number.
fn restore_texts(root: &mut Value) {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let is_scalar = |value: &Value| value.is_number() || value.is_boolean();
                    if TEXTS.contains(&name.as_str()) && is_scalar(member) {
                        *member = Value::String(member.to_string());
                    }
                    if name == "tags" {
                        let tags = member.as_array_mut().into_iter().flatten();
                        tags.filter(|tag| is_scalar(tag))
                            .for_each(|tag| *tag = Value::String(tag.to_string()));
                    }
                    if !VALUES.contains(&name.as_str()) {
                        open.push(member);
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

fn is_minor(version: &str, minor: &str) -> bool {
    version.strip_prefix(minor).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn parse_document(text: &str) -> Result<Value> {
    if text.len() > MAX_DOCUMENT {
        return Err(Error::invalid_argument(format!(
            "the OpenAPI document is {} bytes long, but the limit is {MAX_DOCUMENT}; keep only the paths that you \
             need",
            text.len()
        )));
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        // Count the values before they are built. `check_bounds` counts those of all documents, also YAML and values.
        if has_more_values(text.as_bytes(), MAX_VALUES) {
            return Err(too_many_values());
        }
        return serde_json::from_str(text).map_err(|error| {
            Error::invalid_argument(format!("the OpenAPI document is not valid JSON: {error}"))
        });
    }
    yaml(text)
}

#[cfg(feature = "yaml")]
fn yaml(text: &str) -> Result<Value> {
    let read = genkit_dotprompt::yaml_within(text, MAX_VALUES, MAX_DOCUMENT);
    read.map(Value::Object).map_err(|error| {
        // The parser is written for prompt files, so its message mentions the frontmatter.
        let why = error.to_string().replace("the frontmatter", "the document");
        Error::invalid_argument(format!("the OpenAPI document cannot be read as YAML: {why}"))
    })
}

#[cfg(not(feature = "yaml"))]
fn yaml(_: &str) -> Result<Value> {
    Err(Error::invalid_argument(
        "the OpenAPI document does not begin with `{`; to read YAML, enable the feature `yaml` of genkit-openapi",
    ))
}

fn too_many_values() -> Error {
    Error::invalid_argument(format!(
        "the OpenAPI document has more than {MAX_VALUES} values; keep only the paths that you need"
    ))
}

/// Checks the size and the depth of a value, without recursion.
fn check_bounds(root: &Value) -> Result<()> {
    let mut open = vec![(root, 1)];
    let mut values = 0;
    while let Some((value, depth)) = open.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(Error::invalid_argument(format!(
                "the OpenAPI document is nested more than {MAX_DEPTH} deep; move inner schemas to `components` and refer to them with `$ref`"
            )));
        }
        if values > MAX_VALUES {
            return Err(too_many_values());
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
