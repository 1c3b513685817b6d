//! Maps, and values of any shape.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Case, case};

/// What is known of a place.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    city: String,
    height: Option<i32>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Maps {
    /// Places by name.
    places: HashMap<String, Place>,
    counts: BTreeMap<String, u64>,
    maybe: HashMap<String, Option<bool>>,
    by_number: BTreeMap<u32, String>,
    by_colour: BTreeMap<Colour, f64>,
    lists: Option<HashMap<String, Vec<Place>>>,
    anything: HashMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Anything {
    bare: Value,
    /// Any JSON.
    documented: Value,
    optional: Option<Value>,
    object: Map<String, Value>,
    list: Vec<Value>,
}

pub(super) fn cases() -> Vec<Case> {
    let place = || Place { city: "Baltimore".into(), height: None };
    vec![
        case("map_root", [HashMap::from([("a".to_owned(), place())])]),
        case(
            "maps",
            [Maps {
                places: HashMap::from([("a".to_owned(), place())]),
                counts: BTreeMap::from([("a".to_owned(), 1)]),
                maybe: HashMap::from([("a".to_owned(), None)]),
                by_number: BTreeMap::from([(7, "seven".to_owned())]),
                by_colour: BTreeMap::from([(Colour::Red, 0.5), (Colour::Green, 1.0)]),
                lists: None,
                anything: HashMap::from([("a".to_owned(), json!([1, "b"]))]),
            }],
        ),
        case("json_root", [json!({"a": [1, null]})]),
        case(
            "json",
            [Anything {
                bare: json!(1),
                documented: json!("a"),
                optional: Some(json!({"a": 1})),
                object: Map::new(),
                list: vec![json!(null), json!(true)],
            }],
        ),
    ]
}
