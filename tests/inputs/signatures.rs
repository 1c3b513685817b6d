//! Written by `writer.rs`.

use genkit::{Flow, Prompt, Tool, flow, prompt, tool};

use super::{Pair, Subject, types};

/// Takes what it takes.
#[tool]
async fn plain_0(
    a: types::Tree,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[tool]
async fn derived_0(
    #[validate(nested)]
    a: types::Tree,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[prompt]
async fn plain_1(
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "unit-of", alias = "unit")]
    unit: types::Tree,
    #[arg(default)]
    city: types::Id,
    #[arg(default)]
    a: (i64, String),
    #[serde(alias = "Atype", alias = "type2")]
    r#type: Option<String>,
) -> String {
    format!("read: {:?}", (unit, city, a, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn derived_1(
    #[validate(nested)]
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "unit-of", alias = "unit")]
    unit: types::Tree,
    #[arg(default)]
    city: types::Id,
    #[arg(default)]
    a: (i64, String),
    #[serde(alias = "Atype", alias = "type2")]
    r#type: Option<String>,
) -> String {
    format!("read: {:?}", (unit, city, a, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn plain_2(
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    days: [u8; 2],
    #[arg(default)]
    unit: serde_json::Value,
) -> String {
    format!("read: {:?}", (days, unit,))
}

/// Takes what it takes.
#[prompt]
async fn derived_2(
    #[validate(nested)]
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    days: [u8; 2],
    #[arg(default)]
    unit: serde_json::Value,
) -> String {
    format!("read: {:?}", (days, unit,))
}

/// Takes what it takes.
#[prompt]
async fn plain_3(
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    city: serde_json::Value,
    #[schemars(title = "Title")]
    #[serde(rename = "days-of", alias = "days")]
    days: (),
    unit: types::Kind,
    r#type: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (city, days, unit, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn derived_3(
    #[validate(nested)]
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    city: serde_json::Value,
    #[schemars(title = "Title")]
    #[serde(rename = "days-of", alias = "days")]
    days: (),
    unit: types::Kind,
    r#type: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (city, days, unit, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn plain_4(
    b: types::Either,
    #[arg(default)]
    unit: types::Id,
) -> String {
    format!("read: {:?}", (b, unit,))
}

/// Takes what it takes.
#[prompt]
async fn derived_4(
    #[validate(nested)]
    b: types::Either,
    #[arg(default)]
    unit: types::Id,
) -> String {
    format!("read: {:?}", (b, unit,))
}

/// Takes what it takes.
#[tool]
async fn plain_5(
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "aOf")]
    a: Option<types::Tree>,
    #[arg(default)]
    r#type: [u8; 2],
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    days: [u8; 2],
) -> String {
    format!("read: {:?}", (a, r#type, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_5(
    #[validate(nested)]
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "aOf")]
    a: Option<types::Tree>,
    #[arg(default)]
    r#type: [u8; 2],
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    days: [u8; 2],
) -> String {
    format!("read: {:?}", (a, r#type, days,))
}

/// Takes what it takes.
#[tool]
async fn plain_6(
    a: types::Either,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    days: (),
    /// What it is.
    #[arg(default)]
    b: types::Item,
) -> String {
    format!("read: {:?}", (a, days, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_6(
    #[validate(nested)]
    a: types::Either,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    days: (),
    /// What it is.
    #[arg(default)]
    b: types::Item,
) -> String {
    format!("read: {:?}", (a, days, b,))
}

/// Takes what it takes.
#[tool]
async fn plain_7(
    #[schemars(title = "Title")]
    city: (i64, String),
    #[serde(alias = "Adays", alias = "days2")]
    days: types::Either,
    #[serde(alias = "Atype", alias = "type2")]
    r#type: String,
    ///
    #[arg(default)]
    unit: types::Id,
) -> String {
    format!("read: {:?}", (city, days, r#type, unit,))
}

/// Takes what it takes.
#[tool]
async fn derived_7(
    #[validate(nested)]
    #[schemars(title = "Title")]
    city: (i64, String),
    #[serde(alias = "Adays", alias = "days2")]
    days: types::Either,
    #[serde(alias = "Atype", alias = "type2")]
    r#type: String,
    ///
    #[arg(default)]
    unit: types::Id,
) -> String {
    format!("read: {:?}", (city, days, r#type, unit,))
}

/// Takes what it takes.
#[prompt]
async fn plain_8(
    b: (),
    #[serde(default = "types::seven")]
    r#type: i64,
    days: Option<types::Item>,
) -> String {
    format!("read: {:?}", (b, r#type, days,))
}

/// Takes what it takes.
#[prompt]
async fn derived_8(
    #[validate(nested)]
    b: (),
    #[serde(default = "types::seven")]
    r#type: i64,
    days: Option<types::Item>,
) -> String {
    format!("read: {:?}", (b, r#type, days,))
}

/// Takes what it takes.
#[flow]
async fn plain_9(
    ///
    #[serde(rename = "aOf")]
    a: types::Tree,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[flow]
async fn derived_9(
    #[validate(nested)]
    ///
    #[serde(rename = "aOf")]
    a: types::Tree,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[prompt]
async fn plain_10(
    #[arg(default = types::Kind::Small)]
    b: types::Kind,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[prompt]
async fn derived_10(
    #[validate(nested)]
    #[arg(default = types::Kind::Small)]
    b: types::Kind,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[tool]
async fn plain_11(
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    unit: [u8; 2],
    ///
    r#type: f64,
    #[serde(rename = "a-of", alias = "a")]
    a: types::Tree,
) -> String {
    format!("read: {:?}", (unit, r#type, a,))
}

/// Takes what it takes.
#[tool]
async fn derived_11(
    #[validate(nested)]
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    unit: [u8; 2],
    ///
    r#type: f64,
    #[serde(rename = "a-of", alias = "a")]
    a: types::Tree,
) -> String {
    format!("read: {:?}", (unit, r#type, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_12(
    ///
    a: Box<Option<u8>>,
    #[schemars(title = "Title")]
    #[arg(default)]
    r#type: (i64, String),
    city: types::Way,
    /// What it is.
    #[schemars(description = "Other")]
    #[arg(default)]
    b: serde_json::Value,
) -> String {
    format!("read: {:?}", (a, r#type, city, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_12(
    #[validate(nested)]
    ///
    a: Box<Option<u8>>,
    #[schemars(title = "Title")]
    #[arg(default)]
    r#type: (i64, String),
    city: types::Way,
    /// What it is.
    #[schemars(description = "Other")]
    #[arg(default)]
    b: serde_json::Value,
) -> String {
    format!("read: {:?}", (a, r#type, city, b,))
}

/// Takes what it takes.
#[tool]
async fn plain_13(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(rename = "unitOf")]
    unit: Option<types::Item>,
    /** A block
    comment. */
    #[serde(default)]
    r#type: String,
    #[schemars(title = "Title")]
    a: types::Tree,
    #[arg(default)]
    days: types::Item,
) -> String {
    format!("read: {:?}", (unit, r#type, a, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_13(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(rename = "unitOf")]
    unit: Option<types::Item>,
    /** A block
    comment. */
    #[serde(default)]
    r#type: String,
    #[schemars(title = "Title")]
    a: types::Tree,
    #[arg(default)]
    days: types::Item,
) -> String {
    format!("read: {:?}", (unit, r#type, a, days,))
}

/// Takes what it takes.
#[tool]
async fn plain_14(
    #[arg(default)]
    b: types::Id,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    days: (i64, String),
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    a: Box<Option<u8>>,
) -> String {
    format!("read: {:?}", (b, days, a,))
}

/// Takes what it takes.
#[tool]
async fn derived_14(
    #[validate(nested)]
    #[arg(default)]
    b: types::Id,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    days: (i64, String),
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    a: Box<Option<u8>>,
) -> String {
    format!("read: {:?}", (b, days, a,))
}

/// Takes what it takes.
#[flow]
async fn plain_15(
    #[serde(rename = "a-of", alias = "a")]
    a: Option<String>,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[flow]
async fn derived_15(
    #[validate(nested)]
    #[serde(rename = "a-of", alias = "a")]
    a: Option<String>,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[flow]
async fn plain_16(
    #[arg(default)]
    unit: types::deep::Item,
    #[arg(default = types::Kind::Small)]
    b: types::Kind,
) -> String {
    format!("read: {:?}", (unit, b,))
}

/// Takes what it takes.
#[flow]
async fn derived_16(
    #[validate(nested)]
    #[arg(default)]
    unit: types::deep::Item,
    #[arg(default = types::Kind::Small)]
    b: types::Kind,
) -> String {
    format!("read: {:?}", (unit, b,))
}

/// Takes what it takes.
#[flow]
async fn plain_17(
    #[serde(rename = "daysOf")]
    days: types::Item,
    #[arg(default)]
    a: [u8; 2],
    #[arg(default)]
    r#type: types::Item,
) -> String {
    format!("read: {:?}", (days, a, r#type,))
}

/// Takes what it takes.
#[flow]
async fn derived_17(
    #[validate(nested)]
    #[serde(rename = "daysOf")]
    days: types::Item,
    #[arg(default)]
    a: [u8; 2],
    #[arg(default)]
    r#type: types::Item,
) -> String {
    format!("read: {:?}", (days, a, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn plain_18(
    unit: types::Tree,
    /// What it is.
    city: Option<String>,
    #[arg(default)]
    a: u8,
) -> String {
    format!("read: {:?}", (unit, city, a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_18(
    #[validate(nested)]
    unit: types::Tree,
    /// What it is.
    city: Option<String>,
    #[arg(default)]
    a: u8,
) -> String {
    format!("read: {:?}", (unit, city, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_19(
    #[arg(default = Some(4))]
    days: Option<u8>,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    b: types::Item,
) -> String {
    format!("read: {:?}", (days, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_19(
    #[validate(nested)]
    #[arg(default = Some(4))]
    days: Option<u8>,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    b: types::Item,
) -> String {
    format!("read: {:?}", (days, b,))
}

/// Takes what it takes.
#[flow]
async fn plain_20(
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::deep::Item,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[flow]
async fn derived_20(
    #[validate(nested)]
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::deep::Item,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[tool]
async fn plain_21(
    /** A block
    comment. */
    #[arg(default = None)]
    unit: Option<types::Kind>,
    #[schemars(title = "Title")]
    r#type: types::Way,
    #[arg(default)]
    days: types::Item,
    /// What it is.
    #[serde(rename = "bOf")]
    #[schemars(range(min = -5, max = 9))]
    b: i64,
) -> String {
    format!("read: {:?}", (unit, r#type, days, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_21(
    #[validate(nested)]
    /** A block
    comment. */
    #[arg(default = None)]
    unit: Option<types::Kind>,
    #[schemars(title = "Title")]
    r#type: types::Way,
    #[arg(default)]
    days: types::Item,
    /// What it is.
    #[serde(rename = "bOf")]
    #[schemars(range(min = -5, max = 9))]
    b: i64,
) -> String {
    format!("read: {:?}", (unit, r#type, days, b,))
}

/// Takes what it takes.
#[tool]
async fn plain_22(
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Id,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[tool]
async fn derived_22(
    #[validate(nested)]
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Id,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[tool]
async fn plain_23(
    unit: Vec<Option<i64>>,
) -> String {
    format!("read: {:?}", (unit,))
}

/// Takes what it takes.
#[tool]
async fn derived_23(
    #[validate(nested)]
    unit: Vec<Option<i64>>,
) -> String {
    format!("read: {:?}", (unit,))
}

/// Takes what it takes.
#[tool]
async fn plain_24(
    #[arg(default = 'x')]
    unit: char,
    r#type: (i64, String),
    #[serde(rename = "a-of", alias = "a")]
    a: Option<types::Kind>,
) -> String {
    format!("read: {:?}", (unit, r#type, a,))
}

/// Takes what it takes.
#[tool]
async fn derived_24(
    #[validate(nested)]
    #[arg(default = 'x')]
    unit: char,
    r#type: (i64, String),
    #[serde(rename = "a-of", alias = "a")]
    a: Option<types::Kind>,
) -> String {
    format!("read: {:?}", (unit, r#type, a,))
}

/// Takes what it takes.
#[prompt]
async fn plain_25(
    a: [u8; 2],
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_25(
    #[validate(nested)]
    a: [u8; 2],
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[tool]
async fn plain_26(
    #[arg(default = None)]
    unit: Option<types::Item>,
    #[arg(default = types::Kind::Small)]
    days: types::Kind,
    #[arg(default = 'x')]
    a: char,
    #[arg(default)]
    r#type: types::Item,
) -> String {
    format!("read: {:?}", (unit, days, a, r#type,))
}

/// Takes what it takes.
#[tool]
async fn derived_26(
    #[validate(nested)]
    #[arg(default = None)]
    unit: Option<types::Item>,
    #[arg(default = types::Kind::Small)]
    days: types::Kind,
    #[arg(default = 'x')]
    a: char,
    #[arg(default)]
    r#type: types::Item,
) -> String {
    format!("read: {:?}", (unit, days, a, r#type,))
}

/// Takes what it takes.
#[tool]
async fn plain_27(
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    unit: types::Kind,
    #[serde(rename = "typeOf")]
    #[arg(default)]
    r#type: types::Ages,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    a: serde_json::Value,
    #[serde(rename = "daysOf")]
    days: types::Id,
) -> String {
    format!("read: {:?}", (unit, r#type, a, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_27(
    #[validate(nested)]
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    unit: types::Kind,
    #[serde(rename = "typeOf")]
    #[arg(default)]
    r#type: types::Ages,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    a: serde_json::Value,
    #[serde(rename = "daysOf")]
    days: types::Id,
) -> String {
    format!("read: {:?}", (unit, r#type, a, days,))
}

/// Takes what it takes.
#[flow]
async fn plain_28(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(rename = "type-of", alias = "type")]
    r#type: types::Way,
    #[serde(alias = "Acity", alias = "city2")]
    city: types::Either,
) -> String {
    format!("read: {:?}", (r#type, city,))
}

/// Takes what it takes.
#[flow]
async fn derived_28(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(rename = "type-of", alias = "type")]
    r#type: types::Way,
    #[serde(alias = "Acity", alias = "city2")]
    city: types::Either,
) -> String {
    format!("read: {:?}", (r#type, city,))
}

/// Takes what it takes.
#[flow]
async fn plain_29(
    #[serde(alias = "Atype", alias = "type2")]
    r#type: types::Either,
    #[schemars(title = "Title")]
    #[serde(alias = "Adays", alias = "days2")]
    days: types::Way,
    /// What it is.
    #[schemars(description = "Other")]
    b: f64,
) -> String {
    format!("read: {:?}", (r#type, days, b,))
}

/// Takes what it takes.
#[flow]
async fn derived_29(
    #[validate(nested)]
    #[serde(alias = "Atype", alias = "type2")]
    r#type: types::Either,
    #[schemars(title = "Title")]
    #[serde(alias = "Adays", alias = "days2")]
    days: types::Way,
    /// What it is.
    #[schemars(description = "Other")]
    b: f64,
) -> String {
    format!("read: {:?}", (r#type, days, b,))
}

/// Takes what it takes.
#[flow]
async fn plain_30(
    b: (),
    /// What it is.
    #[schemars(description = "Other")]
    a: types::Ages,
) -> String {
    format!("read: {:?}", (b, a,))
}

/// Takes what it takes.
#[flow]
async fn derived_30(
    #[validate(nested)]
    b: (),
    /// What it is.
    #[schemars(description = "Other")]
    a: types::Ages,
) -> String {
    format!("read: {:?}", (b, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_31(
    #[arg(default = 1.5)]
    b: f64,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[tool]
async fn derived_31(
    #[validate(nested)]
    #[arg(default = 1.5)]
    b: f64,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[tool]
async fn plain_32(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    b: types::Kind,
    #[arg(default)]
    days: serde_json::Value,
) -> String {
    format!("read: {:?}", (b, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_32(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    b: types::Kind,
    #[arg(default)]
    days: serde_json::Value,
) -> String {
    format!("read: {:?}", (b, days,))
}

/// Takes what it takes.
#[tool]
async fn plain_33(
    #[serde(rename = "typeOf")]
    #[arg(default)]
    r#type: types::Kind,
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[tool]
async fn derived_33(
    #[validate(nested)]
    #[serde(rename = "typeOf")]
    #[arg(default)]
    r#type: types::Kind,
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[tool]
async fn plain_34(
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "unitOf")]
    #[arg(default)]
    unit: serde_json::Value,
) -> String {
    format!("read: {:?}", (unit,))
}

/// Takes what it takes.
#[tool]
async fn derived_34(
    #[validate(nested)]
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "unitOf")]
    #[arg(default)]
    unit: serde_json::Value,
) -> String {
    format!("read: {:?}", (unit,))
}

/// Takes what it takes.
#[prompt]
async fn plain_35(
    #[arg(default = vec![])]
    a: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_35(
    #[validate(nested)]
    #[arg(default = vec![])]
    a: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (a,))
}

/// Takes what it takes.
#[tool]
async fn plain_36(
    #[serde(alias = "Ab", alias = "b2")]
    b: Box<Option<u8>>,
    unit: Option<types::Item>,
    /** A block
    comment. */
    days: [u8; 2],
) -> String {
    format!("read: {:?}", (b, unit, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_36(
    #[validate(nested)]
    #[serde(alias = "Ab", alias = "b2")]
    b: Box<Option<u8>>,
    unit: Option<types::Item>,
    /** A block
    comment. */
    days: [u8; 2],
) -> String {
    format!("read: {:?}", (b, unit, days,))
}

/// Takes what it takes.
#[flow]
async fn plain_37(
    #[schemars(range(min = 1))]
    city: Option<u8>,
    #[serde(alias = "Aa", alias = "a2")]
    a: Option<types::Kind>,
) -> String {
    format!("read: {:?}", (city, a,))
}

/// Takes what it takes.
#[flow]
async fn derived_37(
    #[validate(nested)]
    #[schemars(range(min = 1))]
    city: Option<u8>,
    #[serde(alias = "Aa", alias = "a2")]
    a: Option<types::Kind>,
) -> String {
    format!("read: {:?}", (city, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_38(
    #[schemars(range(min = 0.5))]
    b: f64,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[tool]
async fn derived_38(
    #[validate(nested)]
    #[schemars(range(min = 0.5))]
    b: f64,
) -> String {
    format!("read: {:?}", (b,))
}

/// Takes what it takes.
#[flow]
async fn plain_39(
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Item,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[flow]
async fn derived_39(
    #[validate(nested)]
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Item,
) -> String {
    format!("read: {:?}", (city,))
}

/// Takes what it takes.
#[flow]
async fn plain_40(
    #[serde(rename = "type-of", alias = "type")]
    r#type: (),
    #[arg(default = 1.5)]
    unit: f64,
) -> String {
    format!("read: {:?}", (r#type, unit,))
}

/// Takes what it takes.
#[flow]
async fn derived_40(
    #[validate(nested)]
    #[serde(rename = "type-of", alias = "type")]
    r#type: (),
    #[arg(default = 1.5)]
    unit: f64,
) -> String {
    format!("read: {:?}", (r#type, unit,))
}

/// Takes what it takes.
#[prompt]
async fn plain_41(
    #[serde(default = "types::seven")]
    r#type: i64,
    /// What it is.
    #[schemars(description = "Other")]
    days: Option<types::Kind>,
    a: u8,
) -> String {
    format!("read: {:?}", (r#type, days, a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_41(
    #[validate(nested)]
    #[serde(default = "types::seven")]
    r#type: i64,
    /// What it is.
    #[schemars(description = "Other")]
    days: Option<types::Kind>,
    a: u8,
) -> String {
    format!("read: {:?}", (r#type, days, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_42(
    b: Vec<types::Item>,
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(alias = "Atype", alias = "type2")]
    r#type: String,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    city: String,
) -> String {
    format!("read: {:?}", (b, r#type, city,))
}

/// Takes what it takes.
#[tool]
async fn derived_42(
    #[validate(nested)]
    b: Vec<types::Item>,
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(alias = "Atype", alias = "type2")]
    r#type: String,
    /// # A heading
    ///
    /// What it is,
    ///     and more.
    #[arg(default)]
    city: String,
) -> String {
    format!("read: {:?}", (b, r#type, city,))
}

/// Takes what it takes.
#[flow]
async fn plain_43(
    #[arg(default = 'x')]
    r#type: char,
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[flow]
async fn derived_43(
    #[validate(nested)]
    #[arg(default = 'x')]
    r#type: char,
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[tool]
async fn plain_44(
    #[serde(alias = "Atype", alias = "type2")]
    r#type: Option<types::Kind>,
    ///
    #[serde(default)]
    days: String,
    #[arg(default)]
    b: types::Ages,
) -> String {
    format!("read: {:?}", (r#type, days, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_44(
    #[validate(nested)]
    #[serde(alias = "Atype", alias = "type2")]
    r#type: Option<types::Kind>,
    ///
    #[serde(default)]
    days: String,
    #[arg(default)]
    b: types::Ages,
) -> String {
    format!("read: {:?}", (r#type, days, b,))
}

/// Takes what it takes.
#[prompt]
async fn plain_45(
    #[serde(alias = "Aunit", alias = "unit2")]
    #[arg(default = vec![])]
    unit: Vec<String>,
    ///
    r#type: char,
    #[schemars(title = "Title")]
    b: f64,
    #[arg(default = types::Kind::Small)]
    days: types::Kind,
) -> String {
    format!("read: {:?}", (unit, r#type, b, days,))
}

/// Takes what it takes.
#[prompt]
async fn derived_45(
    #[validate(nested)]
    #[serde(alias = "Aunit", alias = "unit2")]
    #[arg(default = vec![])]
    unit: Vec<String>,
    ///
    r#type: char,
    #[schemars(title = "Title")]
    b: f64,
    #[arg(default = types::Kind::Small)]
    days: types::Kind,
) -> String {
    format!("read: {:?}", (unit, r#type, b, days,))
}

/// Takes what it takes.
#[tool]
async fn plain_46(
    days: types::Kind,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(default)]
    b: Option<types::Item>,
    r#type: (),
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    city: serde_json::Value,
) -> String {
    format!("read: {:?}", (days, b, r#type, city,))
}

/// Takes what it takes.
#[tool]
async fn derived_46(
    #[validate(nested)]
    days: types::Kind,
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[serde(default)]
    b: Option<types::Item>,
    r#type: (),
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    city: serde_json::Value,
) -> String {
    format!("read: {:?}", (days, b, r#type, city,))
}

/// Takes what it takes.
#[tool]
async fn plain_47(
    #[arg(default)]
    r#type: types::Ages,
    b: Vec<types::Item>,
    #[arg(default)]
    a: [u8; 2],
) -> String {
    format!("read: {:?}", (r#type, b, a,))
}

/// Takes what it takes.
#[tool]
async fn derived_47(
    #[validate(nested)]
    #[arg(default)]
    r#type: types::Ages,
    b: Vec<types::Item>,
    #[arg(default)]
    a: [u8; 2],
) -> String {
    format!("read: {:?}", (r#type, b, a,))
}

/// Takes what it takes.
#[prompt]
async fn plain_48(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    b: types::Item,
    unit: types::Either,
) -> String {
    format!("read: {:?}", (b, unit,))
}

/// Takes what it takes.
#[prompt]
async fn derived_48(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    b: types::Item,
    unit: types::Either,
) -> String {
    format!("read: {:?}", (b, unit,))
}

/// Takes what it takes.
#[tool]
async fn plain_49(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    days: types::Id,
    #[arg(default)]
    unit: (i64, String),
    #[arg(default = vec![])]
    r#type: Vec<Option<i64>>,
    ///
    city: bool,
) -> String {
    format!("read: {:?}", (days, unit, r#type, city,))
}

/// Takes what it takes.
#[tool]
async fn derived_49(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    #[arg(default)]
    days: types::Id,
    #[arg(default)]
    unit: (i64, String),
    #[arg(default = vec![])]
    r#type: Vec<Option<i64>>,
    ///
    city: bool,
) -> String {
    format!("read: {:?}", (days, unit, r#type, city,))
}

/// Takes what it takes.
#[flow]
async fn plain_50(
    r#type: [u8; 2],
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[flow]
async fn derived_50(
    #[validate(nested)]
    r#type: [u8; 2],
) -> String {
    format!("read: {:?}", (r#type,))
}

/// Takes what it takes.
#[prompt]
async fn plain_51(
    city: types::Kind,
    a: Vec<String>,
    #[schemars(title = "Title")]
    b: Vec<String>,
    r#type: i64,
) -> String {
    format!("read: {:?}", (city, a, b, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn derived_51(
    #[validate(nested)]
    city: types::Kind,
    a: Vec<String>,
    #[schemars(title = "Title")]
    b: Vec<String>,
    r#type: i64,
) -> String {
    format!("read: {:?}", (city, a, b, r#type,))
}

/// Takes what it takes.
#[tool]
async fn plain_52(
    #[arg(default)]
    a: types::Item,
    #[arg(default)]
    days: String,
    #[serde(default)]
    r#type: Vec<String>,
) -> String {
    format!("read: {:?}", (a, days, r#type,))
}

/// Takes what it takes.
#[tool]
async fn derived_52(
    #[validate(nested)]
    #[arg(default)]
    a: types::Item,
    #[arg(default)]
    days: String,
    #[serde(default)]
    r#type: Vec<String>,
) -> String {
    format!("read: {:?}", (a, days, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn plain_53(
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    days: Option<types::Kind>,
    a: bool,
    /** A block
    comment. */
    r#type: types::Tree,
) -> String {
    format!("read: {:?}", (days, a, r#type,))
}

/// Takes what it takes.
#[prompt]
async fn derived_53(
    #[validate(nested)]
    /// # A heading
    #[schemars(title = "Title", description = "Other")]
    days: Option<types::Kind>,
    a: bool,
    /** A block
    comment. */
    r#type: types::Tree,
) -> String {
    format!("read: {:?}", (days, a, r#type,))
}

/// Takes what it takes.
#[flow]
async fn plain_54(
    b: Option<types::Tree>,
    days: Option<u8>,
) -> String {
    format!("read: {:?}", (b, days,))
}

/// Takes what it takes.
#[flow]
async fn derived_54(
    #[validate(nested)]
    b: Option<types::Tree>,
    days: Option<u8>,
) -> String {
    format!("read: {:?}", (b, days,))
}

/// Takes what it takes.
#[tool]
async fn plain_55(
    #[arg(default = vec![])]
    city: Vec<Option<i64>>,
    #[arg(default)]
    r#type: serde_json::Value,
    days: (i64, String),
) -> String {
    format!("read: {:?}", (city, r#type, days,))
}

/// Takes what it takes.
#[tool]
async fn derived_55(
    #[validate(nested)]
    #[arg(default = vec![])]
    city: Vec<Option<i64>>,
    #[arg(default)]
    r#type: serde_json::Value,
    days: (i64, String),
) -> String {
    format!("read: {:?}", (city, r#type, days,))
}

/// Takes what it takes.
#[prompt]
async fn plain_56(
    /** A block
    comment. */
    a: types::Tree,
    #[arg(default = None)]
    days: Option<types::Tree>,
    #[serde(alias = "Ab", alias = "b2")]
    b: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (a, days, b,))
}

/// Takes what it takes.
#[prompt]
async fn derived_56(
    #[validate(nested)]
    /** A block
    comment. */
    a: types::Tree,
    #[arg(default = None)]
    days: Option<types::Tree>,
    #[serde(alias = "Ab", alias = "b2")]
    b: Vec<types::Item>,
) -> String {
    format!("read: {:?}", (a, days, b,))
}

/// Takes what it takes.
#[prompt]
async fn plain_57(
    #[schemars(title = "Title")]
    #[arg(default)]
    b: types::Item,
    r#type: types::Either,
    #[arg(default = vec![])]
    a: Vec<Option<i64>>,
) -> String {
    format!("read: {:?}", (b, r#type, a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_57(
    #[validate(nested)]
    #[schemars(title = "Title")]
    #[arg(default)]
    b: types::Item,
    r#type: types::Either,
    #[arg(default = vec![])]
    a: Vec<Option<i64>>,
) -> String {
    format!("read: {:?}", (b, r#type, a,))
}

/// Takes what it takes.
#[prompt]
async fn plain_58(
    #[serde(rename = "days-of", alias = "days")]
    days: Vec<String>,
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Item,
    #[arg(default)]
    a: types::Ages,
) -> String {
    format!("read: {:?}", (days, city, a,))
}

/// Takes what it takes.
#[prompt]
async fn derived_58(
    #[validate(nested)]
    #[serde(rename = "days-of", alias = "days")]
    days: Vec<String>,
    #[serde(rename = "cityOf")]
    #[arg(default)]
    city: types::Item,
    #[arg(default)]
    a: types::Ages,
) -> String {
    format!("read: {:?}", (days, city, a,))
}

/// Takes what it takes.
#[tool]
async fn plain_59(
    a: f64,
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "cityOf")]
    city: (i64, String),
    #[schemars(title = "Title")]
    #[arg(default = 1.5)]
    unit: f64,
    #[serde(rename = "bOf")]
    #[arg(default)]
    b: types::deep::Item,
) -> String {
    format!("read: {:?}", (a, city, unit, b,))
}

/// Takes what it takes.
#[tool]
async fn derived_59(
    #[validate(nested)]
    a: f64,
    /// What it is.
    #[schemars(description = "Other")]
    #[serde(rename = "cityOf")]
    city: (i64, String),
    #[schemars(title = "Title")]
    #[arg(default = 1.5)]
    unit: f64,
    #[serde(rename = "bOf")]
    #[arg(default)]
    b: types::deep::Item,
) -> String {
    format!("read: {:?}", (a, city, unit, b,))
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
pub(super) fn pairs() -> Vec<Pair> {
    vec![
        Pair {
            plain: Subject::Tool(Tool::of::<plain_0>()),
            derived: Subject::Tool(Tool::of::<derived_0>()),
            params: &[(&["a"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_1>()),
            derived: Subject::Prompt(Prompt::of::<derived_1>()),
            params: &[(&["unit-of", "unit"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"]), (&["city"], &["5"]), (&["a"], &["[1,\"a\"]"]), (&["type", "Atype", "type2"], &["\"a\"", "null"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_2>()),
            derived: Subject::Prompt(Prompt::of::<derived_2>()),
            params: &[(&["days"], &["[1,2]"]), (&["unit"], &["{\"a\":1}", "[1]", "5", "null"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_3>()),
            derived: Subject::Prompt(Prompt::of::<derived_3>()),
            params: &[(&["city"], &["{\"a\":1}", "[1]", "5", "null"]), (&["days-of", "days"], &["null"]), (&["unit"], &["\"big\"", "\"small\""]), (&["type"], &["[{\"name\":\"a\"}]", "[]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_4>()),
            derived: Subject::Prompt(Prompt::of::<derived_4>()),
            params: &[(&["b"], &["5", "{\"name\":\"a\"}"]), (&["unit"], &["5"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_5>()),
            derived: Subject::Tool(Tool::of::<derived_5>()),
            params: &[(&["aOf"], &["{\"name\":\"a\"}", "null"]), (&["type"], &["[1,2]"]), (&["days"], &["[1,2]"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_6>()),
            derived: Subject::Tool(Tool::of::<derived_6>()),
            params: &[(&["a"], &["5", "{\"name\":\"a\"}"]), (&["days"], &["null"]), (&["b"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_7>()),
            derived: Subject::Tool(Tool::of::<derived_7>()),
            params: &[(&["city"], &["[1,\"a\"]"]), (&["days", "Adays", "days2"], &["5", "{\"name\":\"a\"}"]), (&["type", "Atype", "type2"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""]), (&["unit"], &["5"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_8>()),
            derived: Subject::Prompt(Prompt::of::<derived_8>()),
            params: &[(&["b"], &["null"]), (&["type"], &["5", "0", "-3"]), (&["days"], &["{\"name\":\"a\",\"size\":1}", "null"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_9>()),
            derived: Subject::Flow(Flow::of::<derived_9>()),
            params: &[(&["aOf"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_10>()),
            derived: Subject::Prompt(Prompt::of::<derived_10>()),
            params: &[(&["b"], &["\"big\"", "\"small\""])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_11>()),
            derived: Subject::Tool(Tool::of::<derived_11>()),
            params: &[(&["unit"], &["[1,2]"]), (&["type"], &["5", "0.5"]), (&["a-of", "a"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_12>()),
            derived: Subject::Tool(Tool::of::<derived_12>()),
            params: &[(&["a"], &["5", "null"]), (&["type"], &["[1,\"a\"]"]), (&["city"], &["{\"by\":\"Foot\"}", "{\"by\":\"Train\",\"item\":{\"name\":\"a\"}}"]), (&["b"], &["{\"a\":1}", "[1]", "5", "null"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_13>()),
            derived: Subject::Tool(Tool::of::<derived_13>()),
            params: &[(&["unitOf"], &["{\"name\":\"a\",\"size\":1}", "null"]), (&["type"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""]), (&["a"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"]), (&["days"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_14>()),
            derived: Subject::Tool(Tool::of::<derived_14>()),
            params: &[(&["b"], &["5"]), (&["days"], &["[1,\"a\"]"]), (&["a"], &["5", "null"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_15>()),
            derived: Subject::Flow(Flow::of::<derived_15>()),
            params: &[(&["a-of", "a"], &["\"a\"", "null"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_16>()),
            derived: Subject::Flow(Flow::of::<derived_16>()),
            params: &[(&["unit"], &["{\"depth\":3}"]), (&["b"], &["\"big\"", "\"small\""])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_17>()),
            derived: Subject::Flow(Flow::of::<derived_17>()),
            params: &[(&["daysOf"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["a"], &["[1,2]"]), (&["type"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_18>()),
            derived: Subject::Prompt(Prompt::of::<derived_18>()),
            params: &[(&["unit"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"]), (&["city"], &["\"a\"", "null"]), (&["a"], &["5", "0", "255"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_19>()),
            derived: Subject::Tool(Tool::of::<derived_19>()),
            params: &[(&["days"], &["5", "null", "0"]), (&["b"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_20>()),
            derived: Subject::Flow(Flow::of::<derived_20>()),
            params: &[(&["cityOf"], &["{\"depth\":3}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_21>()),
            derived: Subject::Tool(Tool::of::<derived_21>()),
            params: &[(&["unit"], &["\"big\"", "null"]), (&["type"], &["{\"by\":\"Foot\"}", "{\"by\":\"Train\",\"item\":{\"name\":\"a\"}}"]), (&["days"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["bOf"], &["5", "0", "-3"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_22>()),
            derived: Subject::Tool(Tool::of::<derived_22>()),
            params: &[(&["cityOf"], &["5"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_23>()),
            derived: Subject::Tool(Tool::of::<derived_23>()),
            params: &[(&["unit"], &["[1,null]", "[]"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_24>()),
            derived: Subject::Tool(Tool::of::<derived_24>()),
            params: &[(&["unit"], &["\"a\""]), (&["type"], &["[1,\"a\"]"]), (&["a-of", "a"], &["\"big\"", "null"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_25>()),
            derived: Subject::Prompt(Prompt::of::<derived_25>()),
            params: &[(&["a"], &["[1,2]"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_26>()),
            derived: Subject::Tool(Tool::of::<derived_26>()),
            params: &[(&["unit"], &["{\"name\":\"a\",\"size\":1}", "null"]), (&["days"], &["\"big\"", "\"small\""]), (&["a"], &["\"a\""]), (&["type"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_27>()),
            derived: Subject::Tool(Tool::of::<derived_27>()),
            params: &[(&["unit"], &["\"big\"", "\"small\""]), (&["typeOf"], &["{\"a\":1}", "{}"]), (&["a"], &["{\"a\":1}", "[1]", "5", "null"]), (&["daysOf"], &["5"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_28>()),
            derived: Subject::Flow(Flow::of::<derived_28>()),
            params: &[(&["type-of", "type"], &["{\"by\":\"Foot\"}", "{\"by\":\"Train\",\"item\":{\"name\":\"a\"}}"]), (&["city", "Acity", "city2"], &["5", "{\"name\":\"a\"}"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_29>()),
            derived: Subject::Flow(Flow::of::<derived_29>()),
            params: &[(&["type", "Atype", "type2"], &["5", "{\"name\":\"a\"}"]), (&["days", "Adays", "days2"], &["{\"by\":\"Foot\"}", "{\"by\":\"Train\",\"item\":{\"name\":\"a\"}}"]), (&["b"], &["5", "0.5"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_30>()),
            derived: Subject::Flow(Flow::of::<derived_30>()),
            params: &[(&["b"], &["null"]), (&["a"], &["{\"a\":1}", "{}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_31>()),
            derived: Subject::Tool(Tool::of::<derived_31>()),
            params: &[(&["b"], &["5", "0.5"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_32>()),
            derived: Subject::Tool(Tool::of::<derived_32>()),
            params: &[(&["b"], &["\"big\"", "\"small\""]), (&["days"], &["{\"a\":1}", "[1]", "5", "null"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_33>()),
            derived: Subject::Tool(Tool::of::<derived_33>()),
            params: &[(&["typeOf"], &["\"big\"", "\"small\""])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_34>()),
            derived: Subject::Tool(Tool::of::<derived_34>()),
            params: &[(&["unitOf"], &["{\"a\":1}", "[1]", "5", "null"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_35>()),
            derived: Subject::Prompt(Prompt::of::<derived_35>()),
            params: &[(&["a"], &["[{\"name\":\"a\"}]", "[]"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_36>()),
            derived: Subject::Tool(Tool::of::<derived_36>()),
            params: &[(&["b", "Ab", "b2"], &["5", "null"]), (&["unit"], &["{\"name\":\"a\",\"size\":1}", "null"]), (&["days"], &["[1,2]"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_37>()),
            derived: Subject::Flow(Flow::of::<derived_37>()),
            params: &[(&["city"], &["5", "null", "0"]), (&["a", "Aa", "a2"], &["\"big\"", "null"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_38>()),
            derived: Subject::Tool(Tool::of::<derived_38>()),
            params: &[(&["b"], &["5", "0.5"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_39>()),
            derived: Subject::Flow(Flow::of::<derived_39>()),
            params: &[(&["cityOf"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_40>()),
            derived: Subject::Flow(Flow::of::<derived_40>()),
            params: &[(&["type-of", "type"], &["null"]), (&["unit"], &["5", "0.5"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_41>()),
            derived: Subject::Prompt(Prompt::of::<derived_41>()),
            params: &[(&["type"], &["5", "0", "-3"]), (&["days"], &["\"big\"", "null"]), (&["a"], &["5", "0", "255"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_42>()),
            derived: Subject::Tool(Tool::of::<derived_42>()),
            params: &[(&["b"], &["[{\"name\":\"a\"}]", "[]"]), (&["type", "Atype", "type2"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""]), (&["city"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_43>()),
            derived: Subject::Flow(Flow::of::<derived_43>()),
            params: &[(&["type"], &["\"a\""])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_44>()),
            derived: Subject::Tool(Tool::of::<derived_44>()),
            params: &[(&["type", "Atype", "type2"], &["\"big\"", "null"]), (&["days"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""]), (&["b"], &["{\"a\":1}", "{}"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_45>()),
            derived: Subject::Prompt(Prompt::of::<derived_45>()),
            params: &[(&["unit", "Aunit", "unit2"], &["[\"a\"]", "[]", "[\"a\",\"b\"]"]), (&["type"], &["\"a\""]), (&["b"], &["5", "0.5"]), (&["days"], &["\"big\"", "\"small\""])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_46>()),
            derived: Subject::Tool(Tool::of::<derived_46>()),
            params: &[(&["days"], &["\"big\"", "\"small\""]), (&["b"], &["{\"name\":\"a\",\"size\":1}", "null"]), (&["type"], &["null"]), (&["city"], &["{\"a\":1}", "[1]", "5", "null"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_47>()),
            derived: Subject::Tool(Tool::of::<derived_47>()),
            params: &[(&["type"], &["{\"a\":1}", "{}"]), (&["b"], &["[{\"name\":\"a\"}]", "[]"]), (&["a"], &["[1,2]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_48>()),
            derived: Subject::Prompt(Prompt::of::<derived_48>()),
            params: &[(&["b"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["unit"], &["5", "{\"name\":\"a\"}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_49>()),
            derived: Subject::Tool(Tool::of::<derived_49>()),
            params: &[(&["days"], &["5"]), (&["unit"], &["[1,\"a\"]"]), (&["type"], &["[1,null]", "[]"]), (&["city"], &["true", "false"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_50>()),
            derived: Subject::Flow(Flow::of::<derived_50>()),
            params: &[(&["type"], &["[1,2]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_51>()),
            derived: Subject::Prompt(Prompt::of::<derived_51>()),
            params: &[(&["city"], &["\"big\"", "\"small\""]), (&["a"], &["[\"a\"]", "[]", "[\"a\",\"b\"]"]), (&["b"], &["[\"a\"]", "[]", "[\"a\",\"b\"]"]), (&["type"], &["5", "0", "-3"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_52>()),
            derived: Subject::Tool(Tool::of::<derived_52>()),
            params: &[(&["a"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["days"], &["\"a\"", "\"ab\"", "\"5\"", "\"\""]), (&["type"], &["[\"a\"]", "[]", "[\"a\",\"b\"]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_53>()),
            derived: Subject::Prompt(Prompt::of::<derived_53>()),
            params: &[(&["days"], &["\"big\"", "null"]), (&["a"], &["true", "false"]), (&["type"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"])],
        },
        Pair {
            plain: Subject::Flow(Flow::of::<plain_54>()),
            derived: Subject::Flow(Flow::of::<derived_54>()),
            params: &[(&["b"], &["{\"name\":\"a\"}", "null"]), (&["days"], &["5", "null", "0"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_55>()),
            derived: Subject::Tool(Tool::of::<derived_55>()),
            params: &[(&["city"], &["[1,null]", "[]"]), (&["type"], &["{\"a\":1}", "[1]", "5", "null"]), (&["days"], &["[1,\"a\"]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_56>()),
            derived: Subject::Prompt(Prompt::of::<derived_56>()),
            params: &[(&["a"], &["{\"name\":\"a\"}", "{\"name\":\"a\",\"below\":[{\"name\":\"b\"}]}"]), (&["days"], &["{\"name\":\"a\"}", "null"]), (&["b", "Ab", "b2"], &["[{\"name\":\"a\"}]", "[]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_57>()),
            derived: Subject::Prompt(Prompt::of::<derived_57>()),
            params: &[(&["b"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["type"], &["5", "{\"name\":\"a\"}"]), (&["a"], &["[1,null]", "[]"])],
        },
        Pair {
            plain: Subject::Prompt(Prompt::of::<plain_58>()),
            derived: Subject::Prompt(Prompt::of::<derived_58>()),
            params: &[(&["days-of", "days"], &["[\"a\"]", "[]", "[\"a\",\"b\"]"]), (&["cityOf"], &["{\"name\":\"a\"}", "{\"name\":\"b\",\"length\":3,\"kind\":\"big\"}"]), (&["a"], &["{\"a\":1}", "{}"])],
        },
        Pair {
            plain: Subject::Tool(Tool::of::<plain_59>()),
            derived: Subject::Tool(Tool::of::<derived_59>()),
            params: &[(&["a"], &["5", "0.5"]), (&["cityOf"], &["[1,\"a\"]"]), (&["unit"], &["5", "0.5"]), (&["bOf"], &["{\"depth\":3}"])],
        },
    ]
}
