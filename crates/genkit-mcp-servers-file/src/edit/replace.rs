//! Setting one value in JSONC text, preserving all other bytes.

use jsonc_parser::ast::{Object, ObjectProp, Value as Parsed};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Serializer, Value};

use crate::error::ErrorReason;
use crate::jsonc;

/// The default indentation of one level, for a file without indented lines.
const INDENT: &str = "  ";

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Sets the value at `path`, creating missing objects on the way. The text must be accepted by [`jsonc::parse_value`], or
/// have no value at all.
pub(crate) fn set_value(text: &str, path: &[&str], value: &Value) -> Result<String, ErrorReason> {
    let collect = CollectOptions { tokens: true, ..CollectOptions::default() };
    let parsed = parse_to_ast(text, &collect, &jsonc::OPTIONS)
        .map_err(|error| jsonc::syntax_error(&error))?;
    let (root, tokens) = (parsed.value, parsed.tokens.unwrap_or_default());
    let style = Style::from_text(text, root.as_ref());
    let Some(root) = root else {
        let before = if text.trim_end_matches(BLANKS).is_empty() { "" } else { style.line_end };
        let whole = style.render_value(&nest_value(path, value), "");
        let comments = text.trim_end_matches(BLANKS);
        return Ok(format!("{comments}{before}{whole}{}", style.line_end));
    };
    let mut at = &root;
    for (depth, key) in path.iter().enumerate() {
        let Parsed::Object(object) = at else {
            return Err(ErrorReason::NotAnObject { at: path[..depth].join(".") });
        };
        match object.properties.iter().find(|property| property.name.as_str() == *key) {
            Some(property) => at = &property.value,
            None => {
                let value = nest_value(&path[depth + 1..], value);
                return Ok(
                    Insertion { text, object, tokens: &tokens, style }.insert_property(key, &value)
                );
            }
        }
    }
    let range = at.range();
    let rendered = style.render_value(value, line_indent(text, range.start));
    Ok(splice_text(text, range, &rendered))
}

/// Wraps `value` in objects with these keys.
fn nest_value(path: &[&str], value: &Value) -> Value {
    let inside =
        |value, key: &&str| Value::Object([((*key).to_owned(), value)].into_iter().collect());
    path.iter().rev().fold(value.clone(), inside)
}

fn splice_text(text: &str, range: Range, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// The layout of a file.
#[derive(Clone, Copy)]
struct Style<'a> {
    indent: &'a str,
    line_end: &'static str,
}

impl<'a> Style<'a> {
    fn from_text(text: &'a str, root: Option<&Parsed<'_>>) -> Self {
        let crlf = text.find('\n').is_some_and(|end| text[..end].ends_with('\r'));
        let first = match root {
            Some(Parsed::Object(object)) => object.properties.first(),
            _ => None,
        };
        let indent = first.and_then(|first| own_line_indent(text, first.range.start));
        let indent = indent.filter(|indent| !indent.is_empty()).unwrap_or(INDENT);
        Self { indent, line_end: if crlf { "\r\n" } else { "\n" } }
    }

    /// Renders a value over several lines, for a line with this indentation.
    fn render_value(self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.indent.as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        debug_assert!(written.is_ok(), "a JSON value can be written");
        let text = String::from_utf8(bytes).unwrap_or_default();
        text.replace('\n', &format!("{}{indent}", self.line_end))
    }
}

/// Returns the leading blanks of a line.
fn line_indent(text: &str, position: usize) -> &str {
    let start = text[..position].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the leading blanks, if only blanks precede the position.
fn own_line_indent(text: &str, position: usize) -> Option<&str> {
    let start = text[..position].rfind('\n')? + 1;
    let before = &text[start..position];
    before.trim_start_matches([' ', '\t']).is_empty().then_some(before)
}

/// A new property at the end of an object.
struct Insertion<'a> {
    text: &'a str,
    object: &'a Object<'a>,
    tokens: &'a [TokenAndRange<'a>],
    style: Style<'a>,
}

impl Insertion<'_> {
    fn insert_property(&self, key: &str, value: &Value) -> String {
        let Range { start, end } = self.object.range;
        let inner = &self.text[start + 1..end - 1];
        // After all existing comments.
        let at = start + 1 + inner.trim_end_matches(BLANKS).len();
        let key = Value::from(key);
        let Some(last) = self.object.properties.last() else {
            let base = line_indent(self.text, start);
            let indent = format!("{base}{}", self.style.indent);
            let property = format!("{key}: {}", self.style.render_value(value, &indent));
            let line_end = self.style.line_end;
            // The text between the last comment and the brace.
            let rest = &self.text[at..end - 1];
            let rest =
                if rest.contains('\n') { rest.to_owned() } else { format!("{line_end}{base}") };
            let property = format!("{line_end}{indent}{property}{rest}");
            return splice_text(self.text, Range::new(at, end - 1), &property);
        };
        let has_comma = self.has_comma_after(last, end);
        let (before, after) = if has_comma { ("", ",") } else { (",", "") };
        let property = if inner.contains('\n') {
            let own = own_line_indent(self.text, last.range.start);
            let below = || format!("{}{}", line_indent(self.text, start), self.style.indent);
            let indent = own.map_or_else(below, str::to_owned);
            let property = self.style.render_value(value, &indent);
            format!("{}{indent}{key}: {property}{after}", self.style.line_end)
        } else {
            format!(" {key}: {value}{after}")
        };
        let last = last.range.end;
        let (head, comments) = (&self.text[..last], &self.text[last..at]);
        format!("{head}{before}{comments}{property}{}", &self.text[at..])
    }

    fn has_comma_after(&self, last: &ObjectProp<'_>, end: usize) -> bool {
        let after = self.tokens.partition_point(|token| token.range.start < last.range.end);
        let after = self.tokens[after..].iter().take_while(|token| token.range.end <= end);
        after.into_iter().any(|token| matches!(token.token, Token::Comma))
    }
}
