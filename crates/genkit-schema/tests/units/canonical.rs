use genkit_schema::internal::canonical::canonical;

use serde_json::json;

#[test]
fn the_order_of_keys_says_nothing() {
    let value = json!({"b": [1, {"d": null, "c": "x\"y"}], "a": {}});
    assert_eq!(canonical(&value), r#"{"a":{},"b":[1,{"c":"x\"y","d":null}]}"#);
}
