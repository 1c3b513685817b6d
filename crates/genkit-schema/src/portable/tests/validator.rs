//! Tests of the portable schemas of the type zoo with a validator (feature `validation`).

use serde_json::{Value, json};

use super::{portable, zoo};
use crate::json::pointer;

#[test]
fn portable_schemas_are_valid_in_both_drafts() {
    for (name, exact, exact_output) in zoo::zoo() {
        for schema in [portable(&exact).schema, portable(&exact_output).schema] {
            let draft7 = jsonschema::draft7::meta::validate(&schema);
            assert!(draft7.is_ok(), "{name} in draft 7: {draft7:?}\n{schema:#}");
            let newest = jsonschema::draft202012::meta::validate(&schema);
            assert!(newest.is_ok(), "{name} in draft 2020-12: {newest:?}\n{schema:#}");
        }
    }
}

/// Returns whether the value is valid. Both drafts must agree, including formats.
fn accepts(schema: &Value, value: &Value) -> bool {
    let options = || jsonschema::options().should_validate_formats(true);
    let draft7 = options().with_draft(jsonschema::Draft::Draft7).build(schema).expect("draft 7");
    let newest =
        options().with_draft(jsonschema::Draft::Draft202012).build(schema).expect("draft 2020-12");
    assert_eq!(draft7.is_valid(value), newest.is_valid(value), "{schema:#}\n{value:#}");
    newest.is_valid(value)
}

#[test]
fn portable_result_schemas_accept_what_serde_writes() {
    for case in zoo::cases() {
        let schema = portable(&case.exact_output).schema;
        for sample in &case.samples {
            assert!(accepts(&schema, sample), "{}: {sample:#}\nagainst {schema:#}", case.name);
        }
    }
}

/// Removes null arguments if omitting them has the same meaning, like a client that uses the portable schema.
fn leave_null_out(value: &Value, exact: &jsonschema::Validator, root: &Value) -> Value {
    let mut lean = root.clone();
    for pointer in null_members(value, "") {
        let (parent, key) = pointer.rsplit_once('/').expect("a member has a parent");
        let mut shorter = lean.clone();
        let members = shorter
            .pointer_mut(parent)
            .and_then(Value::as_object_mut)
            .expect("the parent is an object");
        members.remove(key);
        if exact.is_valid(&shorter) {
            lean = shorter;
        }
    }
    lean
}

fn null_members(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Object(map) => {
            let members = map.iter().flat_map(|(key, value)| {
                let at = pointer::child(at, key);
                if value.is_null() { vec![at] } else { null_members(value, &at) }
            });
            members.collect()
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .flat_map(|(index, value)| null_members(value, &pointer::element(at, index)))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn portable_argument_schemas_accept_what_serde_reads() {
    for case in zoo::cases() {
        let schema = portable(&case.exact).schema;
        let exact = jsonschema::validator_for(&case.exact).expect("an exact schema is valid");
        for sample in &case.samples {
            let sample = leave_null_out(sample, &exact, sample);
            assert!(exact.is_valid(&sample), "{}: {sample:#}", case.name);
            assert!(accepts(&schema, &sample), "{}: {sample:#}\nagainst {schema:#}", case.name);
        }
    }
}

/// Returns variations of a value: each part replaced by values of other kinds, or removed.
fn variations(value: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!("x"),
        json!([]),
        json!([1, 1, 1, 1]),
        json!({}),
        json!({"x": 1}),
    ];
    let mut all = others.to_vec();
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let mut without = map.clone();
                without.remove(key);
                all.push(Value::Object(without));
                all.extend(variations(inner).into_iter().map(|other| {
                    let mut changed = map.clone();
                    changed.insert(key.clone(), other);
                    Value::Object(changed)
                }));
            }
            let mut more = map.clone();
            more.insert("unheard of".to_owned(), json!("x"));
            all.push(Value::Object(more));
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                all.extend(variations(inner).into_iter().map(|other| {
                    let mut changed = items.clone();
                    changed[index] = other;
                    Value::Array(changed)
                }));
            }
        }
        _ => {}
    }
    all
}

#[test]
fn arguments_are_narrowed_and_results_widened() {
    for case in zoo::cases() {
        let (input, output) = (portable(&case.exact), portable(&case.exact_output));
        let validator = |schema: &Value| jsonschema::validator_for(schema).expect("a valid schema");
        let (exact, exact_output) = (validator(&case.exact), validator(&case.exact_output));
        let (portable, portable_output) = (validator(&input.schema), validator(&output.schema));
        for value in case.samples.iter().flat_map(variations) {
            let is_understood =
                exact.is_valid(&value) || !portable.is_valid(&value) || !input.degraded.is_empty();
            assert!(is_understood, "{}: only the portable schema accepts {value}", case.name);
            // serde does not write null for a value that it can omit.
            let value = leave_null_out(&value, &exact_output, &value);
            let is_accepted = portable_output.is_valid(&value) || !exact_output.is_valid(&value);
            assert!(
                is_accepted,
                "{}: only the exact schema of the result accepts {value}",
                case.name
            );
        }
    }
}
