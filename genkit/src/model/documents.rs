//! Documents as text, for models that take none by themselves.

use std::fmt::Write as _;

use serde_json::Value;

use super::request::Document;
use crate::message::Part;

/// What is added to the last user message: each document's text under its name, in the text that
/// Genkit uses in every language. `None` if there are no documents.
pub(crate) fn as_text(documents: &[Document]) -> Option<String> {
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

    #[test]
    fn documents_are_named_or_counted() {
        let mut guide = Document::from("324 m.");
        guide.metadata.insert("ref".to_owned(), "g1".into());
        let text = as_text(&[guide, Document::from("1889.")]).unwrap();
        assert!(text.ends_with("task:\n\n- [g1]: 324 m.\n- [1]: 1889.\n\n"), "{text}");
        assert_eq!(as_text(&[]), None);
    }
}
