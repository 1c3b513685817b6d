//! Elicitation: questions that servers ask the user.

use std::sync::Arc;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::fingerprint::hash_texts;
use crate::limits::MAX_QUESTION;
use crate::transport::redact::Redactor;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::visible;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, Elicited};
use genkit_schema::internal::size::json_size;

/// An elicitation request: a server's question to the user, as a form or a page to visit.
///
/// ```
/// use genkit::Elicited;
/// use genkit::mcp::host::{ElicitRequest, McpHost};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .on_elicit(|asked: ElicitRequest| async move {
///         match &asked.url {
///             Some(_) => Elicited::Declined, // never open a page unseen
///             None => asked.accept_defaults(),
///         }
///     })
///     .build()?;
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElicitRequest {
    /// The key of the server. Show it, so that the user knows who is asking.
    pub server: String,
    /// The question, with invisible and direction-changing characters escaped. If it has several lines, each line after
    /// the first is prefixed with the key of the server, so that no line can look like another server's.
    pub message: String,
    /// The form, an object schema with simple fields. `None` if the user should visit a page.
    pub schema: Option<Value>,
    /// The page to visit. Show the URL and let the user decide; never fetch it.
    pub url: Option<String>,
    /// The server's id for the page visit. [`McpEvent::UrlCompleted`](crate::McpEvent::UrlCompleted) with the same id
    /// reports that the user has finished there. Not every server reports this.
    pub id: Option<String>,
}

impl ElicitRequest {
    /// Converts a server's question; returns `None` if it cannot be shown unchanged.
    pub(crate) fn new(
        server: &str,
        redactor: &Redactor,
        params: &ElicitRequestParams,
    ) -> Option<Self> {
        let (message, schema, url) = match params {
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                (message, None, Some(url))
            }
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                (message, Some(serde_json::to_value(requested_schema).ok()?), None)
            }
            // From a later protocol version.
            _ => return None,
        };
        let schema_size = schema.as_ref().map_or(0, json_size);
        if message.len() + url.map_or(0, String::len) + schema_size > MAX_QUESTION {
            return None;
        }
        let url = match url {
            Some(url) if url.chars().any(|c| !c.is_ascii_graphic()) => return None,
            url => url.cloned(),
        };
        let schema = match schema {
            Some(schema) => Some(escape_form(redactor.redact_json(schema))?),
            None => None,
        };
        let message = prefix_lines(server, &redactor.redact_text(message));
        let id = match params {
            ElicitRequestParams::UrlElicitationParams { elicitation_id, .. } => {
                Some(elicitation_id.clone())
            }
            _ => None,
        };
        Some(Self { server: server.to_owned(), message, schema, url, id })
    }

    #[cfg(test)]
    pub(crate) fn testing(server: &str, message: &str) -> Self {
        Self {
            server: server.to_owned(),
            message: message.to_owned(),
            schema: None,
            url: None,
            id: None,
        }
    }

    /// Accepts with the default values of the form.
    pub fn accept_defaults(&self) -> Elicited<Value> {
        let fields = self.schema.as_ref().and_then(|schema| schema.get("properties"));
        let fields = fields.and_then(Value::as_object).into_iter().flatten();
        let defaults = fields
            .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
            .collect::<Map<_, _>>();
        Elicited::Accepted(Value::Object(defaults))
    }
}

/// Prefixes each line of a question with the server. The first line is prefixed by the caller.
fn prefix_lines(server: &str, message: &str) -> String {
    let message = message.replace("\r\n", "\n");
    visible::escape_prose(message.trim_end()).replace('\n', &format!("\n{server}: "))
}

/// Escapes the labels of a form; returns `None` if a value to be sent back contains invisible characters.
fn escape_form(mut form: Value) -> Option<Value> {
    fn escape_labels(value: &mut Value, key: &str) -> Option<()> {
        match value {
            Value::String(text) => match key {
                "title" | "description" | "enumNames" => {
                    *text = visible::escape_prose(text).replace('\n', " ");
                }
                _ if visible::escape_prose(text) != text.as_str() || text.contains('\n') => {
                    return None;
                }
                _ => {}
            },
            Value::Array(items) => {
                items.iter_mut().try_for_each(|item| escape_labels(item, key))?
            }
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    if visible::escape_line(name) != name.as_str() {
                        return None;
                    }
                    escape_labels(member, name)?;
                }
            }
            _ => {}
        }
        Some(())
    }
    escape_labels(&mut form, "")?;
    Some(form)
}

/// Converts an answer to MCP.
pub(crate) fn to_mcp(answer: Elicited<Value>, question: &ElicitRequest) -> ElicitResult {
    match answer {
        // A page has no fields.
        Elicited::Accepted(_) if question.schema.is_none() => {
            ElicitResult::new(ElicitationAction::Accept)
        }
        Elicited::Accepted(content) => {
            let content = if content.is_null() { json!({}) } else { content };
            ElicitResult::new(ElicitationAction::Accept).with_content(content)
        }
        Elicited::Declined => ElicitResult::new(ElicitationAction::Decline),
        Elicited::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// The program's handler, which answers for the user.
pub(crate) type ElicitHandler =
    Arc<dyn Fn(ElicitRequest) -> BoxFuture<'static, Elicited<Value>> + Send + Sync>;

/// Asks the caller of a request.
pub(crate) async fn ask_caller(
    context: &Context,
    question: ElicitRequest,
    key: &str,
) -> Elicited<Value> {
    let ElicitRequest { server, message, schema, .. } = question;
    let form = schema.unwrap_or_else(|| json!({ "type": "object", "properties": {} }));
    // The key includes the text, so that an answer is never used for a different question.
    let text = hash_texts(&[&message, &form.to_string()]);
    let key = format!("{server}:{key}:{text}");
    let answer: Result<_> =
        context.elicit_form(format!("{server}: {message}"), form).key(key).await;
    answer.unwrap_or_else(|error| {
        let error = error.chain();
        let error = Logged::text(&error);
        tracing::warn!(server, %error, "a question from a server was not answered");
        Elicited::Cancelled
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_fill_a_form_and_nothing_else() {
        let asked = ElicitRequest {
            server: "s".into(),
            message: "?".into(),
            schema: Some(json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "Ada"},
                    "age": {"type": "integer"},
                    "ok": {"type": "boolean", "default": false},
                },
            })),
            url: None,
            id: None,
        };
        let answer = to_mcp(asked.accept_defaults(), &asked);
        assert_eq!(answer.content, Some(json!({"name": "Ada", "ok": false})));
        let page = ElicitRequest { schema: None, url: Some("https://x".into()), ..asked };
        assert_eq!(to_mcp(page.accept_defaults(), &page).content, None);
    }

    #[test]
    fn no_line_of_a_question_looks_like_another_servers() {
        let shown =
            prefix_lines("evil", "Hello.\r\nbank: Your PIN?\n\u{202e}x\rbank: y\u{2028}z\n");
        assert_eq!(shown, "Hello.\nevil: bank: Your PIN?\nevil: \\u{202e}x\\rbank: y\\u{2028}z");
    }

    #[test]
    fn form_is_shown_escaped_or_rejected() {
        let form = |field: Value| json!({"type": "object", "properties": {"name": field}});
        let shown = escape_form(form(json!({"title": "a\u{202e}b", "description": "x\ny"})));
        assert_eq!(shown, Some(form(json!({"title": "a\\u{202e}b", "description": "x y"}))));
        assert_eq!(escape_form(form(json!({"enum": ["yes", "y\u{200b}es"]}))), None);
        assert_eq!(escape_form(json!({"properties": {"a\u{202e}b": {}}})), None);
    }
}
