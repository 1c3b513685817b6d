//! Tests of partial parsing: the parsed values and the parsing time.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    ListEnd, extract, extract_items, extract_lines, items, lines, partial, reader::MAX_DEPTH,
};

/// Checks the value of each text. Null stands for `None`.
fn check(read: fn(&str) -> Option<Value>, cases: &[(&str, Value)]) {
    for (text, expected) in cases {
        let expected = (!expected.is_null()).then(|| expected.clone());
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn cut_texts() {
    let cases = [
        ("", json!(null)),
        ("{", json!({})),
        ("[", json!([])),
        (r#"{"a"#, json!({})),
        (r#"{"a""#, json!({})),
        (r#"{"a":"#, json!({})),
        (r#"{"a":"b"#, json!({"a": "b"})),
        (r#"{"a":"","b":{"c"#, json!({"a": "", "b": {}})),
        (r#"{"a":[{"b":["c"],"#, json!({"a": [{"b": ["c"]}]})),
        (r#"{"a":1,"a":"#, json!({"a": 1})),
        // Numbers may continue.
        ("[1, 23", json!([1])),
        ("[1, 23 ", json!([1, 23])),
        ("[-", json!([])),
        ("[1.", json!([])),
        ("12", json!(null)),
        // A prefix of a literal can only become that literal.
        ("[tru", json!([true])),
        ("[true", json!([true])),
        (r#"{"a":f"#, json!({"a": false})),
        ("[trx", json!([])),
        // An incomplete escape has no value yet.
        (r#"["a\"#, json!(["a"])),
        (r#"["a\u00e"#, json!(["a"])),
        (r#"["a\ud83d"#, json!(["a"])),
        (r#"["a\ud83d\"#, json!(["a"])),
        (r#"["a\ud83d\ude0"#, json!(["a"])),
        (r#"["a\ud83d\ude00"#, json!(["a😀"])),
        // Text that is no longer JSON also ends the value.
        (r#"{"a":{"b":1,"c":]}}"#, json!({"a": {"b": 1}})),
        ("[1,2}", json!([1, 2])),
        ("[1 /", json!([1])),
        ("[1 /* 2", json!([1])),
    ];
    check(partial, &cases);
    assert_eq!(partial("nul"), Some(Value::Null));
    assert_eq!(partial("[null, nu"), Some(json!([null, null])));
}

#[test]
fn careless_texts() {
    let cases = [
        (
            "{a: 'it\\'s', $b_1: .5, 'c': +5, \"d\": 5., é: -0xFF, f: 1e2,}",
            json!({
                "a": "it's", "$b_1": 0.5, "c": 5, "d": 5.0, "é": -255, "f": 100.0,
            }),
        ),
        ("[1, // one\n 2, /* two */ 3,]", json!([1, 2, 3])),
        ("[NaN, -Infinity, 1e999, 007]", json!([null, null, null, 7])),
        ("{\u{a0}\"a\"\u{feff}:\u{2028}1}", json!({"a": 1})),
        (
            "[\"two\nlines\", 'one \\\nline', '\\x41\\v\\0\\q']",
            json!(["two\nlines", "one line", "A\u{b}\0q"]),
        ),
        (r#"["\ud83d!", "\ude00", "\ud83dA"]"#, json!(["\u{fffd}!", "\u{fffd}", "\u{fffd}A"])),
        ("[18446744073709551615, -9223372036854775808]", json!([u64::MAX, i64::MIN])),
        ("[0x1FFFFFFFFFFFFFFFF]", json!([])),
        ("[0x+1]", json!([])),
        ("[+-1]", json!([])),
        ("[Infinitely]", json!([])),
        ("[1 2]", json!([1])),
        ("[,1]", json!([])),
        ("{1a: 2}", json!({"1a": 2})),
        ("{-a: 2}", json!({})),
        (r#"["\xZZ"]"#, json!([""])),
    ];
    check(partial, &cases);
}

#[test]
fn json_in_prose() {
    let cases = [
        ("no JSON", json!(null)),
        ("Here it is:\n\n```json\n{\"a\": [1]}\n```\nAnything else?", json!({"a": [1]})),
        ("{'a': 1,} {\"b\": 2}", json!({"a": 1})),
        ("[1] says {\"a\": 1}", json!([1])),
        // Brackets without JSON.
        ("see {note} and [the list]: {\"a\": 1}", json!({"a": 1})),
        ("open with [ and {\"a\": 1}", json!({"a": 1})),
        ("{note}", json!(null)),
        ("{note", json!({})),
        // Brackets whose content is JSON only at the start are skipped.
        ("{\"a\": <number>, \"b\": {\"c\": 1}} so {\"a\": 2}", json!({"a": 2})),
        ("{\"a\": oops, \"b\": {\"c\": 1}", json!(null)),
        ("[1, 2}", json!(null)),
        // Truncated.
        ("Sure: {\"a\": \"b", json!({"a": "b"})),
        ("[[1, 2], [3", json!([[1, 2], []])),
    ];
    check(extract, &cases);
}

#[test]
fn complete_json_parses_like_serde_json() {
    for text in [
        r#"{"a":[1,2.5,-3e-7,true,false,null,"\u00e9\n\ud83d\ude00"],"b":{},"c":[]}"#,
        "[[],{},\"\"]",
        r#"{"a":1,"b":2,"a":3}"#,
        "[-0, 1E3, 12345678901234567890123]",
    ] {
        let exact: Value = serde_json::from_str(text).unwrap();
        assert_eq!(extract(text), Some(exact.clone()));
        assert_eq!(partial(text), Some(exact));
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for read in [partial, extract] {
        assert!(read(&nested(MAX_DEPTH)).is_some());
        assert_eq!(read(&nested(MAX_DEPTH + 1)), None);
        assert!(read(&"{a:".repeat(MAX_DEPTH)).is_some());
        assert_eq!(read(&"{a:".repeat(MAX_DEPTH + 1)), None);
    }
    // The array itself is not parsed by the same reader as its items.
    assert_eq!(items(&nested(MAX_DEPTH + 1), 0).end, ListEnd::Closed);
    assert_eq!(items(&nested(MAX_DEPTH + 2), 0).end, ListEnd::Broken);
    assert_eq!(
        lines(&format!("{}1", "{a:".repeat(MAX_DEPTH + 1))),
        Err(&*format!("{}1", "{a:".repeat(MAX_DEPTH + 1)))
    );
}

#[test]
fn items_of_any_kind() {
    let text = "Here [as asked]: [\"a\", 1, tru";
    let (values, cursor) = extract_items(text, 0);
    assert_eq!((values, &text[cursor..]), (vec![json!("a"), json!(1)], ", tru"));
    let text = format!("{text}e, null, 23");
    let (values, cursor) = extract_items(&text, cursor);
    assert_eq!((values, &text[cursor..]), (vec![json!(true), Value::Null], ", 23"));
    let text = format!("{text}4,] and [5]");
    let (values, cursor) = extract_items(&text, cursor);
    assert_eq!(values, [json!(234)]);
    // Text after a closed array is ignored.
    assert_eq!(extract_items(&text, cursor), (vec![], cursor));
    assert_eq!(items(&text, cursor).end, ListEnd::Closed);
}

#[test]
fn ends_of_arrays() {
    for (text, expected, end) in [
        ("none", json!([]), ListEnd::Nowhere),
        ("[", json!([]), ListEnd::Open),
        ("[]", json!([]), ListEnd::Closed),
        ("[{\"a\": 1}, {\"b\"", json!([{"a": 1}]), ListEnd::Open),
        ("[{\"a\": 1} {\"b\": 2}]", json!([{"a": 1}]), ListEnd::Broken),
        ("[{\"a\": [1], oops}]", json!([]), ListEnd::Broken),
        ("[{note}] [1]", json!([1]), ListEnd::Closed),
        ("{\"items\": ['x']}", json!(["x"]), ListEnd::Closed),
    ] {
        let items = items(text, 0);
        assert_eq!((Value::Array(items.values), items.end), (expected, end), "{text:?}");
    }
    let empty = extract_items("[] [1]", 0);
    assert_eq!(empty, (vec![], 1));
    assert_eq!(extract_items("[] [1]", 1), (vec![], 1));
    // A cursor from another text does not cause a panic.
    assert_eq!(extract_items("é[1]", 1).0, [Value::Null; 0]);
    assert_eq!(extract_items("[1]", 99).0, [Value::Null; 0]);
}

#[test]
fn objects_on_lines() {
    let text = "Here:\n```\n{\"a\": 1}\r\n  {b: 2}, {\"c\": 3}\n[4]\n{\"d\": 5} yes\n{\"e\": 6";
    let (values, cursor) = extract_lines(text, 0);
    assert_eq!(values, [json!({"a": 1}), json!({"b": 2}), json!({"c": 3}), json!({"d": 5})]);
    assert_eq!(&text[cursor..], "{\"e\": 6");
    assert_eq!(lines(text), Ok(values));
    let text = format!("{text}}}");
    let (values, cursor) = extract_lines(&text, cursor);
    assert_eq!((values, cursor), (vec![json!({"e": 6})], text.len()));
    // The rest of the line arrives later.
    assert_eq!(extract_lines(&format!("{text}\n{{\"f\": 7}}\n"), cursor).0, [json!({"f": 7})]);
    assert_eq!(lines("{\"a\": oops}\n{\"b\": 1}"), Err("{\"a\": oops}"));
    assert_eq!(lines("{\n\"a\": 1\n}"), Err("{"));
    assert_eq!(lines("{note} of mine\n{\"b\": 1}"), Ok(vec![json!({"b": 1})]));
    assert_eq!(extract_lines("{\"a\": oops}\n{\"b\": 1}", 0).0, [json!({"b": 1})]);
    assert_eq!(extract_lines("é", 1), (vec![], 1));
}

#[test]
fn hostile_texts_take_linear_time() {
    const TIMES: usize = 30_000;
    for piece in [
        "[", "{", "{\"", "[/*", "{/*", "[1,", "{a:", "{a}", "[x", "{'a':\"", "\\\"[", "[\"\\u",
        "[{n:", "]{", "{/*\n", "{a:[\n", "[1\n",
    ] {
        for end in ["", "*/!", "\"!", "}", "!]"] {
            let text = format!("{}{end}", piece.repeat(TIMES));
            let begun = Instant::now();
            let _ = (
                partial(&text),
                extract(&text),
                extract_items(&text, 0),
                extract_lines(&text, 0),
                lines(&text).is_ok(),
            );
            // Parsing takes a few milliseconds; in quadratic time it would take many seconds.
            assert!(begun.elapsed() < Duration::from_secs(4), "{piece:?}, {end:?}");
        }
    }
}

/// Returns whether `part` is a possible partial value of `whole`.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|whole| is_part(value, whole))),
        (part, whole) => part == whole,
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Eighths, because serde_json parses other fractions only approximately.
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,4}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_beginning_is_part_of_the_whole(value in any_json(), pretty: bool) {
        let write = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        let text = write(&value).unwrap();
        for (at, _) in text.char_indices() {
            if let Some(part) = partial(&text[..at]) {
                prop_assert!(is_part(&part, &value), "{} of {text}", part);
            }
        }
        if value.is_object() || value.is_array() {
            prop_assert_eq!(extract(&format!("So: {text} ok?")), Some(value.clone()));
            prop_assert_eq!(partial(&text), Some(value.clone()));
        }
    }

    #[test]
    fn items_come_once_however_the_text_is_cut(values in prop::collection::vec(any_json(), 0..5), sizes in prop::collection::vec(1_usize..9, 1..20)) {
        let text = format!("So: {}!", serde_json::to_string(&values).unwrap());
        let (mut end, mut cursor, mut seen) = (0, 0, Vec::new());
        for size in sizes.iter().cycle() {
            let (new, next) = extract_items(&text[..end], cursor);
            seen.extend(new);
            cursor = next;
            if end == text.len() {
                break;
            }
            end = (end + size..).find(|end| text.is_char_boundary((*end).min(text.len()))).unwrap().min(text.len());
        }
        prop_assert_eq!(seen, values);
    }

    #[test]
    fn nothing_panics(text in "[\\[\\]{}\"',:a1-9tn\\\\u\\-/*\\. \né]{0,40}", cursor in 0_usize..50) {
        let _ = (partial(&text), extract(&text), extract_items(&text, cursor), extract_lines(&text, cursor), lines(&text).is_ok());
    }
}
