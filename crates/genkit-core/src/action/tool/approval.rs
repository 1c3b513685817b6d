//! The approval text that a user reads before a tool call runs. Up to 100 values are shown, each at least in part, and
//! omissions are listed.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::Tool;
use genkit_schema::internal::size::json_size;
use genkit_untrusted::visible;

/// The maximum length of arguments that are shown completely, in characters. Default is 1,000.
const SHOWN: usize = 1000;

/// The minimum length shown of each value, in characters. Default is 24.
const LEAST: usize = 24;

/// The maximum number of values that are shown in part. Default is 100.
const MAX_VALUES: usize = 100;

/// The maximum nesting level of values that are shown one by one. Default is 6.
const MAX_LEVELS: usize = 6;

/// The maximum length shown of an argument name, in characters. Default is 60.
const MAX_NAME: usize = 60;

/// The maximum number of omissions that are listed. Default is 20.
const MAX_NAMED: usize = 20;

impl Tool {
    /// Returns the approval question for a call with these arguments.
    #[doc(hidden)]
    pub fn approval_message(&self, arguments: &Value) -> String {
        let known = self.schemas().input().get("properties").and_then(Value::as_object);
        approval_text(&self.name_for_approval(), arguments, known)
    }

    /// Returns the name for the question. A tool of this program is shown by its title. A tool of another server is
    /// shown by the server's connection name and the tool's name, because its title is untrusted. All characters that
    /// MCP does not allow in a name are escaped.
    fn name_for_approval(&self) -> Cow<'_, str> {
        if !self.info().is_remote() {
            return visible::escape_line(self.title().unwrap_or(self.name()));
        }
        let origin = self.metadata().get("mcp").map(|origin| (&origin["server"], &origin["name"]));
        match origin {
            Some((Value::String(server), Value::String(name))) => {
                format!("{}/{}", visible::escape_line(server), visible::escape_name(name)).into()
            }
            _ => visible::escape_name(self.name()),
        }
    }
}

/// Returns the approval question for a call of `name` with these arguments. `name` must be escaped. `known` contains
/// the properties in the tool's schema.
pub fn approval_text(name: &str, arguments: &Value, known: Option<&Map<String, Value>>) -> String {
    if json_size(arguments) <= SHOWN {
        let shown = arguments.to_string();
        return format!("Allow `{name}` to run with {}?", visible::escape_line(&shown));
    }
    let mut summary = Summary { text: String::new(), missing: Vec::new() };
    summary.write_value(
        arguments,
        known,
        &mut Vec::new(),
        TextBudget { chars: SHOWN, values: MAX_VALUES },
    );
    let Summary { text, mut missing } = summary;
    // List omissions at the top level before omissions at deeper levels.
    missing.sort_by_key(|(level, _)| *level);
    let more = missing.len().saturating_sub(MAX_NAMED);
    let named = missing.into_iter().take(MAX_NAMED).map(|(_, what)| what);
    let mut missing = named.collect::<Vec<_>>().join(", ");
    if more > 0 {
        // Writing into a `String` cannot fail.
        let _ = write!(missing, ", and {} more omissions", group_digits(more));
    }
    let missing = if missing.is_empty() { missing } else { format!(" (+ {missing})") };
    format!("Allow `{name}` to run with {text}{missing}?")
}

/// The remaining budget of the text.
#[derive(Clone, Copy)]
struct TextBudget {
    chars: usize,
    values: usize,
}

impl TextBudget {
    /// Returns an equal share of the budget for the next of `left` values.
    fn share_room(self, left: usize) -> Self {
        Self { chars: self.chars / left.max(1), values: (self.values / left.max(1)).max(1) }
    }

    fn minus(self, used: Self) -> Self {
        Self {
            chars: self.chars.saturating_sub(used.chars),
            values: self.values.saturating_sub(used.values),
        }
    }
}

struct Summary {
    text: String,
    /// The omissions, each with its nesting level.
    missing: Vec<(usize, String)>,
}

impl Summary {
    /// Writes a value within its budget, and returns the budget used.
    fn write_value(
        &mut self,
        value: &Value,
        known: Option<&Map<String, Value>>,
        path: &mut Vec<String>,
        room: TextBudget,
    ) -> TextBudget {
        match value {
            Value::Object(members) if path.len() < MAX_LEVELS && !members.is_empty() => {
                self.write_object(members, known, path, room)
            }
            Value::Array(items) if path.len() < MAX_LEVELS && !items.is_empty() => {
                self.write_array(items, path, room)
            }
            Value::String(text) => self.write_leaf(text, true, path, room),
            other => self.write_leaf(&other.to_string(), false, path, room),
        }
    }

    /// Writes the known members first, and shorter members before longer members, so that a long value cannot hide
    /// another.
    fn write_object(
        &mut self,
        members: &Map<String, Value>,
        known: Option<&Map<String, Value>>,
        path: &mut Vec<String>,
        mut room: TextBudget,
    ) -> TextBudget {
        let before = room;
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_by_cached_key(|(key, value)| {
            let is_known = known.is_some_and(|known| known.contains_key(*key));
            (!is_known, json_size(value))
        });
        let shown = sorted.len().min(room.values.max(1));
        self.text.push('{');
        for (place, (key, value)) in sorted.iter().take(shown).enumerate() {
            self.text.push_str(if place > 0 { "," } else { "" });
            let key = shorten_key(key);
            let _ = write!(
                self.text,
                "{}:",
                visible::escape_line(&Value::from(key.as_str()).to_string())
            );
            path.push(key);
            let used = self.write_value(value, None, path, room.share_room(shown - place));
            path.pop();
            room = room.minus(used);
        }
        self.text.push_str(if shown < sorted.len() { ",…}" } else { "}" });
        self.note_omitted(sorted.len() - shown, ["argument", "arguments"], path);
        before.minus(room)
    }

    fn write_array(
        &mut self,
        items: &[Value],
        path: &mut Vec<String>,
        mut room: TextBudget,
    ) -> TextBudget {
        let before = room;
        let shown = items.len().min(room.values.max(1));
        self.text.push('[');
        for (place, item) in items.iter().take(shown).enumerate() {
            self.text.push_str(if place > 0 { "," } else { "" });
            path.push(place.to_string());
            let used = self.write_value(item, None, path, room.share_room(shown - place));
            path.pop();
            room = room.minus(used);
        }
        self.text.push_str(if shown < items.len() { ",…]" } else { "]" });
        self.note_omitted(items.len() - shown, ["item", "items"], path);
        before.minus(room)
    }

    fn write_leaf(
        &mut self,
        text: &str,
        is_string: bool,
        path: &[String],
        room: TextBudget,
    ) -> TextBudget {
        let limit = room.chars.max(LEAST);
        let (shown, rest) = match text.char_indices().nth(limit) {
            Some((end, _)) => (&text[..end], text[end..].chars().count()),
            None => (text, 0),
        };
        let cut = if rest > 0 { format!("{shown}…") } else { shown.to_owned() };
        let cut = if is_string { Value::from(cut).to_string() } else { cut };
        let visible = visible::escape_line(&cut);
        self.text.push_str(&visible);
        self.note_omitted(rest, ["character", "characters"], path);
        TextBudget { chars: visible.chars().count(), values: 1 }
    }

    fn note_omitted(&mut self, count: usize, [one, many]: [&str; 2], path: &[String]) {
        if count == 0 {
            return;
        }
        let what = if count == 1 { one } else { many };
        let mut missing = format!("{} {what}", group_digits(count));
        if !path.is_empty() {
            let _ = write!(missing, " in `{}`", visible::escape_name(&path.join(".")));
        }
        self.missing.push((path.len(), missing));
    }
}

fn shorten_key(key: &str) -> String {
    genkit_schema::internal::truncate::excerpt(key, MAX_NAME)
}

/// Formats a number with commas between thousands.
fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::context::Context;

    fn tool() -> Tool {
        let schema = json!({"type": "object", "properties": {
            "path": {"type": "string"}, "recursive": {"type": "boolean"}, "comment": {"type": "string"}
        }});
        Tool::builder("remove", "Removes.")
            .input_schema(schema)
            .handler(|_: Context, _: Value| async move { Ok("gone") })
    }

    fn asked(arguments: Value) -> String {
        tool().approval_message(&arguments)
    }

    #[test]
    fn short_argument_is_shown_unchanged() {
        let text = asked(json!({"path": "/\u{202e}", "n": [1, null]}));
        assert_eq!(text, r#"Allow `remove` to run with {"path":"/\u{202e}","n":[1,null]}?"#);
    }

    #[test]
    fn long_argument_hides_no_other() {
        let comment = "x".repeat(13_000);
        let text = asked(json!({"comment": comment, "path": "/", "recursive": true}));
        assert!(text.contains(r#"{"path":"/","recursive":true,"comment":"xxx"#), "{text}");
        assert!(text.contains(" characters in `comment`)?"), "{text}");
        assert!(text.contains("(+ 12,0"), "{text}");
        assert!(text.chars().count() < 1200, "{text}");
    }

    #[test]
    fn nested_argument_is_shown_truncated() {
        let note = "x".repeat(5000);
        let text = asked(json!({"request": {"note": note, "path": "/", "to": ["a", note, "b"]}}));
        for shown in [r#""path":"/""#, r#""to":["a","xx"#, r#","b"]"#, "in `request.note`"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
    }

    #[test]
    fn declared_arguments_are_shown_even_among_many_others() {
        let mut many: Map<String, Value> =
            (0..5000).map(|n| (format!("junk{n}"), json!({"a": [1, 2, 3, n]}))).collect();
        many.insert("path".to_owned(), "/".repeat(4000).into());
        many.insert("recursive".to_owned(), true.into());
        let text = asked(many.into());
        assert!(text.contains(r#""recursive":true,"path":"//////"#), "{text}");
        assert!(text.contains("4,902 arguments") && text.contains("in `path`"), "{text}");
        assert!(text.chars().count() < 12_000, "{}", text.chars().count());
    }

    #[test]
    fn deep_and_wide_arguments_are_bounded() {
        let mut deep = json!("x".repeat(100_000));
        for _ in 0..60 {
            deep = json!({"a": deep, "b": [deep_item(), deep_item()]});
        }
        let text = asked(json!({ "deep": deep, "path": "/etc" }));
        assert!(text.contains(r#""path":"/etc""#), "{text}");
        assert!(text.chars().count() < 12_000, "{}", text.chars().count());
    }

    fn deep_item() -> Value {
        json!({"c": "y".repeat(100)})
    }

    #[test]
    fn names_are_escaped_in_the_question() {
        let long = "x".repeat(2000);
        let text = asked(json!({"a` (nothing else)? `": long, "b\u{200b}": 1}));
        assert!(text.contains(r#""b\u{200b}":1"#), "{text}");
        assert!(text.contains(r"in `a\u{60}\u{20}\u{28}"), "{text}");
        let remote = Tool::from_server("read` to run? It only reads. (`".to_owned(), String::new())
            .forwards(|_, _| Box::pin(async { Ok(Default::default()) }));
        let text = remote.approval_message(&json!({}));
        assert!(text.starts_with(r"Allow `read\u{60}\u{20}to\u{20}run"), "{text}");
    }

    #[test]
    fn numbers_are_read_by_thousands() {
        for (number, shown) in [(0, "0"), (999, "999"), (1000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(group_digits(number), shown);
        }
    }
}
