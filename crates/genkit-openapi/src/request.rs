//! The HTTP request of a tool call: writes each argument to the path, the query, a header, a cookie or the body.

use genkit::{Error, Result};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::body::{BodyForm, MemberEncoding, RequestBody};
use crate::document::{Checked, escape_text};
use crate::input::{OwnParameters, Parameter, ParameterLocation, is_same_name};
use crate::operation::{Operation, has_dot_segment};
use crate::style::{Serialization, encoded, literal, text};

/// The maximum length of the URL of a request, in bytes. Default is 16 KiB.
const MAX_URL: usize = 16 * 1024;

/// The template for the requests of an operation.
#[derive(Debug)]
pub(crate) struct OperationRequest {
    pub(crate) label: String,
    pub(crate) method: reqwest::Method,
    path: Vec<PathPiece>,
    arguments: Vec<Parameter>,
    body: Option<RequestBody>,
}

#[derive(Debug)]
enum PathPiece {
    Literal(String),
    /// The index of an argument.
    Argument(usize),
}

/// A complete request, except for the headers that the program sets.
pub(crate) struct FilledRequest {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl OperationRequest {
    pub(crate) fn new(
        operation: &Operation<'_>,
        arguments: Vec<Parameter>,
        body: Option<RequestBody>,
    ) -> Checked<Self> {
        let path = pieces(operation.path(), &arguments)?;
        let used = |at: usize| {
            path.iter().any(|piece| matches!(piece, PathPiece::Argument(it) if *it == at))
        };
        let unused = (0..arguments.len())
            .find(|at| arguments[*at].place == ParameterLocation::Path && !used(*at));
        if let Some(at) = unused {
            return Err(format!(
                "its path has no placeholder for the parameter `{}`; correct it in the document",
                escape_text(&arguments[at].name)
            ));
        }
        let method = operation.method().parse().map_err(|_| "its method is unknown".to_owned())?;
        Ok(Self { label: operation.label(), method, path, arguments, body })
    }

    /// Creates the request for the given arguments.
    pub(crate) fn fill(
        &self,
        base: &Url,
        own: &OwnParameters<'_>,
        input: &Map<String, Value>,
    ) -> Result<FilledRequest> {
        let mut headers = HeaderMap::new();
        let (mut query, mut cookies) = (Vec::new(), Vec::new());
        for argument in &self.arguments {
            let Some(value) = input.get(&argument.key) else { continue };
            // An optional argument that is null is not sent.
            if value.is_null() || argument.place == ParameterLocation::Path {
                continue;
            }
            self.check_members(argument, value, own)?;
            let pairs = || match argument.writing {
                Some(writing) => writing.pairs(&argument.name, value),
                None => vec![(encoded(&argument.name), encoded(&value.to_string()))],
            };
            match argument.place {
                ParameterLocation::Query => query.extend(pairs()),
                ParameterLocation::Cookie => cookies.extend(pairs()),
                _ => {
                    let (name, value) = header(argument, value)?;
                    headers.insert(name, value);
                }
            }
        }
        query.extend(own.query.iter().map(|(name, value)| (encoded(name), encoded(value))));
        if !cookies.is_empty() {
            let cookies: Vec<_> =
                cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let cookies = HeaderValue::try_from(cookies.join("; "));
            headers.insert(
                COOKIE,
                cookies.map_err(|_| Error::invalid_argument("the cookies cannot be sent"))?,
            );
        }
        let url = self.url(base, &query, input)?;
        let body = self.body(input, &mut headers)?;
        Ok(FilledRequest { url, headers, body })
    }

    /// Rejects members of an object that become separate parameters and have the name of another parameter. Such a
    /// parameter can be set only by the program or by its own argument.
    fn check_members(
        &self,
        argument: &Parameter,
        value: &Value,
        own: &OwnParameters<'_>,
    ) -> Result<()> {
        let Value::Object(members) = value else { return Ok(()) };
        if !argument.writing.is_some_and(Serialization::spreads_members) {
            return Ok(());
        }
        for name in members.keys() {
            let is_argument = self.arguments.iter().any(|other| {
                other.place == argument.place
                    && other.name != argument.name
                    && is_same_name(&other.name, name)
            });
            if is_argument || own.has(argument.place, name) {
                return Err(Error::invalid_argument(format!(
                    "`{}` must not contain `{}`, which is a separate parameter; leave it out",
                    argument.key,
                    escape_text(name)
                )));
            }
        }
        Ok(())
    }

    fn url(
        &self,
        base: &Url,
        query: &[(String, String)],
        input: &Map<String, Value>,
    ) -> Result<Url> {
        let mut path = String::new();
        for piece in &self.path {
            match piece {
                PathPiece::Literal(text) => path.push_str(text),
                PathPiece::Argument(at) => path.push_str(&in_path(&self.arguments[*at], input)?),
            }
        }
        if has_dot_segment(&path) {
            return Err(Error::invalid_argument(
                "a path segment must not be `.` or `..`; pass another value",
            ));
        }
        let mut whole = format!("{}{path}", base.as_str().trim_end_matches('/'));
        for (at, (name, value)) in query.iter().enumerate() {
            whole.push(if at == 0 { '?' } else { '&' });
            whole.push_str(name);
            whole.push('=');
            whole.push_str(value);
        }
        if whole.len() > MAX_URL {
            return Err(Error::invalid_argument(format!(
                "the resulting URL is {} bytes long, but the limit is {MAX_URL}; pass fewer or shorter values",
                whole.len()
            )));
        }
        let url = Url::parse(&whole).ok().filter(|url| {
            url.origin() == base.origin()
                && url.path().starts_with(base.path().trim_end_matches('/'))
        });
        url.ok_or_else(|| {
            Error::invalid_argument("the arguments do not result in a URL of this API")
        })
    }

    fn body(&self, input: &Map<String, Value>, headers: &mut HeaderMap) -> Result<Option<Vec<u8>>> {
        let Some((body, value)) =
            self.body.as_ref().and_then(|body| Some((body, input.get("body")?)))
        else {
            return Ok(None);
        };
        headers.insert(CONTENT_TYPE, body.media_type.clone());
        Ok(Some(match (body.form, value) {
            (BodyForm::Json, value) => value.to_string().into_bytes(),
            (BodyForm::Text, value) => text(value).into_owned().into_bytes(),
            (BodyForm::Form, Value::Object(members)) => {
                let filled = members.iter().filter(|(_, value)| !value.is_null());
                let pairs = filled.flat_map(|(name, value)| match body.encodings.get(name) {
                    Some(MemberEncoding::Styled(writing)) => writing.pairs(name, value),
                    Some(MemberEncoding::Json) => json_pair(name, value),
                    // According to the specification, an object in a form is sent as JSON.
                    None if value.is_object() => json_pair(name, value),
                    None => Serialization::FORM.pairs(name, value),
                });
                let pairs: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
                pairs.join("&").into_bytes()
            }
            (BodyForm::Form, _) => {
                return Err(Error::invalid_argument(
                    "`body` must be an object, because it is sent as a form",
                ));
            }
        }))
    }
}

fn json_pair(name: &str, value: &Value) -> Vec<(String, String)> {
    vec![(encoded(name), encoded(&value.to_string()))]
}

/// Splits a path into literal pieces and placeholders. Each placeholder needs a parameter.
fn pieces(path: &str, arguments: &[Parameter]) -> Checked<Vec<PathPiece>> {
    let mut pieces = Vec::new();
    // A fragment only distinguishes operations in the document, and is never sent.
    let mut rest = path.split('#').next().unwrap_or_default();
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after
            .split_once('}')
            .ok_or("a `{` in its path is not closed; correct it in the document")?;
        let at = arguments
            .iter()
            .position(|argument| argument.place == ParameterLocation::Path && argument.name == name)
            .ok_or_else(|| {
                format!(
                    "no parameter describes `{{{}}}` in its path; add one to the document",
                    escape_text(name)
                )
            })?;
        if !before.is_empty() {
            pieces.push(PathPiece::Literal(literal(before)));
        }
        pieces.push(PathPiece::Argument(at));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(PathPiece::Literal(literal(rest)));
    }
    Ok(pieces)
}

fn in_path(argument: &Parameter, input: &Map<String, Value>) -> Result<String> {
    let value = input.get(&argument.key).unwrap_or(&Value::Null);
    let is_empty = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    if is_empty {
        return Err(Error::invalid_argument(format!(
            "`{}` must not be empty, because it is part of the path",
            argument.key
        )));
    }
    Ok(match argument.writing {
        Some(writing) => writing.in_path(&argument.name, value),
        None => encoded(&value.to_string()),
    })
}

fn header(argument: &Parameter, value: &Value) -> Result<(HeaderName, HeaderValue)> {
    let written = match argument.writing {
        Some(writing) => writing.in_header(value),
        None => value.to_string(),
    };
    let name = HeaderName::from_bytes(argument.name.as_bytes());
    let value = HeaderValue::from_str(&written);
    match (name, value) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        _ => Err(Error::invalid_argument(format!(
            "`{}` is sent as a header; use printable ASCII on one line",
            argument.key
        ))),
    }
}
