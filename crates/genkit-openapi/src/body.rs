//! Request bodies: the supported media types, and the choice among those of a document.

use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use crate::document::shown;

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
}

/// Returns the body in the encoding that preserves most: JSON, otherwise a form, otherwise plain text.
pub(crate) fn written_body(
    content: &Map<String, Value>,
) -> Option<(BodyForm, HeaderValue, &Value)> {
    [BodyForm::Json, BodyForm::Form, BodyForm::Text].into_iter().find_map(|form| {
        let (media_type, media) = content.iter().find(|(media_type, _)| form.fits(media_type))?;
        Some((form, HeaderValue::from_str(media_type).ok()?, media))
    })
}

/// Returns the reason why no encoding is supported.
pub(crate) fn unwritten(content: Option<&Map<String, Value>>) -> String {
    let kinds = content.into_iter().flatten().map(|(kind, _)| shown(kind));
    let kinds: Vec<_> = kinds.take(5).collect();
    let kinds =
        if kinds.is_empty() { "an unspecified media type".to_owned() } else { kinds.join(", ") };
    format!(
        "its body is in {kinds}, but only JSON, forms and plain text are supported; write a tool by hand"
    )
}

impl BodyForm {
    fn fits(self, media_type: &str) -> bool {
        match self {
            Self::Json => is_json(media_type),
            Self::Form => essence(media_type) == "application/x-www-form-urlencoded",
            Self::Text => essence(media_type) == "text/plain",
        }
    }
}

/// Returns a media type without parameters, in lowercase.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}
