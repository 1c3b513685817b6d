//! Elicitation: questions of servers to the user.

use std::sync::Arc;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::context::{Context, Elicited};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::mcp::host::fingerprint::fingerprint;

/// Elicitation request: a server's question to the user, as a form or a page to visit.
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
///             Some(_) => Elicited::Declined, // nothing is opened without a look
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
    /// The key of the server. Show it: the user should know who wants to know.
    pub server: String,
    /// The question.
    pub message: String,
    /// The form: an object of plain fields. `None` where a page is to be visited.
    pub schema: Option<Value>,
    /// The page to visit. Show it and let the user decide; never fetch it.
    pub url: Option<String>,
}

impl ElicitRequest {
    pub(crate) fn new(server: &str, params: &ElicitRequestParams) -> Self {
        let server = server.to_owned();
        match params {
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                Self { server, message: message.clone(), schema: None, url: Some(url.clone()) }
            }
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                Self { server, message: message.clone(), schema: Some(schema), url: None }
            }
            // Of a later protocol: a question that cannot be shown.
            _ => Self { server, message: String::new(), schema: None, url: None },
        }
    }

    #[cfg(test)]
    pub(crate) fn testing(server: &str, message: &str) -> Self {
        Self { server: server.to_owned(), message: message.to_owned(), schema: None, url: None }
    }

    /// Accepts with the defaults of the form.
    pub fn accept_defaults(&self) -> Elicited<Value> {
        let fields = self.schema.as_ref().and_then(|schema| schema.get("properties"));
        let fields = fields.and_then(Value::as_object).into_iter().flatten();
        let defaults = fields
            .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
            .collect::<Map<_, _>>();
        Elicited::Accepted(Value::Object(defaults))
    }
}

/// An answer in MCP's form.
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

/// Handler of the program that answers for the user.
pub(crate) type ElicitHandler =
    Arc<dyn Fn(ElicitRequest) -> BoxFuture<'static, Elicited<Value>> + Send + Sync>;

/// The answer of the caller of a request.
pub(crate) async fn ask_caller(
    context: &Context,
    question: ElicitRequest,
    key: &str,
) -> Elicited<Value> {
    let ElicitRequest { server, message, schema, .. } = question;
    let form = schema.unwrap_or_else(|| json!({ "type": "object", "properties": {} }));
    // An answer belongs to this very text: a server that asks something else is answered anew.
    let text = fingerprint(&[&message, &form.to_string()]);
    let key = format!("{server}:{key}:{text}");
    let answer: Result<_> =
        context.elicit_form(format!("{server}: {message}"), form).key(key).await;
    answer.unwrap_or_else(|error| {
        let error = error.chain();
        tracing::warn!(server, error, "a question of a server was not answered");
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
        };
        let answer = to_mcp(asked.accept_defaults(), &asked);
        assert_eq!(answer.content, Some(json!({"name": "Ada", "ok": false})));
        let page = ElicitRequest { schema: None, url: Some("https://x".into()), ..asked };
        assert_eq!(to_mcp(page.accept_defaults(), &page).content, None);
    }
}
