//! Documents rendered as text, for models that do not accept documents, and the message that this text is
//! added to.

use std::fmt::Write as _;

use serde_json::Value;

use genkit_core::{Document, Message, ModelRequest, Part, Role};

/// Returns the index of the user's last message, even if tool responses follow it. A message that
/// consists only of tool responses does not count.
pub fn last_user(messages: &[Message]) -> Option<usize> {
    let asks = |message: &Message| {
        let answers = message.content.iter().all(|part| part.as_tool_response().is_some());
        message.role == Role::User && (message.content.is_empty() || !answers)
    };
    messages.iter().rposition(asks)
}

/// Returns the text of the documents in `request`, and the index of the message to add it to, if
/// there is one. Returns `None` if that message already contains documents.
pub fn missing_documents(request: &ModelRequest) -> Option<(Option<usize>, String)> {
    let asked = last_user(&request.messages);
    let text = render_documents(&request.docs)?;
    let is_context =
        |part: &Part| part.metadata().get("purpose").is_some_and(|purpose| purpose == "context");
    let is_there = asked.is_some_and(|at| request.messages[at].content.iter().any(is_context));
    (!is_there).then_some((asked, text))
}

/// Renders documents as text to append to the last user message: each document's text after its
/// name, in the wording that every Genkit implementation uses. Returns `None` if there are no
/// documents.
pub fn render_documents(documents: &[Document]) -> Option<String> {
    if documents.is_empty() {
        return None;
    }
    let mut text = String::from("\n\nUse the following information to complete your task:\n\n");
    for (at, document) in documents.iter().enumerate() {
        text.push_str("- [");
        match ["ref", "id", "title"].into_iter().find_map(|key| document.metadata.get(key)) {
            Some(Value::String(name)) => text.push_str(name),
            // Writing to a string cannot fail.
            Some(name) => drop(write!(text, "{name}")),
            None => drop(write!(text, "{at}")),
        }
        text.push_str("]: ");
        text.extend(document.content.iter().filter_map(Part::as_text));
        text.push('\n');
    }
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ToolRequest;

    #[test]
    fn last_user_message_is_found_despite_tool_responses() {
        let answer = || Part::tool_response(ToolRequest::new("a", Value::Null).respond("x"));
        let turn = [
            Message::system("s"),
            Message::user("first"),
            Message::model("m"),
            Message::user("second"),
            Message::model(ToolRequest::new("a", Value::Null)),
            Message::new(Role::Tool, [answer()]),
        ];
        assert_eq!(last_user(&turn), Some(3));
        // Some histories have tool responses in a message with the role `user`.
        let mut odd = turn.to_vec();
        odd[5].role = Role::User;
        assert_eq!(last_user(&odd), Some(3));
        assert_eq!(last_user(&turn[..1]), None);
    }

    #[test]
    fn documents_are_named_or_counted() {
        let mut guide = Document::from("324 m.");
        guide.metadata.insert("ref".to_owned(), "g1".into());
        let text = render_documents(&[guide, Document::from("1889.")]).unwrap();
        assert!(text.ends_with("task:\n\n- [g1]: 324 m.\n- [1]: 1889.\n\n"), "{text}");
        assert_eq!(render_documents(&[]), None);
    }
}
