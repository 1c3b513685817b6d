//! Structs, with the attributes of serde and schemars on their fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

/// Takes nothing.
#[derive(Serialize, Deserialize, JsonSchema)]
struct NoArgs {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct UnitStruct;

/// A search.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    /// What to look for.
    search_text: String,
    #[serde(rename = "max")]
    max_results: u16,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    count: u32,
    #[serde(default = "ten")]
    limit: u32,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

fn ten() -> u32 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct AllDefault {
    width: u32,
    page: Page,
}

impl Default for AllDefault {
    fn default() -> Self {
        Self { width: 80, page: Page { number: 1, size: None } }
    }
}

/// A page of results.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    /// Counted from one.
    number: u32,
    size: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde never writes two of the fields")]
struct Skipped {
    kept: String,
    #[serde(skip)]
    never: Option<u8>,
    #[serde(skip_deserializing)]
    computed: u32,
    #[serde(skip_serializing, default)]
    password: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Described by hand.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(title = "An annotated thing", example = ANNOTATED_EXAMPLE)]
struct Annotated {
    /// The old way.
    #[deprecated]
    old: Option<String>,
    #[schemars(title = "Identifier", example = &"a1", extend("readOnly" = true))]
    id: String,
    /// # The page
    /// Where to start.
    #[schemars(title = "Start")]
    page: Page,
}

const ANNOTATED_EXAMPLE: [(&str, &str); 1] = [("id", "x")];

/// One page of anything.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Paged<T> {
    items: Vec<T>,
    next: Option<String>,
}

mod inner {
    use super::*;

    /// Another page.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Page {
        pub(super) text: String,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct SameNames {
    a: Page,
    b: inner::Page,
}

pub(super) fn cases() -> Vec<Case> {
    let page = || Page { number: 2, size: Some(10) };
    #[allow(deprecated)]
    let annotated = Annotated { old: None, id: "a1".into(), page: page() };
    vec![
        case("no_args", [NoArgs {}]),
        case("unit_struct", [UnitStruct]),
        case("renamed", [Renamed { search_text: "rust".into(), max_results: 3 }]),
        case("defaults", [Defaults { count: 1, limit: 2, name: None, tags: vec!["a".into()] }]),
        case("all_default", [AllDefault::default(), AllDefault { width: 1, page: page() }]),
        case(
            "skipped",
            [Skipped {
                kept: "a".into(),
                never: None,
                computed: 1,
                password: String::new(),
                note: None,
            }],
        ),
        case("annotated", [annotated]),
        case("generic", [Paged { items: vec![page()], next: None }]),
        case("same_names", [SameNames { a: page(), b: inner::Page { text: "x".into() } }]),
    ]
}
