//! JSON with comments and trailing commas (JSONC). Duplicate keys are reported to the caller, because otherwise the last
//! of two servers with the same name would silently win.

use jsonc_parser::ast;
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use genkit_schema::internal::bounded_json::{
    MAX_RESPONSE_VALUES, changed_number_error, is_changed_number, may_have_more_values,
};

use crate::error::ErrorReason;

/// Allows only the JSON extensions that editors allow, so that a file works the same in other programs.
pub(crate) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A value, and an error for each duplicate key in it. The last value of a key is kept.
#[derive(Debug)]
pub(crate) struct Parsed<T> {
    pub(crate) value: T,
    pub(crate) duplicates: Vec<ErrorReason>,
}

/// Parses the text of a file.
pub(crate) fn parse_value(text: &str) -> Result<Parsed<Value>, ErrorReason> {
    let text = text.trim_start_matches('\u{feff}');
    let Parsed { value, duplicates } = parse_any(text)?;
    let end = Range::new(text.len(), text.len());
    let value = value.ok_or_else(|| error_at(text, end, "expected a value".to_owned()))?;
    Ok(Parsed { value, duplicates })
}

/// Parses text that may be empty except for comments.
pub(crate) fn parse_any(text: &str) -> Result<Parsed<Option<Value>>, ErrorReason> {
    // Check this before the tree is built. The contents of strings and comments count as well, because a quote in a
    // comment does not begin a string.
    if may_have_more_values(text, MAX_RESPONSE_VALUES) {
        let reason = format!("the file has more than {MAX_RESPONSE_VALUES} values");
        return Err(ErrorReason::Syntax { line: 1, column: 1, reason });
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS);
    let parsed = parsed.map_err(|error| syntax_error(&error))?;
    let mut duplicates = Vec::new();
    let value = parsed.value.map(|root| convert_value(text, root, &mut duplicates)).transpose()?;
    Ok(Parsed { value, duplicates })
}

pub(crate) fn syntax_error(error: &ParseError) -> ErrorReason {
    let (line, column) = (error.line_display(), error.column_display());
    ErrorReason::Syntax { line, column, reason: error.kind().to_string() }
}

fn convert_value(
    text: &str,
    parsed: ast::Value<'_>,
    duplicates: &mut Vec<ErrorReason>,
) -> Result<Value, ErrorReason> {
    Ok(match parsed {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::NumberLit(literal) if is_changed_number(literal.value.as_bytes()) => {
            let reason = changed_number_error(literal.value).to_string();
            return Err(error_at(text, literal.range, reason));
        }
        ast::Value::NumberLit(literal) => serde_json::from_str(literal.value)
            .map_err(|_| error_at(text, literal.range, "not a number".to_owned()))?,
        ast::Value::Array(array) => {
            let values = array.elements.into_iter();
            let values = values.map(|element| convert_value(text, element, duplicates));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        ast::Value::Object(object) => {
            let mut map = Map::new();
            for property in object.properties {
                let range = property.range();
                let key = property.name.into_string();
                // Some files use keys as comments, possibly repeatedly.
                if map.contains_key(&key) && !key.starts_with("//") {
                    duplicates.push(error_at(text, range, format!("duplicate key `{key}`")));
                }
                map.insert(key, convert_value(text, property.value, duplicates)?);
            }
            Value::Object(map)
        }
    })
}

fn error_at(text: &str, range: Range, reason: String) -> ErrorReason {
    let before = &text[..range.start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ErrorReason::Syntax { line, column, reason }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out() {
        for (text, expected) in [
            ("{\"a\": [1, 2, ], }", json!({"a": [1, 2]})),
            ("{ // c, }\n\"a\":1}", json!({"a": 1})),
            ("[1, /* x */ // y\n]", json!([1])),
            ("{\"u\": \"http://x/*\", \"q\": \"\\\"//\"}", json!({"u": "http://x/*", "q": "\"//"})),
            ("[\",]\"]", json!([",]"])),
            ("\u{feff}[]", json!([])),
            ("{\"//\": 1, \"//\": 2, \"a\": 1e300}", json!({"//": 2, "a": 1e300})),
        ] {
            assert_eq!(parse_value(text).unwrap().value, expected, "{text}");
        }
    }

    /// Extensions of JSON other than comments and trailing commas are rejected, with their position.
    #[test]
    fn other_forms_of_json_are_rejected() {
        for (text, line, column) in [
            ("// ü", 1, 5),
            ("/", 1, 1),
            ("\"\\", 1, 1),
            ("[,]", 1, 2),
            ("{a: 1}", 1, 2),
            ("{'a': 1}", 1, 2),
            ("[1\n 2]", 1, 3),
            ("[+1]", 1, 2),
            ("[0x1]", 1, 2),
            ("[1e999]", 1, 2),
            ("[NaN]", 1, 2),
            ("[] []", 1, 4),
        ] {
            match parse_value(text) {
                Err(ErrorReason::Syntax { line: l, column: c, .. }) => {
                    assert_eq!((l, c), (line, column), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        let twice = parse_value("{\"ü\": 1,\n  \"ü\": 2}").unwrap();
        assert_eq!(twice.value, json!({"ü": 2}));
        assert!(
            matches!(twice.duplicates[..], [ErrorReason::Syntax { line: 2, column: 3, .. }]),
            "{:?}",
            twice.duplicates
        );
        let deep = "[".repeat(100_000);
        assert!(parse_value(&deep).is_err());
    }

    #[test]
    fn values_are_counted_before_the_tree_is_built() {
        let many = |item: &str| format!("// don't \"\n[{}0]", item.repeat(MAX_RESPONSE_VALUES));
        for item in ["0,", "[],", "[0],/* \" */"] {
            let error = parse_value(&many(item)).unwrap_err().to_string();
            assert!(error.contains("more than 1000000 values"), "{error}");
        }
        assert!(parse_value(&format!("[{}0]", "0,".repeat(10_000))).is_ok());
    }

    #[test]
    fn number_that_would_be_rounded_is_rejected_with_its_position() {
        for number in ["18446744073709551616", "0.1234567890123456789"] {
            match parse_value(&format!("{{\n \"a\": {number}}}")) {
                Err(ErrorReason::Syntax { line: 2, column: 7, reason }) => {
                    assert!(reason.contains(number), "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    proptest::proptest! {
        /// JSON is parsed unchanged.
        #[test]
        fn json_is_parsed_unchanged(key: String, values: Vec<String>) {
            let value = json!({ "a": values, key: [null, true, -1.5e-7, u64::MAX, {}] });
            let text = serde_json::to_string_pretty(&value).unwrap();
            proptest::prop_assert_eq!(parse_value(&text).unwrap().value, value);
        }
    }
}
