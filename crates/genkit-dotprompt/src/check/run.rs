//! Frontmatter keys that Genkit defines in addition to the specification.

use serde_json::Value;

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::prompt::PromptFile;

const FORMATS: [&str; 5] = ["text", "json", "array", "enum", "jsonl"];

type KeyRule = (&'static [&'static str], &'static str, fn(&Value) -> bool);

/// The rule for each key: its path, the expected value, and a function that checks the value.
const KEY_RULES: [KeyRule; 10] = [
    (&["title"], "text", Value::is_string),
    (&["maxTurns"], "a whole number", Value::is_u64),
    (&["toolChoice"], "`auto`, `required` or `none`", |value| {
        value.as_str().is_some_and(|word| ["auto", "required", "none"].contains(&word))
    }),
    (&["returnToolRequests"], "`true` or `false`", Value::is_boolean),
    (&["metadata"], "a map", Value::is_object),
    (&["use"], "a list of names, or of maps with `name` and `config`", |value| {
        let is_reference = |value: &Value| value.is_string() || value["name"].is_string();
        value.as_array().is_some_and(|all| all.iter().all(is_reference))
    }),
    (&["output", "format"], "`text`, `json`, `array`, `enum` or `jsonl`", |value| {
        value.as_str().is_some_and(|format| FORMATS.contains(&format))
    }),
    (&["output", "contentType"], "text", Value::is_string),
    (&["output", "constrained"], "`true` or `false`", Value::is_boolean),
    (&["output", "instructions"], "`true`, `false` or text", |value| {
        value.is_boolean() || value.is_string()
    }),
];

/// Returns the top-level keys that Genkit defines.
pub(super) fn top_level_keys() -> impl Iterator<Item = &'static str> {
    KEY_RULES.iter().filter(|(path, ..)| path.len() == 1).map(|(path, ..)| path[0])
}

impl PromptFile {
    /// Returns errors, with their positions, for invalid values of the keys that determine how Genkit runs a prompt,
    /// such as `maxTurns`, `toolChoice` and `use`.
    ///
    /// ```
    /// use genkit_dotprompt::PromptFile;
    ///
    /// let prompt = PromptFile::parse("p", "---\nmaxTurns: many\n---\nHi")?;
    /// assert_eq!(prompt.check_run()[0].to_string(), "p:2:1: `maxTurns` must be a whole number");
    /// # Ok::<(), genkit_dotprompt::Error>(())
    /// ```
    pub fn check_run(&self) -> Vec<Error> {
        let Some(raw) = self.raw() else { return Vec::new() };
        let invalid_key = |path: &[&str], expected| {
            let fault = ErrorKind::Key { key: path.join("."), expected };
            let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
            self.at_key(Error::new(fault), &path)
        };
        let mut errors = Vec::new();
        for (path, expected, fits) in KEY_RULES {
            let value = path.iter().try_fold(None, |value: Option<&Value>, key| {
                let value = match value {
                    Some(value) => value.get(*key),
                    None => raw.get(*key),
                };
                value.map(Some)
            });
            if let Some(Some(value)) = value
                && !value.is_null()
                && !fits(value)
            {
                errors.push(invalid_key(path, expected));
            }
        }
        let output = raw.get("output").and_then(Value::as_object);
        for key in output.into_iter().flat_map(serde_json::Map::keys) {
            let known = |(path, ..): &KeyRule| path.len() == 2 && path[1] == key;
            if key != "schema" && !KEY_RULES.iter().any(known) {
                let all =
                    "one of `schema`, `format`, `contentType`, `constrained` and `instructions`";
                errors.push(invalid_key(&["output", key], all));
            }
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use crate::PromptFile;

    fn problems_in(frontmatter: &str) -> Vec<String> {
        let file = PromptFile::parse("p", &format!("---\n{frontmatter}\n---\nHi")).expect("YAML");
        file.check_run().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn invalid_value_is_reported_with_its_position() {
        assert_eq!(
            problems_in(
                "maxTurns: 3\ntoolChoice: auto\nuse: [a, {name: b}]\noutput: {format: json}"
            ),
            [""; 0]
        );
        assert_eq!(problems_in("title: null\noutput: null"), [""; 0]);
        assert_eq!(
            problems_in(
                "model: a/b\nmaxTurns: -1\ntoolChoice: any\nuse: [5]\noutput:\n  formt: json\n  format: yaml"
            ),
            [
                "p:3:1: `maxTurns` must be a whole number",
                "p:4:1: `toolChoice` must be `auto`, `required` or `none`",
                "p:5:1: `use` must be a list of names, or of maps with `name` and `config`",
                "p:8:3: `output.format` must be `text`, `json`, `array`, `enum` or `jsonl`",
                "p:7:3: `output.formt` must be one of `schema`, `format`, `contentType`, `constrained` and \
                 `instructions`",
            ]
        );
    }
}
