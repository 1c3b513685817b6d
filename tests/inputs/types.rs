//! The types of the signatures.

#![allow(dead_code, reason = "they are only deserialized and formatted")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) type Ages = BTreeMap<String, u8>;

/// A thing.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
pub(super) struct Item {
    /// What it is called.
    pub(super) name: String,
    #[serde(alias = "length")]
    #[schemars(range(max = 50))]
    pub(super) size: Option<u8>,
    pub(super) kind: Option<Kind>,
}

/// What kind of thing.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    #[default]
    Big,
    Small,
}

/// Refers to itself, and cannot be serialized.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Tree {
    pub(super) name: String,
    #[serde(default)]
    pub(super) below: Vec<Tree>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "by", deny_unknown_fields)]
pub(super) enum Way {
    Train { item: Item },
    Foot,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Either {
    Number(i64),
    Item(Item),
}

#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Id(u64);

pub(super) mod deep {
    /// Another of the same name.
    #[derive(Debug, Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    pub(in super::super) struct Item {
        pub(in super::super) depth: u8,
    }
}

pub(super) fn seven() -> i64 {
    7
}
