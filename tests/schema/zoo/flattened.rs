//! Structs flattened into structs, and structs that deny other fields.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

/// A page of results.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    /// Counted from one.
    number: u32,
    size: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flattened {
    query: String,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    rest: HashMap<String, i32>,
}

/// How to sort.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "order")]
enum Order {
    /// By a field.
    By {
        field: String,
    },
    Random {
        seed: u64,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedEnum {
    query: String,
    #[serde(flatten)]
    order: Order,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedOption {
    query: String,
    #[serde(flatten)]
    order: Option<Order>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    /// The only field.
    only: Option<String>,
    inner: ClosedInner,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClosedInner {
    a: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClosedFlattened {
    query: String,
    #[serde(flatten)]
    page: Page,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ClosedFlattenedEnum {
    query: String,
    #[serde(flatten)]
    order: Order,
}

pub(super) fn cases() -> Vec<Case> {
    let page = || Page { number: 2, size: Some(10) };
    let query = || "rust".to_owned();
    vec![
        case(
            "flattened",
            [Flattened {
                query: query(),
                page: page(),
                rest: HashMap::from([("extra".to_owned(), 1)]),
            }],
        ),
        case(
            "flattened_enum",
            [
                FlattenedEnum { query: query(), order: Order::Random { seed: 1 } },
                FlattenedEnum { query: query(), order: Order::By { field: "age".into() } },
            ],
        ),
        case(
            "flattened_option",
            [
                FlattenedOption { query: query(), order: Some(Order::Random { seed: 1 }) },
                FlattenedOption { query: query(), order: None },
            ],
        ),
        case("closed", [Closed { only: Some("x".into()), inner: ClosedInner { a: 1 } }]),
        case("closed_flattened", [ClosedFlattened { query: query(), page: page() }]),
        case(
            "closed_flattened_enum",
            [ClosedFlattenedEnum { query: query(), order: Order::Random { seed: 1 } }],
        ),
    ]
}
