//! Operations: what of a document a tool can be made of, and what not.

use std::fmt;

use serde_json::Value;

use crate::document::{ApiDocument, Checked, quote_text};

/// How many operations a document may have. Default is 5,000.
const MAX_OPERATIONS: usize = 5000;

/// The methods that a tool can have.
const METHODS: [&str; 6] = ["get", "head", "put", "post", "patch", "delete"];

/// What a path item has beside its operations.
const OTHERS: [&str; 5] = ["summary", "description", "servers", "parameters", "$ref"];

/// Operation of a document, for [`filter`](crate::OpenApi::filter) and
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
    /// `GET`, `HEAD`, `PUT`, `POST`, `PATCH` or `DELETE`.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path with its placeholders: `/pets/{id}`.
    pub fn path(&self) -> &'d str {
        self.path
    }

    /// The `operationId`, as the document has it.
    pub fn id(&self) -> Option<&'d str> {
        self.value.get("operationId").and_then(Value::as_str)
    }

    /// The tags.
    pub fn tags(&self) -> impl Iterator<Item = &'d str> {
        self.value
            .get("tags")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Whether the document says that it should not be used any more.
    pub fn is_deprecated(&self) -> bool {
        self.value.get("deprecated") == Some(&Value::Bool(true))
    }

    /// Whether its method changes nothing: `GET` and `HEAD`.
    pub fn is_read_only(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    /// `GET /pets/{id}`, for messages.
    pub(crate) fn operation_label(&self) -> String {
        format!("{} {}", self.method, quote_text(self.path))
    }

    /// Whether `name` means this one.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let is_line = || {
            let (method, path) = name.split_once(' ')?;
            Some(method.eq_ignore_ascii_case(self.method) && path.trim() == self.path)
        };
        self.id() == Some(name) || is_line().unwrap_or(false)
    }

    /// The servers that count for this operation alone.
    pub(crate) fn own_servers(&self) -> Option<&'d Value> {
        self.value.get("servers").or_else(|| self.item.get("servers"))
    }
}

impl fmt::Debug for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation_label())
    }
}

/// An operation that is no tool, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedOperation {
    /// The operation: `POST /photos`.
    pub operation: String,
    /// Reason: why it is no tool, and what would make it one.
    pub reason: String,
}

impl fmt::Display for SkippedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.reason)
    }
}

/// All operations, in the order of the document, and what is left out already.
pub(crate) fn list_operations<'d>(
    document: &'d ApiDocument,
    left_out: &mut Vec<SkippedOperation>,
) -> genkit::Result<Vec<Operation<'d>>> {
    let mut operations = Vec::new();
    let paths = document.root_value().get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-")) {
        let item = match check_path(document, path, item) {
            Ok(item) => item,
            Err(reason) => {
                left_out.push(SkippedOperation { operation: quote_text(path), reason });
                continue;
            }
        };
        for (key, value) in item.as_object().into_iter().flatten() {
            let method = METHODS.iter().find(|method| *method == key);
            match method.and_then(|method| uppercase_method(method)).filter(|_| value.is_object()) {
                Some(method) => operations.push(Operation { method, path, item, value }),
                None if OTHERS.contains(&key.as_str()) || key.starts_with("x-") => {}
                None => left_out.push(SkippedOperation {
                    operation: format!("{} {}", quote_text(&key.to_uppercase()), quote_text(path)),
                    reason: "only GET, HEAD, PUT, POST, PATCH and DELETE become tools: write one by hand".to_owned(),
                }),
            }
            if operations.len() > MAX_OPERATIONS {
                return Err(genkit::Error::invalid_argument(format!(
                    "the OpenAPI document has over {MAX_OPERATIONS} operations: keep only the paths that are wanted"
                )));
            }
        }
    }
    Ok(operations)
}

fn uppercase_method(method: &str) -> Option<&'static str> {
    ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"]
        .into_iter()
        .find(|upper| upper.eq_ignore_ascii_case(method))
}

fn check_path<'d>(document: &'d ApiDocument, path: &str, item: &'d Value) -> Checked<&'d Value> {
    if !path.starts_with('/') {
        return Err("a path begins with `/`: correct it in the document".to_owned());
    }
    if path.contains(['?', '#', '\\']) || path.chars().any(char::is_control) {
        return Err("its path has a `?`, a `#`, a `\\` or a control character: describe a query as parameters".to_owned());
    }
    if leads_elsewhere(path) {
        return Err("its path has a segment `.` or `..`: write the path that is meant".to_owned());
    }
    document.resolve_value(item)
}

/// Whether a segment of the path is `.` or `..`, encoded or not.
pub(crate) fn leads_elsewhere(path: &str) -> bool {
    path.split(['/', '\\']).any(|segment| {
        segment.len() <= 6
            && matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
    })
}
