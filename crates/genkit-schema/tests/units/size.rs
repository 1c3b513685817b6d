use genkit_schema::internal::size::*;

#[test]
fn larger_is_what_has_more_bytes() {
    for value in [serde_json::json!([1, "äö", {"a": null}]), serde_json::json!(7)] {
        let size = json_size(&value);
        assert!(!is_larger(&value, size));
        assert!(is_larger(&value, size - 1));
    }
}
