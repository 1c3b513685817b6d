//! The operations of a document, including those that cannot become tools.

use std::fmt;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::document::{ApiDocument, Checked, escape_text};

/// The maximum number of operations in a document. Default is 5,000.
const MAX_OPERATIONS: usize = 5000;

/// The methods that are supported for tools.
const METHODS: [&str; 6] = ["get", "head", "put", "post", "patch", "delete"];

/// The fields of a path item that are not operations.
const OTHERS: [&str; 5] = ["summary", "description", "servers", "parameters", "$ref"];

/// An operation of a document, for [`filter`](crate::OpenApi::filter) and
/// [`needs_approval`](crate::OpenApi::needs_approval).
///
/// ```
/// let tools = genkit_openapi::tools_from_openapi(
///     r#"{"openapi": "3.1.0", "paths": {
///         "/pets": {"get": {"operationId": "listPets", "tags": ["pets"]}},
///         "/pets/{id}": {"delete": {"deprecated": true}}
///     }}"#,
///     genkit_openapi::reqwest::Client::builder(),
/// )
/// .base_url("https://api.example.com")
/// .filter(|operation| {
///     assert!(["GET", "DELETE"].contains(&operation.method()) && operation.path().starts_with("/pets"));
///     !operation.is_deprecated()
/// })
/// .build()?;
/// assert_eq!(tools.names().collect::<Vec<_>>(), ["listPets"]);
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Operation<'d> {
    pub(crate) method: &'static str,
    pub(crate) path: &'d str,
    pub(crate) item: &'d Value,
    pub(crate) value: &'d Value,
}

impl<'d> Operation<'d> {
    /// Returns the method: `GET`, `HEAD`, `PUT`, `POST`, `PATCH` or `DELETE`.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Returns the path with its placeholders, such as `/pets/{id}`.
    pub fn path(&self) -> &'d str {
        self.path
    }

    /// Returns the `operationId`, as written in the document.
    pub fn id(&self) -> Option<&'d str> {
        self.value.get("operationId").and_then(Value::as_str)
    }

    /// Returns the tags.
    pub fn tags(&self) -> impl Iterator<Item = &'d str> {
        self.value
            .get("tags")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Returns whether the document marks the operation as deprecated.
    pub fn is_deprecated(&self) -> bool {
        self.value.get("deprecated") == Some(&Value::Bool(true))
    }

    /// Returns whether its method is read-only: `GET` or `HEAD`.
    pub fn is_read_only(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    /// Returns a label for messages, such as `GET /pets/{id}`.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.method, escape_text(self.path))
    }

    /// Returns whether `name` refers to this operation.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        let is_line = || {
            let (method, path) = name.split_once(' ')?;
            Some(method.eq_ignore_ascii_case(self.method) && path.trim() == self.path)
        };
        self.id() == Some(name) || is_line().unwrap_or(false)
    }

    /// Returns the servers that apply only to this operation.
    pub(crate) fn own_servers(&self) -> Option<&'d Value> {
        self.value.get("servers").or_else(|| self.item.get("servers"))
    }
}

impl fmt::Debug for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

/// An operation that did not become a tool, or a parameter of one that did not become an argument, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The operation, such as `POST /photos`.
    pub operation: String,
    /// The reason why it was left out, and a remedy.
    pub reason: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.reason)
    }
}

/// Returns all operations in the order of the document, and records those that cannot become tools.
pub(crate) fn operations<'d>(
    document: &'d ApiDocument,
    left_out: &mut Vec<LeftOut>,
) -> genkit::Result<Vec<Operation<'d>>> {
    let mut operations = Vec::new();
    let paths = document.root().get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-")) {
        let item = match check_operation(document, path, item) {
            Ok(item) => item,
            Err(reason) => {
                left_out.push(LeftOut { operation: escape_text(path), reason });
                continue;
            }
        };
        for (key, value) in item.as_object().into_iter().flatten() {
            let method = METHODS.iter().find(|method| *method == key);
            match method.and_then(|method| upper(method)).filter(|_| value.is_object()) {
                Some(method) => operations.push(Operation { method, path, item, value }),
                None if OTHERS.contains(&key.as_str()) || key.starts_with("x-") => {}
                None => left_out.push(LeftOut {
                    operation: format!("{} {}", escape_text(&key.to_uppercase()), escape_text(path)),
                    reason: "only GET, HEAD, PUT, POST, PATCH and DELETE become tools; write one by hand".to_owned(),
                }),
            }
            if operations.len() > MAX_OPERATIONS {
                return Err(genkit::Error::invalid_argument(format!(
                    "the OpenAPI document has more than {MAX_OPERATIONS} operations; keep only the paths that you need"
                )));
            }
        }
    }
    Ok(operations)
}

fn upper(method: &str) -> Option<&'static str> {
    ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"]
        .into_iter()
        .find(|upper| upper.eq_ignore_ascii_case(method))
}

fn check_operation<'d>(
    document: &'d ApiDocument,
    path: &str,
    item: &'d Value,
) -> Checked<&'d Value> {
    if !path.starts_with('/') {
        return Err("its path must begin with `/`; correct it in the document".to_owned());
    }
    if path.contains(['?', '\\']) || path.chars().any(char::is_control) {
        return Err("its path contains a `?`, a `\\` or a control character; describe a query as parameters".to_owned());
    }
    if leads_elsewhere(path) {
        return Err("its path has a segment `.` or `..`; write the resolved path".to_owned());
    }
    document.resolve(item)
}

/// The maximum number of times that a path is percent-decoded. Default is 8.
const MAX_ENCODINGS: usize = 8;

/// Returns whether a segment of the path is `.` or `..` after any number of percent-decodings. Servers and proxies
/// differ in how many times they decode a path.
pub(crate) fn leads_elsewhere(path: &str) -> bool {
    let mut path = path.to_owned();
    for _ in 0..MAX_ENCODINGS {
        let mut segments = path.split(['/', '\\']);
        // Some servers cut off parameters such as `;v=1` before they resolve a segment.
        if segments.any(|it| matches!(it.split(';').next(), Some("." | ".."))) {
            return true;
        }
        let decoded = percent_decode_str(&path).decode_utf8_lossy().into_owned();
        if decoded == path {
            return false;
        }
        path = decoded;
    }
    true
}
