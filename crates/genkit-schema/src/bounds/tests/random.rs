//! Comparison with a complete validator on random schemas and values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::{Bounds, Shape};

const NAMES: [&str; 4] = ["a", "b", "c", "x1"];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4_i64..8).prop_map(Value::from),
        (-8_i32..16).prop_map(|n| json!(f64::from(n) / 2.0)),
        Just(json!(u64::MAX)),
        prop_oneof![Just("ab"), Just("äb"), Just("bbb"), Just("7"), Just("")].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::hash_map(prop::sample::select(&NAMES[..]), inner, 0..4)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

fn leaf_keyword() -> impl Strategy<Value = (&'static str, Value)> {
    let number =
        || prop_oneof![(-3_i64..7).prop_map(Value::from), Just(json!(1.5)), Just(json!(u64::MAX))];
    let count = || (0_u64..4).prop_map(Value::from);
    let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        (number()).prop_map(|n| ("minimum", n)),
        (number()).prop_map(|n| ("maximum", n)),
        (number()).prop_map(|n| ("exclusiveMinimum", n)),
        (number()).prop_map(|n| ("exclusiveMaximum", n)),
        prop_oneof![Just(json!(2)), Just(json!(3)), Just(json!(0.5))]
            .prop_map(|n| ("multipleOf", n)),
        count().prop_map(|n| ("minLength", n)),
        count().prop_map(|n| ("maxLength", n)),
        prop::sample::select(vec!["^a", "b$", r"^\d+$", "^.b?$"])
            .prop_map(|p| ("pattern", json!(p))),
        count().prop_map(|n| ("minItems", n)),
        count().prop_map(|n| ("maxItems", n)),
        any::<bool>().prop_map(|b| ("uniqueItems", json!(b))),
        count().prop_map(|n| ("minProperties", n)),
        count().prop_map(|n| ("maxProperties", n)),
        prop::sample::subsequence(NAMES.to_vec(), 0..3)
            .prop_map(|names| ("required", json!(names))),
        prop::sample::subsequence(NAMES.to_vec(), 1..3)
            .prop_map(|names| ("dependentRequired", json!({ names[0]: names }))),
        prop::sample::subsequence(types.to_vec(), 1..5).prop_map(|names| ("type", json!(names))),
        value().prop_map(|value| ("const", value)),
        prop::collection::vec(value(), 1..4).prop_map(|values| ("enum", json!(values))),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let object = |entries: Vec<(&str, Value)>| {
        Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>())
    };
    let leaf = prop_oneof![
        8 => prop::collection::vec(leaf_keyword(), 0..3).prop_map(object),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({"$ref": "#/$defs/shared"})),
    ];
    leaf.prop_recursive(3, 24, 3, move |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
        let named =
            prop::collection::hash_map(prop::sample::select(&NAMES[..]), inner.clone(), 0..4);
        let named = named.prop_map(|map| json!(map));
        let one = inner;
        let keyword = prop_oneof![
            list.clone().prop_map(|v| ("allOf", v)),
            list.clone().prop_map(|v| ("anyOf", v)),
            list.clone().prop_map(|v| ("oneOf", v)),
            list.prop_map(|v| ("prefixItems", v)),
            one.clone().prop_map(|v| ("items", v)),
            one.clone().prop_map(|v| ("not", v)),
            one.clone().prop_map(|v| ("contains", v)),
            one.clone().prop_map(|v| ("propertyNames", v)),
            one.clone().prop_map(|v| ("additionalProperties", v)),
            one.clone().prop_map(|v| ("if", v)),
            one.clone().prop_map(|v| ("then", v)),
            one.clone().prop_map(|v| ("else", v)),
            one.clone().prop_map(|v| ("unevaluatedProperties", v)),
            one.clone().prop_map(|v| ("unevaluatedItems", v)),
            one.prop_map(|v| ("patternProperties", json!({"^x": v}))),
            named.clone().prop_map(|v| ("properties", v)),
            named.prop_map(|v| ("dependentSchemas", v)),
            Just(("minContains", json!(2))),
            Just(("$ref", json!("#/$defs/shared"))),
            Just(("$ref", json!("#shared"))),
            Just(("$dynamicRef", json!("#shared"))),
            leaf_keyword(),
        ];
        prop::collection::vec(keyword, 1..4).prop_map(object)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn result_matches_a_complete_validator(
        schema in schema(), shared in leaf_keyword(), values in prop::collection::vec(value(), 8),
    ) {
        let mut root = json!({"allOf": [schema]});
        root["$defs"] = json!({"shared": { "$dynamicAnchor": "shared", (shared.0): shared.1 }});
        let theirs = jsonschema::validator_for(&root).expect("it is a schema");
        let ours = Bounds::compile(&root, Shape::Written).expect("it compiles");
        for value in values {
            let found = ours.as_ref().and_then(|ours| ours.check(&value).err());
            prop_assert_eq!(found.is_none(), theirs.is_valid(&value), "{} {} {:?}", root, value, found);
        }
    }
}
