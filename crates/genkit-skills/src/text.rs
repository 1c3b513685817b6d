//! The text of a `SKILL.md`: its frontmatter and its instructions.

use genkit_dotprompt::{MAX_FRONTMATTER_BYTES, yaml};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::limits::MAX_DESCRIPTION;
use crate::name::check_name;

/// The prefix of keys in `metadata` that are reserved for MCP's extensions. None are defined yet.
const RESERVED: &str = "io.modelcontextprotocol/";

/// A parsed `SKILL.md`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillText<'a> {
    /// The complete frontmatter, unprocessed.
    pub frontmatter: Map<String, Value>,
    /// The text below the frontmatter.
    pub instructions: &'a str,
    /// The line of the file on which the instructions begin, counted from 1.
    pub first_line: usize,
}

impl<'a> SkillText<'a> {
    /// Parses a `SKILL.md`. Errors refer to it as `file`.
    ///
    /// # Errors
    /// Returns an error if the text does not begin with a frontmatter, if the frontmatter is not valid YAML, or if its
    /// `name` or `description` is missing or invalid.
    pub fn parse(file: &str, text: &'a str) -> Result<Self, Error> {
        let wrong = |place, message: String| Err(Error::for_file(file, message).with_place(place));
        let Some(split) = split_frontmatter(text) else {
            let message = match text.starts_with('\u{feff}') {
                true => {
                    "a byte order mark (U+FEFF) precedes the frontmatter; save the file without one"
                }
                false if skip_opening(text).is_some() => {
                    "the frontmatter is never closed; write `---` below its last key"
                }
                false => {
                    "the frontmatter is missing; begin the file with `---`, `name: ..`, `description: ..`, `---`"
                }
            };
            return wrong((1, 1), message.to_owned());
        };
        let (yaml_text, instructions, first_line) = split;
        if yaml_text.len() > MAX_FRONTMATTER_BYTES {
            let message = format!("the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes");
            return wrong((1, 1), message);
        }
        let frontmatter = match yaml(yaml_text) {
            Ok(frontmatter) => frontmatter,
            // The first line of the YAML is the second line of the file.
            Err(error) => return wrong((error.line() + 1, error.column()), error.message()),
        };
        if let Err((path, message)) = check_frontmatter(&frontmatter) {
            let (line, column) = genkit_dotprompt::yaml_place(yaml_text, &path);
            let place = if line == 0 { (1, 1) } else { (line + 1, column) };
            return wrong(place, message);
        }
        Ok(Self { frontmatter, instructions, first_line })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.frontmatter["name"].as_str().unwrap_or_default()
    }
}

/// Returns the error of a frontmatter, and the keys that lead to it.
fn check_frontmatter(frontmatter: &Map<String, Value>) -> Result<(), (Vec<String>, String)> {
    let text = |key: &str, example: &str| match frontmatter.get(key) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err((vec![key.to_owned()], format!("`{key}` must be text; write it in quotes"))),
        None => Err((Vec::new(), format!("`{key}` is missing; write `{key}: {example}`"))),
    };
    let name = text("name", "the name of the folder")?;
    if let Err(why) = check_name(name) {
        return Err((vec!["name".to_owned()], format!("`{}`: {why}", name.escape_debug())));
    }
    let description = text("description", "what the skill does, and when to use it")?;
    let length = description.chars().count();
    if description.trim().is_empty() || length > MAX_DESCRIPTION {
        let message = format!(
            "the description must have 1 to {MAX_DESCRIPTION} characters, but has {length}"
        );
        return Err((vec!["description".to_owned()], message));
    }
    if let Some(Value::Object(metadata)) = frontmatter.get("metadata")
        && let Some(key) = metadata.keys().find(|key| key.starts_with(RESERVED))
    {
        let message = format!("keys that begin with `{RESERVED}` are reserved; rename `{key}`");
        return Err((vec!["metadata".to_owned(), key.clone()], message));
    }
    Ok(())
}

/// Returns the text below the first line, if that is a marker.
fn skip_opening(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    is_marker(first).then_some(rest)
}

/// Splits a text into the YAML, the instructions, and the line on which the instructions begin.
fn split_frontmatter(text: &str) -> Option<(&str, &str, usize)> {
    let rest = skip_opening(text)?;
    let (mut at, mut line) = (0, 2);
    for piece in rest.split_inclusive('\n') {
        line += 1;
        if is_marker(piece) {
            return Some((&rest[..at], &rest[at + piece.len()..], line));
        }
        at += piece.len();
    }
    None
}

fn is_marker(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim_end().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_has_its_line_and_what_to_do() {
        for (text, line, said) in [
            ("# a\n", 1, "the frontmatter is missing"),
            ("", 1, "the frontmatter is missing"),
            ("\u{feff}---\nname: a\n---\n", 1, "byte order mark"),
            ("---\nname: a\ndescription: d\n", 1, "never closed"),
            ("---\nname: a\n---\n", 1, "`description` is missing"),
            ("---\ndescription: d\n---\n", 1, "`name` is missing"),
            ("---\ndescription: d\nname: 7\n---\n", 3, "must be text"),
            ("---\ndescription: d\nname: a_b\n---\n", 3, "`a-z`"),
            ("---\nname: a\ndescription: ' '\n---\n", 3, "1 to 1024"),
            ("---\nname: a\nname: b\n---\n", 3, "name"),
            (
                "---\nname: a\ndescription: d\nmetadata:\n  io.modelcontextprotocol/x: 1\n---\n",
                5,
                "reserved",
            ),
        ] {
            let error = SkillText::parse("f", text).expect_err(text);
            assert!(error.message().contains(said), "{text:?}: {error}");
            assert_eq!(error.line(), line, "{text:?}: {error}");
        }
    }

    #[test]
    fn line_ends_and_an_end_without_one_are_no_mistake() {
        let text = "---\r\nname: a\r\ndescription: d\r\n---\r\nDo.\r\n";
        let read = SkillText::parse("f", text).unwrap();
        assert_eq!((read.name(), read.instructions, read.first_line), ("a", "Do.\r\n", 5));
        let read = SkillText::parse("f", "---\nname: a\ndescription: d\n---").unwrap();
        assert_eq!(read.instructions, "");
    }
}
