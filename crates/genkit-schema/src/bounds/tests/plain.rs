//! Tests that the shortcut for plain schemas agrees with compilation.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bounds::plain::asserts_nothing;
use crate::bounds::{Bounds, Shape};
use crate::testing::{random, zoo_schemas};

fn compiles_to_nothing(schema: &Value) -> bool {
    matches!(Bounds::compile_all(schema, Shape::Read), Ok(None))
}

#[test]
fn schema_of_the_zoo_is_plain_only_if_it_asserts_nothing() {
    let zoo = zoo_schemas();
    let plain: Vec<_> = zoo.iter().filter(|(_, schema)| asserts_nothing(schema)).collect();
    assert!(plain.len() >= 15, "{} of {}", plain.len(), zoo.len());
    for (name, schema) in plain {
        assert!(compiles_to_nothing(schema), "{name}: {schema}");
    }
}

#[test]
fn schema_with_a_bound_or_an_error_is_not_plain() {
    for mistake in [
        json!({"pattern": "("}),
        json!({"type": "text"}),
        json!({"required": "a"}),
        json!({"required": [1]}),
        json!({"properties": []}),
        json!({"items": 1}),
        json!({"minimum": "1"}),
        json!({"format": "uint8", "minimum": 1}),
        json!({"$ref": "#/$defs/none"}),
        json!({"enum": ["a"]}),
        json!({"unevaluatedProperties": false}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
    ] {
        assert!(!asserts_nothing(&mistake), "{mistake}");
        let inside = json!({"properties": {"a": {"items": {"additionalProperties": mistake}}}});
        assert!(!asserts_nothing(&inside), "{inside}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_schema_has_no_bounds(schema in random()) {
        prop_assert!(!asserts_nothing(&schema) || compiles_to_nothing(&schema), "{}", schema);
    }
}
