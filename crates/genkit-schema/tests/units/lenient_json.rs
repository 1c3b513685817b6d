use genkit_schema::internal::*;

#[test]
fn python_literals_are_converted_to_json() {
    for (json, expected) in [
        (r#"{"a": NaN, "b": [-Infinity, Infinity]}"#, r#"{"a": null, "b": [null, null]}"#),
        (r#"{"a": "\ud83d x", "b": "\ude00"}"#, r#"{"a": "\ufffd x", "b": "\ufffd"}"#),
        (r#"["\ud83d\ude00", "\ud83d\ud83d\ude00"]"#, r#"["\ud83d\ude00", "\ufffd\ud83d\ude00"]"#),
        (r#"["\\ud83d", NaN]"#, r#"["\\ud83d", null]"#),
    ] {
        assert_eq!(repair_json(json.as_bytes()).as_deref(), Some(expected));
        assert!(serde_json::from_str::<serde_json::Value>(expected).is_ok(), "{expected}");
    }
    assert_eq!(repair_json(b"[\"a\xFFb\"]").as_deref(), Some("[\"a\u{fffd}b\"]"));
    for valid in [r#"{"a": "NaN \" -Infinity", "b": [-1, "é\u00e9\\"]}"#, "", "[", "\"\\"] {
        assert_eq!(repair_json(valid.as_bytes()), None, "{valid}");
    }
}

proptest::proptest! {
    /// Valid JSON is unchanged, and any bytes are accepted.
    #[test]
    fn only_what_is_invalid_changes(text: String, bytes: Vec<u8>) {
        let json = serde_json::json!({ "a": [text, -1.5, null] }).to_string();
        proptest::prop_assert_eq!(repair_json(json.as_bytes()), None);
        if let Some(repaired) = repair_json(&bytes) {
            proptest::prop_assert_eq!(repair_json(repaired.as_bytes()), None);
        }
    }
}
