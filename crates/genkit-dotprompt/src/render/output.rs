//! The output of a rendering. Structure is written only by helpers, never by text.

use serde_json::{Map, Value};

use crate::error_kind::ErrorKind;
use crate::limits::{Limits, MAX_HISTORIES};
use crate::message::{RenderedMessage, RenderedPart, Role};
use crate::text;

pub(super) struct Output {
    messages: Vec<RenderedMessage>,
    role: Role,
    parts: Vec<RenderedPart>,
    /// The text since the last part.
    text: String,
    indents: Vec<Indent>,
    bytes: usize,
    count: usize,
    histories: usize,
    max_bytes: usize,
    max_count: usize,
}

/// The indentation of each line of a partial.
struct Indent {
    blanks: String,
    /// Whether the output is at the start of a line that is still empty.
    pending: bool,
}

impl Output {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            messages: Vec::new(),
            role: Role::User,
            parts: Vec::new(),
            text: String::new(),
            indents: Vec::new(),
            bytes: 0,
            count: 0,
            histories: 0,
            max_bytes: limits.output_bytes,
            max_count: limits.parts,
        }
    }

    /// Returns the number of bytes that may still be written.
    pub(super) fn bytes_left(&self) -> usize {
        self.max_bytes - self.bytes
    }

    fn count_bytes(&mut self, bytes: usize) -> Result<(), ErrorKind> {
        if bytes > self.bytes_left() {
            return Err(ErrorKind::OutputTooLarge(self.max_bytes));
        }
        self.bytes += bytes;
        Ok(())
    }

    fn count_part(&mut self) -> Result<(), ErrorKind> {
        self.count += 1;
        if self.count > self.max_count {
            return Err(ErrorKind::TooManyParts(self.max_count));
        }
        Ok(())
    }

    pub(super) fn push_text(&mut self, text: &str) -> Result<(), ErrorKind> {
        if self.indents.is_empty() {
            self.count_bytes(text.len())?;
            self.text.push_str(text);
            return Ok(());
        }
        for line in text.split_inclusive('\n') {
            self.flush_indents()?;
            self.count_bytes(line.len())?;
            self.text.push_str(line);
            if line.ends_with('\n') {
                self.indents.iter_mut().for_each(|indent| indent.pending = true);
            }
        }
        Ok(())
    }

    /// Indents all lines from here on with `blanks`.
    pub(super) fn begin_indent(&mut self, blanks: &str) {
        if !blanks.is_empty() {
            self.indents.push(Indent { blanks: blanks.to_owned(), pending: true });
        }
    }

    pub(super) fn end_indent(&mut self, blanks: &str) {
        if !blanks.is_empty() {
            self.indents.pop();
        }
    }

    fn flush_indents(&mut self) -> Result<(), ErrorKind> {
        for i in 0..self.indents.len() {
            if std::mem::take(&mut self.indents[i].pending) {
                self.count_bytes(self.indents[i].blanks.len())?;
                self.text.push_str(&self.indents[i].blanks);
            }
        }
        Ok(())
    }

    /// Adds the pending text as a part, unless it is blank.
    fn end_text(&mut self) -> Result<(), ErrorKind> {
        if text::trim_blanks(&self.text).is_empty() {
            self.text.clear();
            return Ok(());
        }
        self.count_part()?;
        let mut text = std::mem::take(&mut self.text);
        text.shrink_to_fit();
        self.parts.push(RenderedPart::Text(text));
        Ok(())
    }

    /// Adds the pending message, unless it has no parts.
    fn end_message(&mut self) -> Result<(), ErrorKind> {
        self.end_text()?;
        if !self.parts.is_empty() {
            self.count_part()?;
            let content = std::mem::take(&mut self.parts);
            self.messages.push(RenderedMessage { role: self.role, content, metadata: None });
        }
        Ok(())
    }

    pub(super) fn begin_role(&mut self, role: Role) -> Result<(), ErrorKind> {
        self.flush_indents()?;
        self.end_message()?;
        self.role = role;
        Ok(())
    }

    pub(super) fn push_history(&mut self, messages: &[Value]) -> Result<(), ErrorKind> {
        self.flush_indents()?;
        self.end_message()?;
        self.histories += 1;
        if self.histories > MAX_HISTORIES {
            return Err(ErrorKind::TooManyHistories);
        }
        for (index, message) in messages.iter().enumerate() {
            let mut message = convert_message(index, message)?;
            let metadata = message.metadata.get_or_insert_default();
            metadata.insert("purpose".to_owned(), "history".into());
            self.messages.push(message);
        }
        // As in the reference implementation, content after the history belongs to the model.
        self.role = Role::Model;
        Ok(())
    }

    pub(super) fn push_media(
        &mut self,
        url: &str,
        content_type: Option<&str>,
    ) -> Result<(), ErrorKind> {
        self.flush_indents()?;
        self.end_text()?;
        self.count_bytes(url.len() + content_type.map_or(0, str::len))?;
        self.count_part()?;
        let content_type = content_type.map(str::to_owned);
        self.parts.push(RenderedPart::Media { url: url.to_owned(), content_type });
        Ok(())
    }

    pub(super) fn push_section(&mut self, name: &str) -> Result<(), ErrorKind> {
        self.flush_indents()?;
        self.end_text()?;
        self.count_bytes(name.len())?;
        self.count_part()?;
        self.parts.push(RenderedPart::Section { name: name.to_owned() });
        Ok(())
    }

    /// Returns the messages. If the template does not insert the history, the history is inserted before the last
    /// message if that message is from the user, and otherwise at the end.
    pub(super) fn into_messages(
        mut self,
        history: &[Value],
    ) -> Result<Vec<RenderedMessage>, ErrorKind> {
        self.end_message()?;
        let mut messages = self.messages;
        if history.is_empty() || messages.iter().any(is_history) {
            return Ok(messages);
        }
        let asks_last = messages.last().is_some_and(|last| last.role == Role::User);
        let at = messages.len() - usize::from(asks_last);
        let given: Result<Vec<_>, _> = history
            .iter()
            .enumerate()
            .map(|(index, message)| convert_message(index, message))
            .collect();
        messages.splice(at..at, given?);
        Ok(messages)
    }
}

fn is_history(message: &RenderedMessage) -> bool {
    let purpose = message.metadata.as_ref().and_then(|metadata| metadata.get("purpose"));
    purpose.and_then(Value::as_str) == Some("history")
}

/// Converts an earlier message, with its parts unchanged.
fn convert_message(index: usize, message: &Value) -> Result<RenderedMessage, ErrorKind> {
    let wrong = |what| ErrorKind::HistoryMessage { index, what };
    let role = message.get("role").and_then(Value::as_str).and_then(Role::read);
    let role =
        role.ok_or(wrong("has no valid role; expected `system`, `user`, `model` or `tool`"))?;
    let content = message.get("content").and_then(Value::as_array);
    let content = content.ok_or(wrong("has no list `content`"))?;
    let metadata: Option<Map<_, _>> = match message.get("metadata") {
        None | Some(Value::Null) => None,
        Some(Value::Object(metadata)) => Some(metadata.clone()),
        Some(_) => return Err(wrong("has a `metadata` that is not a map")),
    };
    let content = content.iter().cloned().map(RenderedPart::Given).collect();
    Ok(RenderedMessage { role, content, metadata })
}
