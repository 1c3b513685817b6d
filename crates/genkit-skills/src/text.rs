//! The text of a `SKILL.md`: its frontmatter and its instructions.
//!
//! Authors get an error for each broken rule. Third-party skills are read leniently:
//!
//! | in the file | read as |
//! |---|---|
//! | a byte order mark | the text after it |
//! | a description above the limit | the whole description, with a warning |
//! | an unquoted value that contains a colon | the rest of the line, as text |
//! | no frontmatter, no name, an invalid name | an error for this skill; the other skills are loaded |

use genkit_dotprompt::{MAX_FRONTMATTER_BYTES, yaml};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::limits::MAX_DESCRIPTION;
use crate::name::check_name;

/// The prefix of keys in `metadata` that are reserved for MCP's extensions. No such key is defined yet.
const RESERVED: &str = "io.modelcontextprotocol/";

/// A parsed `SKILL.md`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillText<'a> {
    /// The complete frontmatter, unprocessed.
    pub frontmatter: Map<String, Value>,
    /// The text below the frontmatter.
    pub instructions: &'a str,
    /// The line of the file on which the instructions start, counted from 1.
    pub first_line: usize,
}

/// The rules that a `SKILL.md` must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// All rules of the format.
    Author,
    /// The rules without which the skill cannot be used. A violation of any other rule results in a warning.
    Reader,
}

impl<'a> SkillText<'a> {
    /// Parses a `SKILL.md` by the rules for authors. Errors refer to it as `file`.
    ///
    /// # Errors
    /// Returns an error if the text does not begin with a frontmatter, if the frontmatter is not valid YAML, or if its
    /// `name` or `description` is missing or invalid.
    pub fn parse(file: &str, text: &'a str) -> Result<Self, Error> {
        Self::parse_by(Rules::Author, file, text).map(|(parsed, _)| parsed)
    }

    /// Parses a third-party `SKILL.md`. A byte order mark, a description that is too long, and values with a colon that
    /// are not in quotes are accepted.
    ///
    /// # Errors
    /// Returns an error if there is no frontmatter with a valid `name` and a `description`.
    pub fn parse_leniently(file: &str, text: &'a str) -> Result<Self, Error> {
        Self::parse_by(Rules::Reader, file, text).map(|(parsed, _)| parsed)
    }

    /// Parses a `SKILL.md`, and returns warnings about the rules that it does not follow.
    pub(crate) fn parse_by(
        rules: Rules,
        file: &str,
        text: &'a str,
    ) -> Result<(Self, Vec<Error>), Error> {
        let wrong = |place, message: String| Err(Error::for_file(file, message).with_place(place));
        let is_lenient = rules == Rules::Reader;
        let text = if is_lenient { text.trim_start_matches('\u{feff}') } else { text };
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
        let mut warnings = Vec::new();
        let frontmatter = match yaml(yaml_text) {
            Ok(frontmatter) => frontmatter,
            Err(error) => {
                // The first line of the YAML is the second line of the file.
                let error = Error::for_file(file, error.message())
                    .with_place((error.line() + 1, error.column()));
                match yaml(&quote_values(yaml_text)).ok().filter(|_| is_lenient) {
                    Some(frontmatter) => {
                        warnings.push(error);
                        frontmatter
                    }
                    None => return Err(error),
                }
            }
        };
        for (path, message, is_severe) in check_frontmatter(&frontmatter) {
            let (line, column) = genkit_dotprompt::yaml_place(yaml_text, &path);
            let place = if line == 0 { (1, 1) } else { (line + 1, column) };
            let error = Error::for_file(file, message).with_place(place);
            if is_severe || !is_lenient {
                return Err(error);
            }
            warnings.push(error);
        }
        Ok((Self { frontmatter, instructions, first_line }, warnings))
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.frontmatter["name"].as_str().unwrap_or_default()
    }
}

/// Returns the errors of a frontmatter. Each consists of the keys that lead to the value, a message, and whether the
/// skill cannot be used.
fn check_frontmatter(frontmatter: &Map<String, Value>) -> Vec<(Vec<String>, String, bool)> {
    let mut errors = Vec::new();
    let text = |key: &str, example: &str| match frontmatter.get(key) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => {
            Err((vec![key.to_owned()], format!("`{key}` must be text; write it in quotes"), true))
        }
        None => Err((Vec::new(), format!("`{key}` is missing; write `{key}: {example}`"), true)),
    };
    let name = text("name", "the name of the folder").and_then(|name| {
        let wrong =
            |why| (vec!["name".to_owned()], format!("`{}`: {why}", name.escape_debug()), true);
        check_name(name).map_err(wrong)
    });
    errors.extend(name.err());
    let description = text("description", "what the skill does, and when to use it");
    let description = description.map_err(|error| errors.push(error)).ok();
    if let Some(description) = description {
        let length = description.chars().count();
        let is_empty = description.trim().is_empty();
        if is_empty || length > MAX_DESCRIPTION {
            let message = format!(
                "the description must have 1 to {MAX_DESCRIPTION} characters, but has {length}"
            );
            errors.push((vec!["description".to_owned()], message, is_empty));
        }
    }
    if let Some(Value::Object(metadata)) = frontmatter.get("metadata")
        && let Some(key) = metadata.keys().find(|key| key.starts_with(RESERVED))
    {
        let message = format!("keys that begin with `{RESERVED}` are reserved; rename `{key}`");
        errors.push((vec!["metadata".to_owned(), key.clone()], message, true));
    }
    errors
}

/// Puts the values of keys in quotes. Without quotes, a value such as `Use this when: ..` is not valid YAML.
fn quote_values(yaml_text: &str) -> String {
    let lines = yaml_text.lines().map(|line| {
        let is_key = |key: &str| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        };
        match line.split_once(':') {
            Some((key, value)) if is_key(key) => {
                let value = value.trim();
                let is_other = value.is_empty()
                    || value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '#']);
                if is_other { line.to_owned() } else { format!("{key}: {}", Value::from(value)) }
            }
            _ => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text below the first line, if that is a marker.
fn skip_opening(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    is_marker(first).then_some(rest)
}

/// Splits a string into the YAML, the instructions, and the line on which the instructions start.
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
    fn error_has_a_line_and_a_remedy() {
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
    fn third_party_skill_needs_only_a_name_and_description() {
        let long = "x".repeat(MAX_DESCRIPTION + 1);
        for (text, description, warnings) in [
            ("---\nname: a\ndescription: Use this when: b\n---\n", "Use this when: b", 1),
            (
                "---\nname: a\ndescription: say \"a\": b # c\nmetadata:\n  x: 1\n---\n",
                "say \"a\": b # c",
                1,
            ),
            ("---\r\nname: a\r\ndescription: @b: c\r\n---\r\n", "@b: c", 1),
            ("\u{feff}---\nname: a\ndescription: d\n---\n", "d", 0),
            (&format!("---\nname: a\ndescription: {long}\n---\n"), &long, 1),
        ] {
            let (parsed, found) = SkillText::parse_by(Rules::Reader, "f", text).expect(text);
            assert_eq!(parsed.frontmatter["description"], description, "{text:?}");
            assert_eq!(found.len(), warnings, "{text:?}");
            assert!(SkillText::parse("f", text).is_err(), "{text:?}");
        }
        for text in [
            "---\nname: a\n---\n",
            "---\nname: a\ndescription: [\n---\n",
            "---\nname: A b\ndescription: d\n---\n",
        ] {
            assert!(SkillText::parse_leniently("f", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn any_line_ending_is_accepted() {
        let text = "---\r\nname: a\r\ndescription: d\r\n---\r\nDo.\r\n";
        let read = SkillText::parse("f", text).unwrap();
        assert_eq!((read.name(), read.instructions, read.first_line), ("a", "Do.\r\n", 5));
        let read = SkillText::parse("f", "---\nname: a\ndescription: d\n---").unwrap();
        assert_eq!(read.instructions, "");
    }
}
