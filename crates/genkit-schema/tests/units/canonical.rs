use genkit_schema::internal::canonical::canonical;

use serde_json::json;

#[test]
fn key_order_is_ignored() {
    let value = json!({"b": [1, {"d": null, "c": "x\"y"}], "a": {}});
    assert_eq!(canonical(&value), r#"{"a":{},"b":[1,{"c":"x\"y","d":null}]}"#);
}
