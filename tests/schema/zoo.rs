//! A zoo of argument and result types, with the exact schemas of each and values serialized by serde.
//!
//! The golden files in `tests/fixtures/schemas` are generated from it, one for each name.

#![allow(dead_code, reason = "each test uses only a part")]

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

#[path = "zoo/enums.rs"]
mod enums;
#[path = "zoo/flattened.rs"]
mod flattened;
#[path = "zoo/maps.rs"]
mod maps;
#[path = "zoo/nested.rs"]
mod nested;
#[path = "zoo/scalars.rs"]
mod scalars;
#[path = "zoo/structs.rs"]
mod structs;

/// A type of the zoo: its exact schemas and some of its values.
pub struct Case {
    /// The name of the golden file.
    pub name: &'static str,
    /// The exact schema of the type as input (arguments).
    pub exact: Value,
    /// The exact schema of the type as output (results).
    pub exact_output: Value,
    /// Values as serialized by serde. Each one can be deserialized.
    pub samples: Vec<Value>,
}

/// Returns every type as its name, its exact input schema and its exact output schema.
pub fn zoo() -> Vec<(&'static str, Value, Value)> {
    cases().into_iter().map(|case| (case.name, case.exact, case.exact_output)).collect()
}

/// Returns every type with its sample values.
pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend(scalars::cases());
    all.extend(enums::cases());
    all.extend(structs::cases());
    all.extend(flattened::cases());
    all.extend(nested::cases());
    all.extend(maps::cases());
    all
}

/// Returns the case of one type.
fn case<T>(name: &'static str, samples: impl IntoIterator<Item = T>) -> Case
where
    T: JsonSchema + Serialize + DeserializeOwned,
{
    let settings = SchemaSettings::draft2020_12;
    let reading = settings().for_deserialize().into_generator();
    let writing = settings().for_serialize().into_generator();
    let samples = samples.into_iter().map(|sample| {
        let value = serde_json::to_value(sample).expect("a sample serializes");
        serde_json::from_value::<T>(value.clone()).expect("a sample reads back");
        value
    });
    Case {
        name,
        exact: reading.into_root_schema_for::<T>().to_value(),
        exact_output: writing.into_root_schema_for::<T>().to_value(),
        samples: samples.collect(),
    }
}
