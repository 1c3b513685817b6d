//! Tests of values and schemas that are designed to make a check slow.

use serde_json::{Map, Value, json};

use super::super::{Bounds, Shape};

fn compiled(schema: &Value) -> Bounds {
    Bounds::compile(schema, Shape::Written).expect("it compiles").expect("bounds")
}

#[test]
fn deep_value_is_rejected_and_does_not_overflow() {
    let list = compiled(&json!({"type": ["array", "integer"], "items": {"$ref": "#"}}));
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    assert!(list.check(&deep(127)).is_ok());
    let mut deeper = deep(5_000);
    let why = list.check(&deeper).expect_err("it is too deep");
    assert!(why.contains("too deeply"), "{why}");
    // Dropping the value would recurse.
    while let Value::Array(mut items) = deeper {
        deeper = items.pop().unwrap_or_default();
    }
}

#[test]
fn deepest_value_that_is_read_is_checked() {
    let optional = json!({"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]});
    let node = json!({"type": "object", "properties": {"n": {"maximum": 7}, "next": optional}});
    let list = json!({"$defs": {"node": node}, "$ref": "#/$defs/node"});
    for shape in [Shape::Written, Shape::Read] {
        let bounds = Bounds::compile(&list, shape).expect("it compiles").expect("bounds");
        for (last, fits) in [(7, true), (8, false)] {
            let value = (0..126).fold(json!({"n": last}), |next, _| {
                Value::Object([("next".to_owned(), next)].into_iter().collect())
            });
            assert_eq!(bounds.check(&value).is_ok(), fits, "{shape:?}");
        }
    }
}

#[test]
fn exponential_schema_terminates() {
    let twice = json!({"$ref": "#/$defs/node"});
    let node = json!({"anyOf": [
        {"properties": {"next": twice}, "required": ["a"]},
        {"properties": {"next": twice}, "required": ["b"]},
    ]});
    let tree = compiled(&json!({"$defs": {"node": node}, "$ref": "#/$defs/node"}));
    let value = (0..120).fold(json!({}), |next, _| json!({"next": next}));
    assert!(tree.check(&value).is_err());
}

#[test]
fn long_reference_chain_does_not_overflow_the_stack() {
    let mut defs = Map::new();
    for n in 0..10_000 {
        defs.insert(format!("a{n}"), json!({"$ref": format!("#/$defs/a{}", n + 1)}));
    }
    defs.insert("a10000".to_owned(), json!({"maximum": 1}));
    let chain = json!({"$defs": defs, "$ref": "#/$defs/a0"});
    assert!(Bounds::compile(&chain, Shape::Written).is_err());
    assert!(Bounds::compile(&chain, Shape::Read).is_err());
}

#[test]
fn patterns_and_unique_items_take_one_pass() {
    let slow = compiled(&json!({"pattern": "^(a+)+$", "type": "string"}));
    assert!(slow.check(&Value::from("a".repeat(50_000) + "b")).is_err());
    let unique = compiled(&json!({"uniqueItems": true}));
    assert!(unique.check(&(0..100_000).collect()).is_ok());
    let large = json!({"pattern": "((a{1000}){1000}){1000}"});
    assert!(Bounds::compile(&large, Shape::Written).is_err());
}
