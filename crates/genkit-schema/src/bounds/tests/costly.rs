//! Tests of untrusted schemas and values that cost more than they appear to.

use serde_json::{Map, Value, json};

use super::super::{Bounds, Mismatch, Shape};

fn compiled(schema: &Value) -> Bounds {
    Bounds::compile(schema, Shape::Written).expect("it compiles").expect("bounds")
}

/// Returns 30 definitions, each of which refers twice to the next, by `reference`.
fn doubling(keyword: &str, reference: impl Fn(usize) -> Value) -> Value {
    let mut defs = Map::new();
    for n in 0..30 {
        let next = reference(n + 1);
        let mut own = json!({ keyword: [next, next] });
        own["$anchor"] = format!("a{n}").into();
        own["$dynamicAnchor"] = format!("d{n}").into();
        own["$id"] = format!("https://example.com/i{n}").into();
        defs.insert(format!("a{n}"), own);
    }
    let last = json!({"type": "object", "$anchor": "a30", "$dynamicAnchor": "d30", "$id": "https://example.com/i30"});
    defs.insert("a30".to_owned(), last);
    let mut root = json!({"$id": "https://example.com/root", "$defs": defs});
    root["allOf"] = json!([{"$ref": "#/$defs/a0"}]);
    root
}

#[test]
fn exponential_references_are_checked_once() {
    let spellings: [fn(usize) -> Value; 5] = [
        |n| json!({"$ref": format!("https://example.com/root#/$defs/a{n}")}),
        |n| json!({"$ref": format!("/root#/%24defs/a{n}")}),
        |n| json!({"$ref": format!("i{n}")}),
        |n| json!({"$ref": format!("i{n}#a{n}")}),
        |n| json!({"$dynamicRef": format!("https://example.com/i{n}#d{n}")}),
    ];
    for reference in spellings {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let bounds = compiled(&doubling(keyword, reference));
            // Two equal branches of `oneOf` never match exactly once.
            assert_eq!(
                bounds.check(&json!({})).is_ok(),
                keyword != "oneOf",
                "{keyword} {}",
                reference(1)
            );
            assert!(bounds.check(&json!([])).is_err(), "{keyword} {}", reference(1));
        }
    }
}

/// Returns 40 levels of `{"n": ..}`.
fn levels(inner: Value) -> Value {
    (0..40).fold(inner, |inner, _| json!({ "n": inner }))
}

#[test]
fn doubly_recursive_schema_is_checked_in_linear_time() {
    let twice = |within: fn(Value) -> Value| {
        let own = json!({"$ref": "#/$defs/t"});
        let t = within(own);
        json!({"$defs": {"t": t}, "$ref": "#/$defs/t"})
    };
    let shapes: [fn(Value) -> Value; 9] = [
        |t| json!({"type": "object", "allOf": [{"properties": {"n": t}}, {"properties": {"n": t}}]}),
        |t| json!({"type": "object", "anyOf": [{"properties": {"n": t}, "required": ["x"]}, {"properties": {"n": t}}]}),
        |t| json!({"type": "object", "oneOf": [{"properties": {"n": t}, "required": ["x"]}, {"properties": {"n": t}}]}),
        |t| json!({"type": "object", "if": {"properties": {"n": t}}, "then": {"properties": {"n": t}}}),
        |t| json!({"type": "object", "dependentSchemas": {"n": {"properties": {"n": t}}}, "properties": {"n": t}}),
        |t| json!({"type": "object", "patternProperties": {"^n": t, "n$": t}}),
        |t| json!({"type": "object", "properties": {"n": t}, "additionalProperties": t, "not": {"not": {"properties": {"n": t}}}}),
        |t| json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/t"}}, "patternProperties": {"n": {"allOf": [t, t]}}}),
        |t| json!({"type": "object", "allOf": [{"properties": {"n": t}}], "unevaluatedProperties": false}),
    ];
    for shape in shapes {
        let schema = twice(shape);
        let bounds = compiled(&schema);
        assert!(bounds.check(&levels(json!({}))).is_ok(), "{schema}");
        let wrong = bounds.check_value(&levels(json!(7)));
        assert!(!matches!(wrong, Err(Mismatch::TooMuch)), "{wrong:?} {schema}");
        assert_eq!(wrong.is_ok(), schema["$defs"]["t"].get("if").is_some(), "{wrong:?} {schema}");
    }
}

#[test]
fn lists_that_hold_lists_do_not_double_either() {
    for within in [
        json!({"prefixItems": [{"$ref": "#/$defs/t"}], "items": false, "contains": {"$ref": "#/$defs/t"}}),
        json!({"items": {"$ref": "#/$defs/t"}, "contains": {"$ref": "#/$defs/t"}, "minContains": 0}),
        json!({"contains": {"$ref": "#/$defs/t"}, "minContains": 0, "unevaluatedItems": {"$ref": "#/$defs/t"}}),
    ] {
        let mut t = within.clone();
        t["type"] = "array".into();
        let bounds = compiled(&json!({"$defs": {"t": t}, "$ref": "#/$defs/t"}));
        let value = |inner| (0..40).fold(inner, |inner, _| json!([inner]));
        assert!(
            !matches!(bounds.check_value(&value(json!([]))), Err(Mismatch::TooMuch)),
            "{within}"
        );
        assert!(bounds.check(&value(json!(7))).is_err(), "{within}");
    }
}

#[test]
fn schema_times_its_value_is_given_up_in_time() {
    let patterns: Map<String, Value> =
        (0..2_500).map(|n| (format!("^k{n}x"), json!({"type": "integer"}))).collect();
    let keys: Map<String, Value> = (0..24_000).map(|n| (format!("k{n}"), json!("7"))).collect();
    let contains: Vec<Value> = (0..1_500).map(|n| json!({"contains": {"const": -1 - n}})).collect();
    let either: Vec<Value> = (0..1_500).map(|n| json!({"required": [format!("r{n}")]})).collect();
    let items: Vec<Value> = (0..160_000).map(Value::from).collect();
    let objects: Vec<Value> = (0..160_000).map(|_| json!({})).collect();
    let listed: Vec<Value> = (0..500).map(|n| json!([n])).collect();
    let text = Value::from("a".repeat(4_000_000));
    let automata: Vec<Value> =
        (0..12).map(|n| json!({"pattern": format!("[ab]{{2000}}c{n}")})).collect();
    let named: Map<String, Value> =
        (0..10_000).map(|n| (format!("p{n}"), json!({"type": "integer"}))).collect();
    let mut wrong: Vec<String> = Vec::new();
    for (schema, value, is_too_much) in [
        (json!({"patternProperties": patterns}), Value::Object(keys.clone()), true),
        (
            json!({"patternProperties": patterns, "additionalProperties": false}),
            json!({"k1x": 1}),
            false,
        ),
        (
            json!({"propertyNames": {"anyOf": (0..3_000).map(|n| json!({"pattern": format!("^{n}$")})).collect::<Vec<_>>()}}),
            Value::Object(keys),
            false,
        ),
        (json!({"not": {"anyOf": contains}}), Value::Array(items.clone()), true),
        (json!({"items": {"not": {"anyOf": either}}}), Value::Array(objects.clone()), true),
        (
            json!({"items": {"properties": named, "required": (0..10_000).map(|n| format!("p{n}")).collect::<Vec<_>>()}}),
            Value::Array(objects.clone()),
            false,
        ),
        (json!({"items": {"properties": named}}), Value::Array(objects), false),
        (json!({"items": {"enum": listed}}), Value::Array(items.clone()), false),
        (
            json!({"allOf": (0..3_000).map(|n| json!({"uniqueItems": true, "minItems": n})).collect::<Vec<_>>()}),
            Value::Array(items.clone()),
            true,
        ),
        (
            json!({"not": {"anyOf": (0..3_000).map(|n| json!({"enum": [[n], {"n": n}]})).collect::<Vec<_>>()}}),
            Value::Array(items.clone()),
            true,
        ),
        (json!({"items": {"type": "string"}}), Value::Array(items), false),
        (json!({"anyOf": automata}), text, true),
    ] {
        let bounds = Bounds::compile(&schema, Shape::Written);
        let shown: String = schema.to_string().chars().take(60).collect();
        let bounds = bounds.unwrap_or_else(|why| panic!("{why} {shown}")).expect("bounds");
        let verdict = bounds.check_value(&value);
        if matches!(verdict, Err(Mismatch::TooMuch)) != is_too_much {
            wrong.push(shown.clone());
        }
        if let Err(Mismatch::Broken(why)) = verdict {
            assert!(why.len() < 10_000, "{} {shown}", why.len());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn patterns_of_one_schema_are_limited_together() {
    let large = |n: usize| json!({"pattern": format!("\\w{{200}}a{n}")});
    let many: Vec<Value> = (0..4_000).map(large).collect();
    let why = Bounds::compile(&json!({"anyOf": many}), Shape::Written).expect_err("gibibytes");
    assert!(why.to_string().contains("patterns of the schema take more"), "{why}");
}

#[test]
fn places_in_a_schema_do_not_grow_with_its_depth() {
    let mut schema: Value = (0..10_000)
        .map(|n| (format!("p{n}"), json!({"type": "null"})))
        .collect::<Map<_, _>>()
        .into();
    for _ in 0..20 {
        schema = json!({"properties": {("k".repeat(10_000)): {"properties": schema}}});
    }
    assert!(Bounds::compile(&schema, Shape::Written).expect("it compiles").is_some());
}

#[test]
fn numbers_at_the_ends_of_their_range_are_multiples_or_not_at_once() {
    for step in [json!(1e-300), json!(5e-324), json!(1.7e308), json!(u64::MAX), json!(0.1)] {
        let bounds = compiled(&json!({"items": {"multipleOf": step}}));
        let values = json!([1e308, 5e-324, -1e-300, u64::MAX, i64::MIN, 0, 0.1]);
        let _ = bounds.check(&Value::Array(vec![values; 10_000]));
        assert!(bounds.check(&json!([0])).is_ok());
    }
}

#[cfg(feature = "validation")]
#[test]
fn pattern_that_goes_back_and_forth_is_given_up() {
    let bounds = compiled(&json!({"pattern": "^(?=(a+)+$)(a|aa)+(?!a)b\\1$"}));
    let verdict = bounds.check_value(&Value::from("a".repeat(10_000)));
    assert!(verdict.is_err(), "{verdict:?}");
    let secret = compiled(&json!({"pattern": r"^(?=.*\d)(?=.*\p{Lu}).{8,}$"}));
    assert!(secret.check(&json!("Passw0rd")).is_ok());
    assert!(secret.check(&json!("password")).is_err());
    assert!(matches!(
        secret.check_value(&Value::from("a".repeat(100_000))),
        Err(Mismatch::TooMuch)
    ));
}
