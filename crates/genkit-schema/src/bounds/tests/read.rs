//! Tests of values that a Rust type has deserialized: aliases are accepted, and cannot be used to bypass a bound.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::{Bounds, Shape};
use crate::internal::input_schema;

fn bounds<T: JsonSchema>() -> Option<Bounds> {
    Bounds::compile(&input_schema::<T>(), Shape::Read).expect("it compiles")
}

/// Returns the violations in a value that `T` accepts.
fn error_text<T: JsonSchema + DeserializeOwned>(value: Value) -> Option<String> {
    T::deserialize(&value).unwrap_or_else(|e| panic!("cannot read {value}: {e}"));
    let bounds = bounds::<T>().expect("it has bounds");
    bounds.check_read(&value, &|value| T::deserialize(value).is_ok()).err()
}

#[track_caller]
fn fits<T: JsonSchema + DeserializeOwned>(value: Value) {
    assert_eq!(error_text::<T>(value.clone()), None, "{value}");
}

#[track_caller]
fn breaks<T: JsonSchema + DeserializeOwned>(value: Value, expected: &str) {
    let found = error_text::<T>(value.clone()).unwrap_or_else(|| panic!("{value} is valid"));
    assert!(found.contains(expected), "{found}");
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Plain {
    text: String,
    number: i64,
    float: f64,
    flag: bool,
    small: u8,
    unsigned: Option<u32>,
    list: Vec<Option<String>>,
    map: BTreeMap<String, Inner>,
    choice: Choice,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Inner {
    next: Option<Box<Inner>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
enum Choice {
    A { text: String },
    B(Inner),
    C,
}

#[test]
fn plain_signature_has_nothing_to_check() {
    assert!(bounds::<Plain>().is_none());
    assert!(bounds::<()>().is_none());
    assert!(bounds::<Value>().is_none());
    assert!(bounds::<(u8, i16, u64)>().is_some(), "a tuple shows its length");
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Stay {
    #[serde(alias = "d", alias = "nights")]
    #[schemars(range(max = 7))]
    days: Option<u8>,
    #[schemars(length(max = 3))]
    name: Option<String>,
    #[serde(default)]
    note: String,
}

#[test]
fn serde_alias_does_not_bypass_a_bound() {
    fits::<Stay>(json!({"days": 7, "name": "äöü", "more": true}));
    fits::<Stay>(json!({"days": null, "name": null}));
    fits::<Stay>(json!({"d": 7}));
    breaks::<Stay>(json!({"days": 9}), "at `days`: 9 is greater than the maximum of 7");
    breaks::<Stay>(json!({"d": 9}), "at `days`: 9 is greater than the maximum of 7");
    breaks::<Stay>(json!({"nights": 9, "other": 9, "name": "abc"}), "at `days`: 9 is");
    fits::<Stay>(json!({"other": 9, "another": "text that is long", "third": [1]}));
    breaks::<Vec<Stay>>(json!([{"d": 1}, {"days": 2}, {"d": 8}]), "at `[2].days`: 8 is");
    breaks::<BTreeMap<String, Stay>>(json!({"a": {}, "b": {"d": 8}}), "at `b.days`: 8 is");
}

#[test]
fn struct_that_is_read_from_a_list_keeps_its_bounds() {
    breaks::<Stay>(json!([9, null, ""]), "at `[0]`: 9 is greater than the maximum of 7");
    fits::<Stay>(json!([7, "abc", ""]));
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
enum Transport {
    #[serde(alias = "fast")]
    Express {
        #[serde(alias = "d")]
        #[schemars(range(max = 7))]
        days: u8,
    },
    Pickup {
        at: String,
    },
    Letter(#[schemars(length(max = 3))] String),
    Nothing,
}

#[test]
fn variants_keep_their_bounds() {
    fits::<Transport>(json!({"express": {"days": 7}}));
    fits::<Transport>(json!({"pickup": {"at": "there", "days": 9}}));
    fits::<Transport>(json!("nothing"));
    fits::<Transport>(json!({"letter": "abc"}));
    breaks::<Transport>(
        json!({"letter": "abcd"}),
        "at `letter`: \"abcd\" is longer than 3 characters",
    );
    breaks::<Transport>(json!({"express": {"days": 9}}), "at `express.days`: 9 is");
    breaks::<Transport>(json!({"express": {"d": 9}}), "at `express.days`: 9 is");
    fits::<Transport>(json!({"fast": {"days": 7}}));
    breaks::<Transport>(json!({"fast": {"d": 9}}), "at `express.days`: 9 is");
    breaks::<Option<Transport>>(json!({"express": {"days": 9}}), "at `express.days`: 9 is");
    fits::<Option<Transport>>(json!(null));
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
enum Tagged {
    #[serde(alias = "fast")]
    Express {
        #[schemars(range(max = 7))]
        days: u8,
    },
    Slow {
        #[schemars(range(min = 7))]
        days: u8,
    },
    Pickup {
        at: String,
    },
}

#[test]
fn tag_selects_the_bounds() {
    fits::<Tagged>(json!({"kind": "express", "days": 7}));
    fits::<Tagged>(json!({"kind": "slow", "days": 9}));
    fits::<Tagged>(json!({"kind": "pickup", "at": "x", "days": 99}));
    breaks::<Tagged>(
        json!({"kind": "express", "days": 9}),
        "at `days`: 9 is greater than the maximum of 7",
    );
    breaks::<Tagged>(
        json!({"kind": "slow", "days": 6}),
        "at `days`: 6 is less than the minimum of 7",
    );
    // The schema does not show which variant an alias refers to, so a value is rejected only if every variant rejects
    // it.
    fits::<Tagged>(json!({"kind": "fast", "days": 7}));
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
enum Single {
    #[serde(alias = "fast")]
    Express {
        #[schemars(range(max = 7))]
        days: u8,
    },
    Pickup {
        at: Option<String>,
    },
}

#[test]
fn tag_of_another_name_keeps_the_bound_of_what_is_read() {
    fits::<Single>(json!({"kind": "fast", "days": 7, "side": "l"}));
    fits::<Single>(json!({"kind": "pickup", "days": 9}));
    breaks::<Single>(
        json!({"kind": "fast", "days": 9}),
        "at `days`: 9 is greater than the maximum of 7",
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
enum Untagged {
    Few(#[schemars(range(max = 7))] u8),
    Named {
        #[serde(alias = "t")]
        #[schemars(length(min = 2))]
        text: String,
    },
    Many(Vec<Untagged>),
}

#[test]
fn untagged_enum_is_judged_by_what_has_the_shape() {
    fits::<Untagged>(json!([7, {"text": "ab"}, []]));
    breaks::<Untagged>(json!(9), "9 is greater than the maximum of 7");
    breaks::<Untagged>(json!([[9]]), "is greater than the maximum of 7");
    breaks::<Untagged>(json!({"text": "a"}), "at `text`: \"a\" is shorter than 2 characters");
    fits::<Untagged>(json!({"t": "ab"}));
    breaks::<Untagged>(json!({"t": "a"}), "at `text`: \"a\" is shorter than 2 characters");
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    #[serde(alias = "c")]
    Celsius,
    /// Of old.
    #[serde(alias = "f")]
    Fahrenheit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    #[serde(alias = "l")]
    Left,
    Right,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Weather {
    #[serde(default = "unit")]
    unit: Unit,
    #[serde(default = "side")]
    side: Side,
    #[schemars(extend("enum" = ["en", "de"]))]
    language: Option<String>,
    #[schemars(extend("const" = 2))]
    version: Option<u8>,
    #[serde(default, deserialize_with = "lenient")]
    #[schemars(range(max = 100))]
    percent: u16,
    #[schemars(extend("multipleOf" = 5))]
    step: Option<f32>,
    day: Option<BTreeSet<u8>>,
}

fn unit() -> Unit {
    Unit::Celsius
}

fn side() -> Side {
    Side::Left
}

fn lenient<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let text = value.as_str().map(|text| text.trim_end_matches('%').to_owned());
    let text = text.unwrap_or_else(|| value.to_string());
    text.parse().map_err(serde::de::Error::custom)
}

#[test]
fn enumerated_names_are_distinguished_from_free_text() {
    fits::<Weather>(json!({"unit": "c", "side": "l"}));
    fits::<Weather>(json!({"unit": "fahrenheit", "side": "right", "language": "de", "version": 2}));
    breaks::<Weather>(json!({"language": "fr"}), r#""fr" is not one of "en", "de""#);
    breaks::<Weather>(json!({"version": 3}), "at `version`: 3 is not the expected 2");
    breaks::<Weather>(json!({"day": [1, 2, 1]}), "at `day`: [1,2,1] has 1 more than once");
}

#[test]
fn custom_deserializers_are_bounded_if_their_schema_is() {
    fits::<Weather>(json!({"percent": "50%", "step": 5.0}));
    fits::<Weather>(json!({"percent": "50"}));
    breaks::<Weather>(
        json!({"percent": "101"}),
        "at `percent`: 101 is greater than the maximum of 100",
    );
    breaks::<Weather>(json!({"step": 7}), "at `step`: 7 is not a multiple of 5");
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Flat {
    #[serde(flatten)]
    stay: Stay,
    #[serde(flatten)]
    transport: Option<Tagged>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema and its deserialization matter")]
struct Tree {
    #[schemars(range(max = 7))]
    value: u64,
    #[serde(default)]
    children: Vec<Tree>,
}

#[test]
fn flattened_and_recursive_types_keep_their_bounds() {
    fits::<Flat>(json!({"d": 7, "more": "text", "kind": "pickup", "at": "x"}));
    breaks::<Flat>(json!({"name": "abcd", "x": 1}), "at `name`: \"abcd\" is longer");
    breaks::<Flat>(json!({"nights": 9}), "at `days`: 9 is");
    fits::<Tree>(json!({"value": 1, "children": [{"value": 7, "children": []}]}));
    breaks::<Tree>(
        json!({"value": 1, "children": [{"value": 2}, {"value": 3, "children": [{"value": 8}]}]}),
        "at `children[1].children[0].value`: 8 is",
    );
    breaks::<Tree>(
        json!({"value": u64::MAX}),
        "18446744073709551615 is greater than the maximum of 7",
    );
}
