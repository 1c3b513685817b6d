//! Misspelled keys of a frontmatter, and defaults that do not match the schema of the input.

use serde_json::{Map, Value};

use super::run;
use super::variables::is_closed;
use crate::error::Error;
use crate::error_kind::{ErrorKind, Unknown, find_nearest};
use crate::frontmatter::RESERVED;
use crate::metadata::Metadata;
use crate::prompt::PromptFile;

/// Reports keys that are probably typos. Other unknown keys belong to other programs.
pub(super) fn check_key_names(prompt: &PromptFile) -> Vec<Error> {
    let Some(raw) = prompt.raw() else { return Vec::new() };
    let top: Vec<&str> = RESERVED.into_iter().chain(run::top_level_keys()).collect();
    let empty = Map::new();
    let input = raw.get("input").and_then(Value::as_object).unwrap_or(&empty);
    let sections: [(&[&str], _, &[&str]); 2] =
        [(&[], raw, &top), (&["input"], input, &["schema", "default"])];
    let mut errors = Vec::new();
    for (path, map, known) in sections {
        for key in map.keys().filter(|key| !known.contains(&key.as_str()) && !key.contains('.')) {
            let Some(near) = find_nearest(key, known.iter().copied()) else { continue };
            let fault = ErrorKind::MisspelledKey { key: key.clone(), near: near.to_owned() };
            let path: Vec<String> =
                path.iter().copied().chain([key.as_str()]).map(str::to_owned).collect();
            errors.push(prompt.at_key(Error::new(fault), &path));
        }
    }
    errors
}

/// Reports defaults without a field in the schema, and defaults that do not match the schema.
pub(super) fn check_defaults(prompt: &PromptFile, metadata: &Metadata) -> Vec<Error> {
    let (Some(defaults), Some(schema)) = (metadata.input_default(), metadata.input_schema()) else {
        return Vec::new();
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut errors = Vec::new();
    for (field, value) in defaults {
        let fault = match properties.and_then(|properties| properties.get(field)) {
            Some(property) if fits_schema(property, value) => continue,
            Some(property) => {
                ErrorKind::DefaultKind { field: field.clone(), schema: property.clone() }
            }
            None if !is_closed(schema) => continue,
            None => {
                let known = properties.into_iter().flat_map(Map::keys).map(String::as_str);
                ErrorKind::DefaultWithoutField(Unknown::new(field, known))
            }
        };
        let path = ["input", "default", field].map(str::to_owned);
        errors.push(prompt.at_key(Error::new(fault), &path));
    }
    errors
}

/// Returns whether a value matches the `type` and the `enum` of a schema.
fn fits_schema(schema: &Value, value: &Value) -> bool {
    let is_type = |name: &Value| match name.as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    let has_type = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(is_type),
        Some(one) => is_type(one),
        None => true,
    };
    let values = schema.get("enum").and_then(Value::as_array);
    has_type && values.is_none_or(|values| values.contains(value))
}

#[cfg(test)]
mod tests {
    use crate::{Environment, PromptFile};

    fn problems_in(frontmatter: &str) -> Vec<String> {
        let file = PromptFile::parse("p", &format!("---\n{frontmatter}\n---\nHi")).expect("YAML");
        Environment::default().check(&file).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn misspelled_keys_have_a_place_and_a_suggestion() {
        assert_eq!(
            problems_in("modle: a/b\ninput: {shema: {day: string}}\nmaxTurn: 3"),
            [
                "p:2:1: unknown key `modle`; did you mean `model`?",
                "p:3:9: unknown key `shema`; did you mean `schema`?",
                "p:4:1: unknown key `maxTurn`; did you mean `maxTurns`?",
            ]
        );
        assert_eq!(
            problems_in("owner: me\nmodel.x: 1\ninput: {schema: {day: string}, note: 1}"),
            [""; 0]
        );
    }

    #[test]
    fn defaults_fit_the_schema() {
        let schema = "input:\n  schema: {days: integer, kind(enum): [A, B], list(array): string, any: any}\n  default: ";
        let of = |default: &str| problems_in(&format!("{schema}{default}"));
        assert_eq!(of("{days: 3, kind: A, list: [x], any: {}}"), [""; 0]);
        assert_eq!(
            of("{day: 3, kind: C, days: many, list: x}"),
            [
                "p:4:13: the default of `day` has no field in the schema; did you mean `days`?",
                "p:4:21: the default of `kind` does not match its schema {\"enum\":[\"A\",\"B\"]}",
                "p:4:30: the default of `days` does not match its schema {\"type\":\"integer\"}",
                "p:4:42: the default of `list` does not match its schema \
                 {\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
            ]
        );
        assert_eq!(problems_in("input: {default: {day: 3}}"), [""; 0]);
    }

    #[test]
    fn role_is_checked_before_it_is_rendered() {
        let file = PromptFile::parse("p", "Hi {{role \"assistent\"}}").expect("a template");
        let errors = Environment::default().check(&file);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].to_string().starts_with("p:1:4: unknown role `assistent`"), "{errors:?}");
    }
}
