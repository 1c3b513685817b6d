use genkit_schema::internal::bounded_json::{MAX_JSON_VALUES, ValueBudget};
use genkit_schema::internal::{Schemas, Strictness};
use serde_json::{Value, json};

fn held(text: &str, place: usize) -> Option<Value> {
    genkit_schema::internal::parse_embedded_json(text, place, &ValueBudget::default())
}

#[test]
fn string_that_would_nest_too_deeply_stays_text() {
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(held(&nested, 28).is_some());
    assert!(held(&nested, 29).is_none());
    assert!(held("no JSON", 0).is_none());
}

/// Returns a list of `lists` lists with one number each. A list counts as three values and a number as one.
fn list_text(lists: usize) -> String {
    format!("[{}]", vec!["[0]"; lists].join(","))
}

#[test]
fn many_values_in_strings_stay_text() {
    assert!(held(&list_text(MAX_JSON_VALUES / 4 - 1), 0).is_some());
    assert!(held(&list_text(MAX_JSON_VALUES / 4), 0).is_none());

    let schema = json!({"type": "object", "additionalProperties": {"type": "array"}});
    let schemas = Schemas::foreign(schema, None);
    let half = list_text(MAX_JSON_VALUES / 8);
    schemas.check_input(json!({"a": half}), Strictness::Lenient).expect("within the limit");
    let error = schemas.check_input(json!({"a": half, "b": half}), Strictness::Lenient);
    let error = error.expect_err("all strings of a call share a budget").to_string();
    assert!(error.contains("`b`"), "{error}");
}
