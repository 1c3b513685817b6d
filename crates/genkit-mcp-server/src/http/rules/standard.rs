//! Headers that repeat parts of the body, so that proxies can route by them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use serde_json::Value;

use super::{DESCRIBED, HeaderError, HeaderParameter, RequestOutline, VERSION};

/// The header that repeats the method.
const METHOD: &str = "mcp-method";

/// The header that repeats the name or the URI of the requested item.
const NAME: &str = "mcp-name";

/// The delimiters of a value that a header cannot contain unencoded.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Checks these headers, if the protocol version defines them. `parameters` returns the header parameters of
/// the called tool.
pub(in super::super) fn check_standard<P: AsRef<[HeaderParameter]>>(
    headers: &HeaderMap,
    asked: RequestOutline<'_>,
    parameters: impl FnOnce(&str) -> P,
) -> Result<(), HeaderError> {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    let Some(method) = asked.method else { return Ok(()) };
    if version.is_none_or(|version| version < DESCRIBED) {
        return Ok(());
    }
    match (only_value(headers, METHOD)?, method) {
        // When the client sends a handshake, the protocol version, and thus the required headers, are not
        // yet determined.
        (None, "initialize") if asked.is_request => return Ok(()),
        (None, _) => return Err(HeaderError::Missing(METHOD.to_owned())),
        (Some(said), method) if said != method => return Err(mismatch_error(METHOD, said, method)),
        (Some(_), _) => {}
    }
    let Some(name) = asked.params.routed_name(method) else { return Ok(()) };
    let said = only_value(headers, NAME)?.ok_or_else(|| HeaderError::Missing(NAME.to_owned()))?;
    let said = decode_value(NAME, said)?;
    if said != name {
        return Err(mismatch_error(NAME, &said, &name));
    }
    if method != "tools/call" {
        return Ok(());
    }
    let parameters = parameters(&name);
    if parameters.as_ref().is_empty() {
        return Ok(());
    }
    let arguments = asked.params.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok());
    check_parameters(headers, parameters.as_ref(), &arguments.unwrap_or_default())
}

fn check_parameters(
    headers: &HeaderMap,
    parameters: &[HeaderParameter],
    arguments: &Value,
) -> Result<(), HeaderError> {
    for HeaderParameter { path, header } in parameters {
        let meant =
            path.iter().try_fold(arguments, |value, key| value.get(key)).and_then(header_form);
        match (only_value(headers, header)?, meant) {
            (None, None) => {}
            (None, Some(_)) => return Err(HeaderError::Missing(header.clone())),
            (Some(_), None) => {
                let (header, argument) = (header.clone(), path.join("."));
                return Err(HeaderError::Unasked { header, argument });
            }
            (Some(said), Some(meant)) => {
                let said = decode_value(header, said)?;
                if said != meant {
                    return Err(mismatch_error(header, &said, &meant));
                }
            }
        }
    }
    Ok(())
}

/// Returns the text of a value in a header, or `None` if a header cannot contain the value.
fn header_form(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// Returns the only value of a header. If there are two, a proxy could have routed by either of them.
fn only_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, HeaderError> {
    let mut all = headers.get_all(name).iter();
    let Some(value) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(HeaderError::Twice(name.to_owned()));
    }
    value.to_str().map(Some).map_err(|_| HeaderError::NotText(name.to_owned()))
}

fn decode_value<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>, HeaderError> {
    let inner = value.strip_prefix(ENCODED.0).and_then(|rest| rest.strip_suffix(ENCODED.1));
    let Some(inner) = inner else { return Ok(Cow::Borrowed(value)) };
    let bytes = BASE64_STANDARD.decode(inner).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned).ok_or_else(|| HeaderError::InvalidBase64(name.to_owned()))
}

fn mismatch_error(header: &str, said: &str, meant: &str) -> HeaderError {
    let (header, said, meant) = (header.to_owned(), said.to_owned(), meant.to_owned());
    HeaderError::Differs { header, said, meant }
}
