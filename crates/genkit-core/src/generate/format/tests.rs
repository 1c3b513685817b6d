//! Tests of the output formats, with Genkit's test cases and additional cases.

use serde_json::{Value, json};

use super::parse::MAX_QUOTED;
use super::{Format, check_schema, output_instructions, parse_answer, parse_partial};
use crate::error::ErrorKind;
use genkit_schema::internal::partial_json::{extract, extract_items, extract_lines, partial};

/// Returns Genkit's test cases under a key, with their names.
fn cases(key: &str) -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(include_str!("cases.json")).unwrap();
    let cases = all[key].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    let format = |case: &Value| case["format"].as_str().unwrap_or(key).to_owned();
    cases.into_iter().map(|case| (format!("{}: {}", format(&case), case["name"]), case)).collect()
}

fn format_of(case: &Value) -> Format {
    Format::from_name(case["format"].as_str().unwrap()).unwrap()
}

fn is_error(case: &Value) -> bool {
    case["error"] == true
}

fn text(case: &Value) -> &str {
    case["text"].as_str().unwrap()
}

#[test]
fn genkit_extracts_items() {
    for (name, case) in cases("extract_items") {
        let (mut all, mut cursor) = (String::new(), 0);
        for step in case["steps"].as_array().unwrap() {
            all += step[0].as_str().unwrap();
            let (items, next) = extract_items(&all, cursor);
            assert_eq!(Value::Array(items), step[1], "{name} at {all:?}");
            cursor = next;
        }
    }
}

#[test]
fn genkit_extracts_json() {
    for (name, case) in cases("extract_json") {
        match is_error(&case) {
            true => assert!(parse_answer(Format::Json, text(&case)).is_err(), "{name}"),
            false => assert_eq!(extract(text(&case)).unwrap_or_default(), case["want"], "{name}"),
        }
    }
    for (name, case) in cases("parse_partial_json") {
        assert_eq!(partial(text(&case)).unwrap_or_default(), case["want"], "{name}");
    }
}

#[test]
fn genkit_reads_chunks() {
    for (name, case) in cases("chunks") {
        let format = format_of(&case);
        let (mut all, mut cursor) = (String::new(), 0);
        for chunk in case["chunks"].as_array().unwrap() {
            all += text(chunk);
            let so_far = parse_partial(format, &all).unwrap_or_default();
            assert_eq!(so_far, chunk["so_far"], "{name} at {all:?}");
            let new = match format {
                Format::Array => extract_items(&all, cursor),
                Format::Jsonl => extract_lines(&all, cursor),
                _ => {
                    let differs = chunk["want"] != chunk["so_far"];
                    assert_eq!(chunk.get("differs").is_some(), differs, "{name}: say why");
                    continue;
                }
            };
            assert_eq!(Value::Array(new.0), chunk["want"], "{name} at {all:?}");
            cursor = new.1;
        }
    }
}

#[test]
fn genkit_reads_messages() {
    for (name, case) in cases("messages") {
        let value = parse_answer(format_of(&case), text(&case));
        match value {
            Ok(value) => assert_eq!(value, case["want"], "{name}"),
            Err(error) => {
                assert!(is_error(&case) && case.get("differs").is_some(), "{name}: {error}")
            }
        }
    }
}

#[test]
fn genkit_checks_schemas() {
    for (name, case) in cases("schemas") {
        let error = check_schema(format_of(&case), &case["schema"]).expect_err(&name);
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{name}");
    }
}

#[test]
fn names() {
    for (format, name, content_type) in [
        (Format::Text, "text", "text/plain"),
        (Format::Json, "json", "application/json"),
        (Format::Array, "array", "application/json"),
        (Format::Enum, "enum", "text/enum"),
        (Format::Jsonl, "jsonl", "application/jsonl"),
    ] {
        assert_eq!((format.as_str(), format.content_type()), (name, content_type));
        assert_eq!(Format::from_name(name), Some(format));
        assert_eq!(serde_json::to_value(format).unwrap(), name);
        assert_eq!(serde_json::from_value::<Format>(json!(name)).unwrap(), format);
    }
    assert_eq!(Format::from_name("xml"), None);
}

#[test]
fn instructions_word_for_word() {
    let items = json!({ "type": "object", "properties": { "b": {}, "a": {} } });
    let schema = json!({ "type": "array", "items": items });
    assert_eq!(output_instructions(Format::Text, &schema), None);
    assert_eq!(
        output_instructions(Format::Json, &items).unwrap(),
        "Output should be in JSON format and conform to the following schema:\n\n```\n{\"type\":\"object\",\"properties\":{\"b\":{},\"a\":{}}}\n```\n"
    );
    assert_eq!(
        output_instructions(Format::Array, &json!({ "type": "array" })).unwrap(),
        "Output should be a JSON array conforming to the following schema:\n    \n```\n{\"type\":\"array\"}\n```\n    "
    );
    assert_eq!(
        output_instructions(Format::Jsonl, &schema).unwrap(),
        "Output should be JSONL format, a sequence of JSON objects (one per line) separated by a newline `\\n` character. Each line should be a JSON object conforming to the following schema:\n\n```\n{\"type\":\"object\",\"properties\":{\"b\":{},\"a\":{}}}\n```\n    "
    );
    assert_eq!(output_instructions(Format::Jsonl, &json!({ "type": "array" })), None);
    let words = "Output should be ONLY one of the following enum values. Do not output any additional information or add quotes.\n\n";
    for schema in [
        json!({ "enum": ["a", 1] }),
        json!({ "oneOf": [{ "const": "a", "description": "A." }, { "enum": [1] }] }),
    ] {
        assert_eq!(output_instructions(Format::Enum, &schema).unwrap(), format!("{words}a\n1"));
    }
    assert_eq!(output_instructions(Format::Enum, &json!({ "type": "string" })), None);
    // A reference needs the definition that it refers to.
    let schema = json!({ "type": "array", "items": { "$ref": "#/$defs/A" }, "$defs": { "A": { "type": "object" } } });
    let text = output_instructions(Format::Jsonl, &schema).unwrap();
    assert!(text.contains(r##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}"##), "{text}");
}

#[test]
fn schemas_that_fit() {
    let objects = json!({ "oneOf": [{ "type": "object" }, { "type": "object" }] });
    for (format, schema) in [
        (Format::Text, json!(true)),
        (Format::Json, json!({ "type": "number" })),
        (Format::Array, json!({ "type": "array" })),
        (Format::Enum, json!({ "type": "string" })),
        (Format::Enum, json!({ "type": "enum" })),
        (Format::Enum, json!({ "enum": [1, 2] })),
        (Format::Enum, json!({ "oneOf": [{ "const": "a" }, { "enum": ["b"] }] })),
        (Format::Jsonl, json!({ "type": "array", "items": { "type": "object" } })),
        (Format::Jsonl, json!({ "type": "array", "items": objects })),
        (
            Format::Jsonl,
            json!({ "type": "array", "items": { "$ref": "#/$defs/A" }, "$defs": { "A": objects } }),
        ),
    ] {
        assert!(check_schema(format, &schema).is_ok(), "{format:?} {schema}");
    }
    for (format, schema) in [
        (Format::Array, json!({ "type": ["array", "null"] })),
        (Format::Enum, json!({ "oneOf": [{ "const": "a" }, { "type": "object" }] })),
        (Format::Jsonl, json!({ "type": "array" })),
        (Format::Jsonl, json!({ "type": "array", "items": { "$ref": "#/$defs/B" } })),
        (Format::Jsonl, json!({ "type": "array", "items": { "oneOf": [] } })),
    ] {
        assert!(check_schema(format, &schema).is_err(), "{format:?} {schema}");
    }
}

#[test]
fn non_object_values_are_parsed() {
    for (text, value) in [
        ("0", json!(0)),
        (" false\n", json!(false)),
        ("\"\"", json!("")),
        ("null", json!(null)),
        ("\"use {a}\"", json!("use {a}")),
        ("```json\n42\n```", json!(42)),
        ("```\n\"x\"\n```\n", json!("x")),
        ("{\"a\": \"cut off", json!({ "a": "cut off" })),
    ] {
        assert_eq!(parse_answer(Format::Json, text).unwrap(), value, "{text:?}");
    }
    assert_eq!(parse_answer(Format::Array, "So: [\"a\", 1, null").unwrap(), json!(["a", 1, null]));
    assert_eq!(parse_answer(Format::Enum, " \"it's\" ").unwrap(), "it's");
    assert_eq!(parse_answer(Format::Enum, "").unwrap(), "");
    assert_eq!(parse_partial(Format::Json, " \"use {a"), Some(json!("use {a")));
    assert_eq!(parse_partial(Format::Enum, "VAL"), None);
    assert_eq!(parse_partial(Format::Array, "[1, 2"), Some(json!([1])));
}

#[test]
fn errors_name_the_expected_format_and_quote_an_excerpt() {
    for (format, text, said) in [
        (Format::Json, "I cannot do that.", "JSON"),
        (Format::Json, "{\"a\": oops}", "JSON"),
        (Format::Array, "none", "no array"),
        (Format::Array, "[{\"a\": 1} {\"b\": 2}]", "malformed"),
        (Format::Jsonl, "{\"a\": 1}\n{\"b\": oops}\n{\"c\": 3}", "oops"),
    ] {
        let error = parse_answer(format, text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(said), "{error}");
    }
    let quoted = |count| parse_answer(Format::Json, &"é".repeat(count)).unwrap_err().to_string();
    assert!(quoted(MAX_QUOTED).ends_with("é\""));
    let longer = quoted(MAX_QUOTED + 1);
    assert!(longer.ends_with("é…\""));
    assert_eq!(longer.matches('é').count(), MAX_QUOTED);
}
