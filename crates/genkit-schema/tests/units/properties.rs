use genkit_schema::internal::*;

use serde_json::json;

#[test]
fn every_value_of_an_enumeration_is_completed() {
    let schema = json!({"properties": {"size": {"enum": ["small", 2, 0.5, true, null]}}});
    let values: Vec<_> = properties(&schema).map(|property| property.values()).collect();
    assert_eq!(values, [["small", "2", "0.5", "true"]]);
}
