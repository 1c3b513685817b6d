use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Order {
    lines: Vec<Line>,
    #[serde(default)]
    pair: Option<(u8, bool)>,
    #[serde(default)]
    by_number: BTreeMap<u32, Shape>,
    #[serde(default)]
    by_truth: BTreeMap<bool, Wrapped>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Line {
    amount: u8,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Wrapped(Option<u8>);

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Dot,
    Circle(u8),
    Box(u8, u8),
    Named { name: String },
}

fn error_text(order: Value) -> String {
    let misfit = read::<Order>(&order).expect_err("it does not match the type");
    let alone = Order::deserialize(&order).expect_err("it does not match without tracking");
    assert_eq!(misfit.message, alone.to_string());
    misfit.to_string()
}

#[test]
fn error_names_its_place() {
    for (order, place) in [
        (json!({"lines": [{"amount": 1}, {"amount": "2"}]}), "lines[1].amount"),
        (json!({"lines": [{}]}), "lines[0]"),
        (json!({"lines": {}}), "lines"),
        (json!({"lines": [], "other": 1}), "other"),
        (json!({"lines": [], "pair": [1, 2]}), "pair[1]"),
        (json!({"lines": [], "pair": [1]}), "pair"),
        (json!({"lines": [], "pair": [1, true, 3]}), "pair"),
        (
            json!({"lines": [], "by_number": {"7": "dot", "8": {"circle": "1"}}}),
            "by_number.8.circle",
        ),
        (json!({"lines": [], "by_number": {"7": {"box": [1, "2"]}}}), "by_number.7.box[1]"),
        (
            json!({"lines": [], "by_number": {"7": {"named": {"name": 3}}}}),
            "by_number.7.named.name",
        ),
        (json!({"lines": [], "by_number": {"7": {"dot": 1}}}), "by_number.7.dot"),
        (json!({"lines": [], "by_number": {"7": "line"}}), "by_number.7"),
        (json!({"lines": [], "by_number": {"7": {"line": 1}}}), "by_number.7"),
        (json!({"lines": [], "by_number": {"x": "dot"}}), "by_number.x"),
        (json!({"lines": [], "by_truth": {"true": null, "no": 1}}), "by_truth.no"),
        (json!({"lines": [], "by_truth": {"true": 300}}), "by_truth.true"),
    ] {
        let told = error_text(order);
        assert!(told.starts_with(&format!("at `{place}`: ")), "{place}: {told}");
    }
}

#[test]
fn error_of_the_whole_value_has_no_path() {
    assert_eq!(error_text(json!({})), "missing field `lines`");
    assert_eq!(error_text(json!("text")), "invalid type: string \"text\", expected struct Order");
}

#[test]
fn place_is_not_that_of_what_was_read_otherwise() {
    #[derive(Debug, Deserialize, Serialize)]
    #[serde(untagged)]
    enum Either {
        Number(u8),
        Text(String),
    }
    #[derive(Debug, Deserialize, Serialize)]
    struct Both {
        first: Either,
        second: u8,
    }
    let misfit =
        read::<Both>(&json!({"first": "a", "second": "b"})).expect_err("b is not a number");
    assert!(misfit.to_string().starts_with("at `second`: "), "{misfit}");
    let misfit = read::<Both>(&json!({"first": "a"})).expect_err("`second` is missing");
    assert_eq!(misfit.to_string(), "missing field `second`");
}

#[test]
fn matching_value_is_read() {
    let order = json!({
        "lines": [{"amount": 1}], "pair": [1, true],
        "by_number": {"7": "dot", "8": {"box": [1, 2]}}, "by_truth": {"false": null},
    });
    let direct = Order::deserialize(&order).expect("it fits");
    assert_eq!(read::<Order>(&order).expect("it fits"), direct);
}
