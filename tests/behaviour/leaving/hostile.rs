//! Arbitrary arguments and URIs result in a response, never in a panic or a hang.

use std::collections::BTreeMap;

use genkit::testing::Client;
use genkit::{resource, resources, tool, tools};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Map, Value};

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Many { shapes: Vec<Shape> },
}

/// Takes a bit of everything.
#[tool]
async fn everything(
    text: String,
    number: Option<u8>,
    shape: Option<Shape>,
    #[arg(default)] map: BTreeMap<String, i32>,
    #[arg(default)] pair: (u8, bool),
) -> String {
    let shape = serde_json::to_string(&shape).unwrap_or_default();
    format!("{text} {number:?} {shape} {} {pair:?}", map.len())
}

/// Any path.
#[resource("any://{first}/{+rest}{?q}")]
async fn any(first: String, rest: String, q: Option<String>) -> String {
    format!("{first} {rest} {q:?}")
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        proptest::bool::ANY.prop_map(Value::from),
        proptest::num::i64::ANY.prop_map(Value::from),
        proptest::num::f64::ANY.prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        r#"\[[0-9,]{0,9}\]|\{"kind":"[a-z]{0,6}"\}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = "[a-z]{0,4}|text|number|shape|map|pair|kind|radius|shapes|circle|many";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Generates arguments that are often almost valid: text is where it should be, and the rest is arbitrary.
fn arguments() -> impl Strategy<Value = Value> {
    let text = prop_oneof![4 => ".{0,20}".prop_map(Value::from), 1 => json()];
    let names = "number|shape|map|pair|[a-z]{1,3}";
    let rest = prop_oneof![
        1 => Just(BTreeMap::new()),
        2 => prop::collection::btree_map(names, json(), 0..6),
    ];
    (text, rest).prop_map(|(text, rest)| {
        let mut map: Map<String, Value> = rest.into_iter().collect();
        map.insert("text".to_owned(), text);
        Value::Object(map)
    })
}

/// Runs `check` for many values over one connection.
fn for_many<T: std::fmt::Debug>(
    values: impl Strategy<Value = T>,
    mut check: impl AsyncFnMut(&Client, T),
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = genkit::Registry::new().add(tools![everything]).add(resources![any]);
    let genkit = genkit::Genkit::builder().registry(server).build().unwrap();
    let client = runtime.block_on(Client::connect(genkit.serve_mcp())).unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..300 {
        let value = values.new_tree(&mut runner).unwrap().current();
        let limit = std::time::Duration::from_secs(10);
        let checked =
            runtime.block_on(async { tokio::time::timeout(limit, check(&client, value)).await });
        checked.expect("an answer in time");
    }
}

#[test]
fn any_json_is_answered() {
    let (mut good, mut bad) = (0, 0);
    for_many(arguments(), async |client, arguments| {
        let answer = client.call_tool("everything", arguments.clone()).await;
        let answer = answer.unwrap_or_else(|e| panic!("{arguments}: {e}"));
        assert!(!answer.text().contains("unexpectedly"), "{arguments}: {}", answer.text());
        if answer.is_error() { bad += 1 } else { good += 1 }
    });
    assert!(good > 10 && bad > 10, "both happen: {good} {bad}");
}

#[test]
fn any_address_is_answered() {
    for_many("any://[ -~]{0,40}|\\PC{0,40}", async |client, uri| {
        if let Err(error) = client.read_resource(&uri).await {
            assert!(error.to_string().starts_with("-32002"), "{uri}: {error}");
        }
    });
}
