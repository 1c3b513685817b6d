//! Request bodies: the supported media types, and the choice among the media types of a document.

use std::collections::HashMap;

use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use crate::document::{Checked, escape_text};
use crate::style::Serialization;

/// The encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyForm {
    Json,
    Form,
    Text,
}

#[derive(Debug)]
pub(crate) struct RequestBody {
    pub(crate) form: BodyForm,
    pub(crate) media_type: HeaderValue,
    /// The encodings of the members of a form, if the document specifies them.
    pub(crate) encodings: HashMap<String, MemberEncoding>,
}

/// The encoding of one member of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberEncoding {
    Json,
    Styled(Serialization),
}

/// Returns the encodings of the members of a form, from the Encoding Objects of its media type.
pub(crate) fn member_encodings(media: &Value) -> Checked<HashMap<String, MemberEncoding>> {
    let mut encodings = HashMap::new();
    for (name, encoding) in media.get("encoding").and_then(Value::as_object).into_iter().flatten() {
        // The content type is ignored if there is a style.
        let is_styled =
            ["style", "explode", "allowReserved"].iter().any(|key| encoding.get(*key).is_some());
        if is_styled {
            let writing = Serialization::in_query(encoding)
                .map_err(|why| format!("the member `{}` of its form: {why}", escape_text(name)))?;
            encodings.insert(name.clone(), MemberEncoding::Styled(writing));
        } else if encoding.get("contentType").and_then(Value::as_str).is_some_and(is_json) {
            encodings.insert(name.clone(), MemberEncoding::Json);
        }
    }
    Ok(encodings)
}

/// Selects the encoding of the body that preserves the most information: JSON, then a form, then plain text.
///
/// A media range, such as `*/*`, is never sent. It is replaced with a common type that it includes.
pub(crate) fn select_body(content: &Map<String, Value>) -> Option<(BodyForm, HeaderValue, &Value)> {
    let ranked = content.iter().filter_map(|(media_type, media)| {
        let (rank, form, sent) = match essence(media_type).as_str() {
            "application/json" => (0, BodyForm::Json, media_type.as_str()),
            // This type is a list of changes, not the value that the schemas of other types describe.
            "application/json-patch+json" => (5, BodyForm::Json, media_type.as_str()),
            "*/*" | "application/*" | "application/*+json" | "*/*+json" => {
                (2, BodyForm::Json, "application/json")
            }
            "application/x-www-form-urlencoded" => (3, BodyForm::Form, media_type.as_str()),
            "text/plain" | "text/*" => (4, BodyForm::Text, "text/plain"),
            other if other.contains('*') => return None,
            other if is_json(other) => (1, BodyForm::Json, media_type.as_str()),
            _ => return None,
        };
        Some((rank, form, HeaderValue::from_str(sent).ok()?, media))
    });
    let (_, form, media_type, media) = ranked.min_by_key(|(rank, ..)| *rank)?;
    Some((form, media_type, media))
}

/// Returns the reason why no encoding is supported.
pub(crate) fn unsupported_body(content: Option<&Map<String, Value>>) -> String {
    let kinds = content.into_iter().flatten().map(|(kind, _)| escape_text(kind));
    let kinds: Vec<_> = kinds.take(5).collect();
    let kinds =
        if kinds.is_empty() { "an unspecified media type".to_owned() } else { kinds.join(", ") };
    format!(
        "its body is in {kinds}, but only JSON, forms and plain text are supported; write a tool by hand"
    )
}

/// Returns a media type without parameters, in lowercase.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}
