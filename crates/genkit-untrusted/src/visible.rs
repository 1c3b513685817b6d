//! Escaping of untrusted text for users and log lines. Characters that are invisible, change the text direction or
//! forge a line are shown as `\u{..}`, and long text is truncated.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde_json::Value;

use genkit_schema::internal::truncate::truncate;

/// The maximum length of an untrusted name in a log line, in bytes. Default is 200.
pub const MAX_LOGGED_NAME: usize = 200;

/// The maximum length of an error or other untrusted text in a log line, in bytes. Default is 16 KiB.
pub const MAX_LOGGED_TEXT: usize = 16 * 1024;

/// Escapes an untrusted name or value for a single line.
///
/// Control characters, all invisible characters, and whitespace other than a space are escaped.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape_text(text, |_, c, _| is_hidden(c) || is_other_whitespace(c))
}

/// Escapes an untrusted name for use inside a string. All characters except those that MCP allows in names are escaped.
pub fn escape_name(text: &str) -> Cow<'_, str> {
    escape_text(text, |_, c, _| !(c.is_ascii_alphanumeric() || "_-./".contains(c)))
}

/// Escapes untrusted text with several lines. Unlike [`escape_line`], it keeps line breaks, tabs, special spaces, and
/// characters that join letters or select the style of a symbol.
pub fn escape_prose(words: &str) -> Cow<'_, str> {
    escape_text(words, |before, c, after| match c {
        '\n' | '\t' => false,
        // Persian and the Indic scripts need these characters.
        '\u{200c}' | '\u{200d}' => !(is_letter(before) && is_letter(after)),
        '\u{fe0e}' | '\u{fe0f}' => !before.is_some_and(is_symbol),
        c => is_hidden(c),
    })
}

/// Escapes the `message` of an interrupt's metadata, which is shown to users.
pub fn escape_question(mut metadata: Value) -> Value {
    if let Some(Value::String(message)) = metadata.get_mut("message") {
        escape_characters(message);
    }
    metadata
}

/// Escapes the titles and descriptions of a form, which are shown to users.
pub fn escape_form(mut schema: Value) -> Value {
    escape_schema_texts(&mut schema);
    schema
}

fn escape_schema_texts(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("title" | "description", Value::String(words)) => escape_characters(words),
                    ("enumNames", Value::Array(names)) => {
                        for name in names {
                            if let Value::String(name) = name {
                                escape_characters(name);
                            }
                        }
                    }
                    (_, value) => escape_schema_texts(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(escape_schema_texts),
        _ => {}
    }
}

fn escape_characters(words: &mut String) {
    if let Cow::Owned(shown) = escape_prose(words) {
        *words = shown;
    }
}

/// Truncated untrusted text, for a field or message in a log. The text is escaped like a line ([`escape_line`]), and
/// quoted if it could be mistaken for another field.
pub struct Logged<T> {
    words: T,
    limit: usize,
}

impl<T: fmt::Display> Logged<T> {
    /// Creates a log value from a name, truncated to 200 bytes.
    pub fn name(words: T) -> Self {
        Self { words, limit: MAX_LOGGED_NAME }
    }

    /// Creates a log value that is truncated to `limit` bytes.
    pub fn truncated(words: T, limit: usize) -> Self {
        Self { words, limit }
    }

    /// Creates a log value from an error or other text, truncated to 16 KiB.
    pub fn text(words: T) -> Self {
        Self { words, limit: MAX_LOGGED_TEXT }
    }
}

impl<T: fmt::Display> fmt::Display for Logged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut beginning = TextStart { text: String::new(), limit: self.limit, is_cut: false };
        // Writing fails when the limit is reached; the text written so far is shown.
        let _ = write!(beginning, "{}", self.words);
        let TextStart { text, is_cut, .. } = beginning;
        let is_plain = |c: char| c.is_alphanumeric() || "_-./:@#+~".contains(c);
        if !is_cut && !text.is_empty() && text.chars().all(is_plain) {
            return f.write_str(&text);
        }
        f.write_char('"')?;
        for c in text.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if is_hidden(c) || is_other_whitespace(c) => write_escape(c, f)?,
                c => f.write_char(c)?,
            }
        }
        f.write_str(if is_cut { "…\"" } else { "\"" })
    }
}

impl<T: fmt::Display> fmt::Debug for Logged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A writer that stores the text up to a limit.
struct TextStart {
    text: String,
    limit: usize,
    is_cut: bool,
}

impl fmt::Write for TextStart {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let fits = truncate(piece, self.limit - self.text.len());
        self.text.push_str(fits);
        self.is_cut = fits.len() < piece.len();
        if self.is_cut { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Escapes each character for which `hides` returns `true`, given the character and its neighbours.
fn escape_text(
    text: &str,
    hides: impl Fn(Option<char>, char, Option<char>) -> bool,
) -> Cow<'_, str> {
    let mut shown: Option<String> = None;
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if hides(before, c, characters.peek().map(|(_, next)| *next)) {
            // Writing into a `String` cannot fail.
            let _ = write_escape(c, shown.get_or_insert_with(|| text[..at].to_owned()));
        } else if let Some(shown) = &mut shown {
            shown.push(c);
        }
        before = Some(c);
    }
    shown.map_or(Cow::Borrowed(text), Cow::Owned)
}

fn write_escape(c: char, out: &mut impl fmt::Write) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c => write!(out, "{}", c.escape_unicode()),
    }
}

/// Returns whether a character is invisible: control and format characters (`Cf`, `Zl`, `Zp`), characters that Unicode
/// marks as ignorable, and blank letters.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether a character is whitespace other than a space.
fn is_other_whitespace(c: char) -> bool {
    c != ' ' && c.is_whitespace()
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && (c.is_alphabetic() || is_mark_of_india(c)))
}

/// Returns whether a character belongs to an Indic script. In these scripts, a joiner often follows a virama, the sign
/// that joins consonants, which Unicode does not classify as a letter.
fn is_mark_of_india(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{dff}')
}

fn is_symbol(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !is_hidden(c)
}
