//! Random untrusted schemas with random references: a check terminates, with the same result as a complete validator.

use genkit::{Context, Registry, Tool};
use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Map, Value, json};

use super::{blocking, connect};

const NAMES: [&str; 4] = ["a", "b", "n", "x-1"];

fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => json!(rng.below(9)),
        2 => json!(rng.text("ab ä7\"[{", 5)),
        3 => json!(rng.chance(50)),
        4 => (0..rng.below(4)).map(|_| value(rng, depth - 1)).collect(),
        _ => object(rng, |rng| value(rng, depth - 1)),
    }
}

fn object(rng: &mut Rng, mut member: impl FnMut(&mut Rng) -> Value) -> Value {
    let count = rng.below(4);
    (0..count).map(|_| ((*rng.pick(&NAMES)).to_owned(), member(rng))).collect::<Map<_, _>>().into()
}

fn schema(rng: &mut Rng, depth: usize) -> Value {
    if rng.chance(10) {
        return json!(rng.chance(70));
    }
    let mut own = Map::new();
    for _ in 0..=rng.below(3) {
        let (keyword, value) = keyword(rng, depth);
        own.insert(keyword.to_owned(), value);
    }
    own.into()
}

fn keyword(rng: &mut Rng, depth: usize) -> (&'static str, Value) {
    let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    if depth == 0 || rng.chance(30) {
        return match rng.below(9) {
            0 => ("type", json!(rng.pick(&types))),
            1 => ("minimum", json!(rng.below(9))),
            2 => ("maxLength", json!(rng.below(5))),
            3 => ("pattern", json!(rng.pick(&["^a", "(a+)+$", "^(a|aa)*$", "[ab]{0,3}"]))),
            4 => ("uniqueItems", json!(true)),
            5 => ("enum", (0..3).map(|_| value(rng, 1)).collect()),
            6 => ("multipleOf", json!(rng.pick(&[1.0, 0.5, 3.0]))),
            7 => ("required", json!([rng.pick(&NAMES)])),
            _ => ("const", value(rng, 1)),
        };
    }
    let several =
        |rng: &mut Rng| -> Value { (0..=rng.below(2)).map(|_| schema(rng, depth - 1)).collect() };
    match rng.below(16) {
        0 => ("allOf", several(rng)),
        1 => ("anyOf", several(rng)),
        2 => ("oneOf", several(rng)),
        3 => ("prefixItems", several(rng)),
        4 => ("not", schema(rng, depth - 1)),
        5 => ("items", schema(rng, depth - 1)),
        6 => ("contains", schema(rng, depth - 1)),
        7 => ("if", schema(rng, depth - 1)),
        8 => ("then", schema(rng, depth - 1)),
        9 => ("else", schema(rng, depth - 1)),
        10 => ("propertyNames", schema(rng, depth - 1)),
        11 => ("additionalProperties", schema(rng, depth - 1)),
        12 => ("unevaluatedProperties", schema(rng, depth - 1)),
        13 => ("dependentSchemas", object(rng, |rng| schema(rng, depth - 1))),
        14 => (
            "patternProperties",
            json!({"^n": schema(rng, depth - 1), "[a-n]": schema(rng, depth - 1)}),
        ),
        _ => (
            "properties",
            object(rng, |rng| {
                // Refer only through a member, because a schema that directly refers to itself is invalid.
                match rng.below(6) {
                    0 => json!({"$ref": "#t"}),
                    1 => json!({"$ref": "#/%24defs/t"}),
                    2 => json!({"$dynamicRef": "#d"}),
                    3 => json!({"$ref": "https://example.com/root#t"}),
                    _ => schema(rng, depth - 1),
                }
            }),
        ),
    }
}

#[test]
fn check_matches_a_complete_validator() {
    fuzz("schemas", &[], |rng| {
        let mut t = schema(rng, 3);
        if let Some(t) = t.as_object_mut() {
            t.insert("$anchor".to_owned(), "t".into());
            t.insert("$dynamicAnchor".to_owned(), "d".into());
        } else {
            t = json!({"$anchor": "t", "$dynamicAnchor": "d"});
        }
        let root = json!({
            "$id": "https://example.com/root", "type": "object", "$defs": {"t": t},
            "properties": {"a": {"$ref": "#t"}}, "anyOf": [schema(rng, 2), true],
        });
        let arguments: Vec<Value> = (0..4).map(|_| object(rng, |rng| value(rng, 3))).collect();
        let theirs = jsonschema::validator_for(&root).expect("it is a schema");
        let tool = Tool::builder("t", "Takes what fits.")
            .input_schema(root.clone())
            .handler(|_: Context, _: Value| async { Ok("read") });
        blocking(async {
            let client = connect(Registry::new().add(tool)).await;
            for arguments in arguments {
                let answer = client.call_tool("t", arguments.clone()).await.expect("an answer");
                let fits = theirs.is_valid(&arguments);
                // If text does not match, it is parsed as JSON and checked again.
                let is_reread =
                    !answer.is_error() && arguments.to_string().contains(['[', '{', '7']);
                assert!(
                    answer.is_error() != fits || is_reread,
                    "{root} {arguments} {}",
                    answer.text()
                );
            }
        });
    });
}

#[test]
fn deep_arguments_and_schemas_that_refer_to_themselves_end() {
    fuzz("recursive schemas", &[], |rng| {
        let again = json!({"$ref": "#/$defs/t"});
        let members = |rng: &mut Rng| match rng.below(4) {
            0 => json!({"properties": {"n": again}}),
            1 => json!({"patternProperties": {"n": again}}),
            2 => json!({"additionalProperties": again}),
            _ => json!({"items": again, "properties": {"n": again}}),
        };
        let mut t = Map::new();
        for _ in 0..=rng.below(4) {
            let branches: Vec<Value> = (0..=rng.below(4)).map(|_| members(rng)).collect();
            let keyword = *rng.pick(&["allOf", "anyOf", "oneOf"]);
            t.insert(keyword.to_owned(), branches.into());
            let keyword = *rng.pick(&["if", "then", "not", "contains", "unevaluatedProperties"]);
            t.insert(keyword.to_owned(), members(rng));
        }
        let root = json!({"type": "object", "$defs": {"t": t}, "properties": {"n": again}});
        let tool = Tool::builder("t", "Takes what fits.")
            .input_schema(root)
            .handler(|_: Context, _: Value| async { Ok("read") });
        let levels = rng.below(60);
        let arguments = (0..levels).fold(value(rng, 1), |inner, level| match level % 3 {
            0 => json!({"n": inner, "b": inner_or_null(&inner)}),
            1 => json!({"n": [inner]}),
            _ => json!({ "n": inner }),
        });
        let arguments = json!({ "n": arguments });
        blocking(async {
            let client = connect(Registry::new().add(tool)).await;
            client.call_tool("t", arguments).await.expect("an answer");
        });
    });
}

/// Returns small values only, so that a value does not grow exponentially.
fn inner_or_null(inner: &Value) -> Value {
    if inner.is_number() { inner.clone() } else { Value::Null }
}
