//! Random untrusted documents: schemas, skills, prompts and OpenAPI. Each is parsed or rejected, whatever it contains.

use genkit_schema::Schema;
use genkit_schema::internal::{Patterns, RepairedDialect, ToolInput, portable, repair};
use genkit_tests::fuzz::fuzz;
use genkit_tests::random_schemas::{named, schema, value};
use serde_json::{Map, Value, json};

/// Panics if a provider would reject the schema of a tool.
fn check_sent(schema: &Value, is_root: bool, given: &Value) {
    let Value::Object(map) = schema else {
        assert!(schema.is_boolean(), "not a schema: {schema} of {given}");
        return;
    };
    if is_root {
        assert_eq!(map.get("type"), Some(&json!("object")), "{schema} of {given}");
        for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "if"] {
            assert!(!map.contains_key(keyword), "`{keyword}` at the root: {schema} of {given}");
        }
    }
    let types = match map.get("type") {
        None => Vec::new(),
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
        }
        Some(other) => panic!("type {other}: {given}"),
    };
    let known = ["string", "number", "integer", "boolean", "array", "object", "null"];
    assert!(types.iter().all(|name| known.contains(&name.as_str())), "{types:?}: {given}");
    assert!(
        !types.iter().any(|name| name == "array") || map.contains_key("items"),
        "{schema}: {given}"
    );
    for (keyword, value) in map {
        match keyword.as_str() {
            "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                let named = value.as_object().unwrap_or_else(|| panic!("{keyword}: {given}"));
                named.values().for_each(|inner| check_sent(inner, false, given));
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let list = value.as_array().unwrap_or_else(|| panic!("{keyword}: {given}"));
                assert!(!list.is_empty(), "{keyword}: {given}");
                list.iter().for_each(|inner| check_sent(inner, false, given));
            }
            "items" | "not" | "if" | "then" | "additionalProperties" => {
                check_sent(value, false, given)
            }
            "required" => {
                assert!(value.as_array().unwrap().iter().all(Value::is_string), "{given}")
            }
            "enum" => assert!(!value.as_array().unwrap().is_empty(), "{given}"),
            "description" | "pattern" | "format" => {
                assert!(value.is_string(), "{keyword}: {given}")
            }
            _ => {}
        }
    }
}

fn count_members(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len() + map.values().map(count_members).sum::<usize>(),
        Value::Array(list) => list.iter().map(count_members).sum(),
        _ => 0,
    }
}

#[test]
fn every_schema_that_leaves_is_one_that_providers_accept() {
    fuzz("repaired schemas", &[], |rng| {
        for _ in 0..16 {
            let given = schema(rng, 4);
            let repaired = repair(given.clone(), Patterns::Supported).schema;
            let again = repair(repaired.clone(), Patterns::Supported).schema;
            assert_eq!(again, repaired, "a second repair of {given}");
            let shared = Schema::new(given.clone());
            let sent = shared.dialect::<ToolInput<RepairedDialect>>("t").unwrap();
            check_sent(sent, true, &given);
            portable(&repaired);
            let Some(names) = shared.property_names() else { continue };
            check_sent(names.renamed_schema(), false, &given);
            let arguments = value(rng, 3);
            let renamed = names.rename_arguments(arguments.clone());
            let restored = names.restore_arguments(renamed.clone());
            // An undeclared argument may have the name that a declared one gets.
            if count_members(&renamed) == count_members(&arguments) {
                assert_eq!(restored, arguments, "the arguments of {given}");
            } else {
                assert_eq!(names.rename_arguments(restored), renamed, "the arguments of {given}");
            }
        }
    });
}

#[test]
fn every_text_is_a_skill_and_a_prompt_or_an_error() {
    let lines = [
        "---",
        "name: a",
        "description: Use when: b",
        "description: d",
        "metadata:",
        "  x: [1",
        "model: x",
        "input: {schema: {a: string}}",
        "{{#if a}}",
        "{{/if}}",
        "{{> b}}",
        "\u{feff}",
        "\u{0}",
        "a: &b *b",
        "- c",
        "{{role \"user\"}}",
        "<<: x",
    ];
    fuzz("skills and prompts", &[], |rng| {
        let text: Vec<&str> = (0..rng.below(9)).map(|_| *rng.pick(&lines)).collect();
        let text = text.join(if rng.chance(80) { "\n" } else { "\r\n" });
        let strict = genkit_skills::SkillText::parse("f", &text);
        let lenient = genkit_skills::SkillText::parse_leniently("f", &text);
        assert!(strict.is_err() || lenient.is_ok(), "only the strict reader accepts {text:?}");
        let _ = genkit_dotprompt::PromptFile::parse("f", &text);
    });
}

#[test]
fn every_document_becomes_tools_or_an_error() {
    fuzz("OpenAPI", &[], |rng| {
        let parameter = json!({
            "name": rng.pick(&["a", "$b", "", "c d"]), "in": rng.pick(&["query", "path", "body", "header"]),
            "style": value(rng, 0), "schema": schema(rng, 3), "required": value(rng, 0)
        });
        let media = json!({ "schema": schema(rng, 3), "encoding": named(rng, 2) });
        let kinds = [
            "application/json",
            "*/*",
            "application/x-www-form-urlencoded",
            "text/*",
            "multipart/x",
            "",
        ];
        let path = *rng.pick(&["/a", "/{a}", "/a#b", "/{$b}/..", "a", "/{"]);
        let mut content = Map::new();
        content.insert((*rng.pick(&kinds)).to_owned(), media);
        let mut paths = Map::new();
        let operation = json!({
            "operationId": value(rng, 0), "parameters": [parameter, value(rng, 2)],
            "requestBody": { "content": content }, "responses": value(rng, 3), "tags": value(rng, 1)
        });
        paths.insert(path.to_owned(), json!({ "post": operation, "get": value(rng, 2) }));
        let document = json!({
            "openapi": rng.pick(&["3.0.3", "3.1.0"]), "paths": paths, "components": value(rng, 3)
        });
        let client = genkit_openapi::reqwest::Client::builder();
        let tools = genkit_openapi::tools_from_openapi(document.clone(), client);
        let Ok(tools) = tools.base_url("https://example.com").build() else { return };
        for tool in tools {
            assert_eq!(tool.input_schema()["type"], "object", "{document}");
        }
    });
}
