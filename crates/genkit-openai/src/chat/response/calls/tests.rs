use serde_json::{Value, json};

use super::{MAX_CALLS, ToolCallAssembler};

/// Returns the name, id and arguments of each call. If `of_entries` is true, the fragments are the entries of a
/// complete response.
fn assembled(of_entries: bool, fragments: Value) -> Vec<(String, Option<String>, String)> {
    let tools = ["weather", "list_all", "get", "get_all"].map(str::to_owned);
    let mut calls = ToolCallAssembler::new(tools.to_vec());
    for fragment in fragments.as_array().unwrap() {
        let call = serde_json::from_value(fragment.clone()).unwrap();
        if of_entries {
            calls.add_entry(call).unwrap();
        } else {
            calls.add_fragment(call).unwrap();
        }
    }
    let calls = calls.assemble().into_iter();
    calls.map(|call| (call.called.name, call.called.id, call.called.arguments)).collect()
}

/// Returns a fragment. An empty name or id, and a negative index, are omitted.
fn piece(index: i64, id: &str, name: &str, arguments: &str) -> Value {
    json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
}

fn streamed(fragments: &[Value]) -> Vec<(String, String)> {
    let calls = assembled(false, json!(fragments)).into_iter();
    calls.map(|(name, _, arguments)| (name, arguments)).collect()
}

fn called(calls: &[(&str, &str)]) -> Vec<(String, String)> {
    calls.iter().map(|(name, input)| ((*name).to_owned(), (*input).to_owned())).collect()
}

const ROME: &str = r#"{"city":"Rome"}"#;
const OSLO: &str = r#"{"city":"Oslo"}"#;

#[test]
fn each_row_of_the_table_continues_or_starts_a_call() {
    for (row, fragments, expected) in [
        (
            1,
            vec![piece(0, "", "list_all", ""), piece(0, "", "weather", ROME)],
            vec![("list_all", ""), ("weather", ROME)],
        ),
        (
            1,
            vec![piece(-1, "", "list_all", ""), piece(-1, "", "weather", ROME)],
            vec![("list_all", ""), ("weather", ROME)],
        ),
        (
            2,
            vec![piece(0, "a", "wea", ""), piece(0, "", "ther", ""), piece(0, "", "", ROME)],
            vec![("weather", ROME)],
        ),
        (2, vec![piece(0, "", "get", ""), piece(0, "", "_all", "{}")], vec![("get_all", "{}")]),
        (2, vec![piece(0, "", "wea", ""), piece(0, "", "weather", ROME)], vec![("weather", ROME)]),
        (
            3,
            vec![piece(0, "", "", r#"{"city":"#), piece(0, "a", "weather", r#""Rome"}"#)],
            vec![("weather", ROME)],
        ),
        (
            4,
            vec![piece(0, "a", "weather", ROME), piece(1, "a", "weather", OSLO)],
            vec![("weather", ROME), ("weather", OSLO)],
        ),
        (
            5,
            vec![piece(0, "a", "weather", ""), piece(0, "a", "weather", ROME)],
            vec![("weather", ROME)],
        ),
        (
            5,
            vec![piece(0, "", "weather", ROME), piece(0, "", "weather", OSLO)],
            vec![("weather", ROME), ("weather", OSLO)],
        ),
        (
            6,
            vec![piece(0, "a", "weather", ROME), piece(0, "b", "weather", OSLO)],
            vec![("weather", ROME), ("weather", OSLO)],
        ),
        (
            6,
            vec![piece(0, "a", "weather", r#"{"city":"#), piece(0, "b", "weather", r#""Rome"}"#)],
            vec![("weather", ROME)],
        ),
        (
            7,
            vec![
                piece(0, "a", "weather", ROME),
                piece(0, "b", "", OSLO),
                piece(0, "b", "weather", ""),
            ],
            vec![("weather", ROME), ("weather", OSLO)],
        ),
        (
            8,
            vec![piece(0, "", "weather", r#"{"city":"#), piece(0, "a", " ", r#""Rome"}"#)],
            vec![("weather", ROME)],
        ),
        (9, vec![piece(0, "a", "weather", ROME), piece(0, "b", "", "")], vec![("weather", ROME)]),
        (10, vec![piece(0, "a", "weather", ""), piece(1, "", "", ROME)], vec![("weather", ROME)]),
        (
            11,
            vec![piece(0, "a", "get", r#"{"a":"#), piece(0, "b", "get", r#"{"b":1}}"#)],
            vec![("get", r#"{"a":{"b":1}}"#)],
        ),
        (
            12,
            vec![piece(0, "a", "weather", ROME), piece(1, "a", "weather", "")],
            vec![("weather", ROME)],
        ),
    ] {
        assert_eq!(streamed(&fragments), called(&expected), "row {row}: {fragments:?}");
    }
}

#[test]
fn interleaved_calls_are_distinguished_by_any_of_their_fields() {
    let by_index = [
        piece(0, "", "weather", ""),
        piece(1, "", "weather", ""),
        piece(0, "", "", ROME),
        piece(1, "", "", OSLO),
    ];
    let by_id = [
        piece(0, "a", "weather", ""),
        piece(0, "b", "weather", ""),
        piece(0, "a", "", ROME),
        piece(0, "b", "", OSLO),
    ];
    // The second call begins at an index that is in use, and continues at its correct index.
    let moved =
        [piece(0, "a", "weather", ROME), piece(0, "b", "weather", ""), piece(1, "", "", OSLO)];
    for fragments in [&by_index[..], &by_id, &moved] {
        assert_eq!(streamed(fragments), called(&[("weather", ROME), ("weather", OSLO)]));
    }
}

#[test]
fn entries_of_a_complete_response_are_separate_calls() {
    let entries = json!([piece(0, "a", "weather", ROME), piece(0, "a", "weather", OSLO)]);
    assert_eq!(assembled(true, entries).len(), 2);
}

#[test]
fn too_many_calls_are_rejected() {
    let mut calls = ToolCallAssembler::new(Vec::new());
    let call = || serde_json::from_value(json!({"function": {"name": "a"}})).unwrap();
    (0..MAX_CALLS).for_each(|_| calls.add_entry(call()).unwrap());
    assert!(calls.add_entry(call()).is_err());
}
