//! A request: the arguments of a call, each in its place.

use genkit::{Error, Result};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::body::{BodyForm, RequestBody};
use crate::document::{Checked, quote_text};
use crate::input::{Parameter, ParameterPlace};
use crate::operation::{Operation, leads_elsewhere};
use crate::style::{ParameterEncoding, encode_literal, encode_text, value_text};

/// How long the address of a request may be, in bytes. Default is 16 KiB.
const MAX_URL: usize = 16 * 1024;

/// How an operation is asked.
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
    /// The place of an argument.
    Argument(usize),
}

/// A request that is ready, but for credentials.
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
        let path = split_path(operation.path(), &arguments)?;
        let used = |at: usize| {
            path.iter().any(|piece| matches!(piece, PathPiece::Argument(it) if *it == at))
        };
        let unused = (0..arguments.len())
            .find(|at| arguments[*at].place == ParameterPlace::Path && !used(*at));
        if let Some(at) = unused {
            return Err(format!(
                "its path has no place for the parameter `{}`: correct it in the document",
                quote_text(&arguments[at].name)
            ));
        }
        let method = operation.method().parse().map_err(|_| "its method is unknown".to_owned())?;
        Ok(Self { label: operation.operation_label(), method, path, arguments, body })
    }

    /// The request for these arguments.
    pub(crate) fn fill_route(
        &self,
        base: &Url,
        given: &[(String, String)],
        input: &Map<String, Value>,
    ) -> Result<FilledRequest> {
        let mut headers = HeaderMap::new();
        let (mut query, mut cookies) = (Vec::new(), Vec::new());
        for argument in &self.arguments {
            let Some(value) = input.get(&argument.key) else { continue };
            // What need not be there and is null is not there.
            if value.is_null() || argument.place == ParameterPlace::Path {
                continue;
            }
            let pairs = || match argument.writing {
                Some(writing) => writing.encode_pairs(&argument.name, value),
                None => vec![(encode_text(&argument.name), encode_text(&value.to_string()))],
            };
            match argument.place {
                ParameterPlace::Query => query.extend(pairs()),
                ParameterPlace::Cookie => cookies.extend(pairs()),
                _ => {
                    let (name, value) = encode_header(argument, value)?;
                    headers.insert(name, value);
                }
            }
        }
        query.extend(given.iter().map(|(name, value)| (encode_text(name), encode_text(value))));
        if !cookies.is_empty() {
            let cookies: Vec<_> =
                cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let cookies = HeaderValue::try_from(cookies.join("; "));
            headers.insert(
                COOKIE,
                cookies.map_err(|_| Error::invalid_argument("the cookies cannot be sent"))?,
            );
        }
        let url = self.request_url(base, &query, input)?;
        let body = self.request_body(input, &mut headers)?;
        Ok(FilledRequest { url, headers, body })
    }

    fn request_url(
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
        if leads_elsewhere(&path) {
            return Err(Error::invalid_argument(
                "a part of the path would be `.` or `..`, which leads elsewhere: give the value that is meant",
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
                "the arguments make an address of {} bytes, over {MAX_URL}: ask for less at once",
                whole.len()
            )));
        }
        let url = Url::parse(&whole).ok().filter(|url| {
            url.origin() == base.origin()
                && url.path().starts_with(base.path().trim_end_matches('/'))
        });
        url.ok_or_else(|| Error::invalid_argument("the arguments make no address of this API"))
    }

    fn request_body(
        &self,
        input: &Map<String, Value>,
        headers: &mut HeaderMap,
    ) -> Result<Option<Vec<u8>>> {
        let Some((body, value)) =
            self.body.as_ref().and_then(|body| Some((body, input.get("body")?)))
        else {
            return Ok(None);
        };
        headers.insert(CONTENT_TYPE, body.media_type.clone());
        Ok(Some(match (body.form, value) {
            (BodyForm::Json, value) => value.to_string().into_bytes(),
            (BodyForm::Text, value) => value_text(value).into_owned().into_bytes(),
            (BodyForm::Form, Value::Object(members)) => {
                let filled = members.iter().filter(|(_, value)| !value.is_null());
                let pairs = filled.flat_map(|(name, value)| match value {
                    // A value of a form that is an object is JSON, by the specification.
                    Value::Object(_) => vec![(encode_text(name), encode_text(&value.to_string()))],
                    value => ParameterEncoding::FORM.encode_pairs(name, value),
                });
                let pairs: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
                pairs.join("&").into_bytes()
            }
            (BodyForm::Form, _) => {
                return Err(Error::invalid_argument(
                    "`body` must be an object: it is sent as a form",
                ));
            }
        }))
    }
}

/// The literal pieces of a path and its placeholders, of which each needs a parameter.
fn split_path(path: &str, arguments: &[Parameter]) -> Checked<Vec<PathPiece>> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after
            .split_once('}')
            .ok_or("a `{` of its path is not closed: correct it in the document")?;
        let at = arguments
            .iter()
            .position(|argument| argument.place == ParameterPlace::Path && argument.name == name)
            .ok_or_else(|| {
                format!(
                    "no parameter describes `{{{}}}` of its path: add one to the document",
                    quote_text(name)
                )
            })?;
        if !before.is_empty() {
            pieces.push(PathPiece::Literal(encode_literal(before)));
        }
        pieces.push(PathPiece::Argument(at));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(PathPiece::Literal(encode_literal(rest)));
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
            "`{}` must not be empty: it is a part of the path",
            argument.key
        )));
    }
    Ok(match argument.writing {
        Some(writing) => writing.in_path(&argument.name, value),
        None => encode_text(&value.to_string()),
    })
}

fn encode_header(argument: &Parameter, value: &Value) -> Result<(HeaderName, HeaderValue)> {
    let written = match argument.writing {
        Some(writing) => writing.in_header(value),
        None => value.to_string(),
    };
    let name = HeaderName::from_bytes(argument.name.as_bytes());
    let value = HeaderValue::from_str(&written);
    match (name, value) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        _ => Err(Error::invalid_argument(format!(
            "`{}` goes into a header, which takes letters, digits and signs of ASCII in one line",
            argument.key
        ))),
    }
}
