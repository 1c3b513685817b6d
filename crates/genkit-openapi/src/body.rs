//! Bodies: the media types that are written, and which of a document's it is.

use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use crate::document::quote_text;

/// How a body is written.
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

/// The body that is written most truly: JSON, else a form, else plain text.
pub(crate) fn written_body(
    content: &Map<String, Value>,
) -> Option<(BodyForm, HeaderValue, &Value)> {
    [BodyForm::Json, BodyForm::Form, BodyForm::Text].into_iter().find_map(|form| {
        let (media_type, media) = content.iter().find(|(media_type, _)| form.is_for(media_type))?;
        Some((form, HeaderValue::from_str(media_type).ok()?, media))
    })
}

/// Why there is none.
pub(crate) fn unsupported_body(content: Option<&Map<String, Value>>) -> String {
    let kinds = content.into_iter().flatten().map(|(kind, _)| quote_text(kind));
    let kinds: Vec<_> = kinds.take(5).collect();
    let kinds = if kinds.is_empty() { "no media type".to_owned() } else { kinds.join(", ") };
    format!(
        "its body is written in {kinds}, and JSON, forms and plain text are: write a tool by hand"
    )
}

impl BodyForm {
    fn is_for(self, media_type: &str) -> bool {
        match self {
            Self::Json => is_json(media_type),
            Self::Form => media_essence(media_type) == "application/x-www-form-urlencoded",
            Self::Text => media_essence(media_type) == "text/plain",
        }
    }
}

/// A media type without its parameters, in small letters.
pub(crate) fn media_essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = media_essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}
