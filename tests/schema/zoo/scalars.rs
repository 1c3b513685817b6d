//! Numbers, strings, and what stands for one.

use std::{
    net::{IpAddr, Ipv4Addr},
    num::{NonZeroI32, NonZeroU16},
    path::PathBuf,
    time::Duration,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Case, case};

/// Every integer.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct Integers {
    a_u8: u8,
    b_u16: u16,
    c_u32: u32,
    d_u64: u64,
    e_u128: u128,
    f_usize: usize,
    g_i8: i8,
    h_i16: i16,
    i_i32: i32,
    j_i64: i64,
    k_i128: i128,
    l_isize: isize,
}

/// Every other scalar.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Scalars {
    /// Whether it is on.
    on: bool,
    /// How much.
    ratio: f32,
    /// How much, finer.
    precise: f64,
    /// One character.
    letter: char,
    nothing: (),
    port: NonZeroU16,
    /// Never zero.
    step: NonZeroI32,
    path: PathBuf,
    address: IpAddr,
    v4: Ipv4Addr,
    wait: Duration,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OptionU64 {
    /// At most this many.
    limit: Option<u64>,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u64>,
}

/// Who asks.
#[derive(Serialize, Deserialize, JsonSchema)]
struct UserId(String);

/// A length in metres.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Metres(#[schemars(range(min = 0.0))] f64);

/// A nickname, if there is one.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Nickname(Option<String>);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Token {
    value: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Newtypes {
    user: UserId,
    /// How far to go.
    distance: Metres,
    nickname: Nickname,
    token: Token,
    boxed: Box<u32>,
}

fn formatted(format: &str) -> Schema {
    json_schema!({ "type": "string", "format": format })
}

fn uuid(_: &mut SchemaGenerator) -> Schema {
    formatted("uuid")
}

fn instant(_: &mut SchemaGenerator) -> Schema {
    formatted("date-time")
}

fn span(_: &mut SchemaGenerator) -> Schema {
    formatted("duration")
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Formats {
    #[schemars(schema_with = "uuid")]
    id: String,
    /// When it was made.
    #[schemars(schema_with = "instant")]
    at: String,
    #[schemars(schema_with = "span")]
    took: String,
    #[schemars(email)]
    from: String,
    #[schemars(url)]
    link: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Validated {
    /// A name.
    #[schemars(length(min = 1, max = 40), regex(pattern = r"^[a-z]+$"))]
    name: String,
    #[schemars(range(min = 1, max = 10))]
    stars: Option<u8>,
    #[schemars(length(min = 2), inner(length(min = 1)))]
    tags: Vec<String>,
    #[schemars(extend("x-hidden" = true, "x-order" = [1, 2]))]
    secret: String,
    /// How far.
    #[schemars(extend("x-unit" = "m"))]
    distance: Metres,
    #[schemars(extend("minimum" = 18))]
    age: u32,
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("string", ["a plain string".to_owned()]),
        case("boolean", [true]),
        case("unit", [()]),
        case("option_root", [Some(1_u8), None]),
        case("integers", [Integers::default()]),
        case(
            "scalars",
            [Scalars {
                on: true,
                ratio: 0.5,
                precise: 0.25,
                letter: 'é',
                nothing: (),
                port: NonZeroU16::MIN,
                step: NonZeroI32::MIN,
                path: "/tmp/x".into(),
                address: IpAddr::V4(Ipv4Addr::LOCALHOST),
                v4: Ipv4Addr::LOCALHOST,
                wait: Duration::from_millis(1500),
            }],
        ),
        case(
            "option_u64",
            [
                OptionU64 { limit: Some(u64::MAX), offset: Some(0), page: Some(1) },
                OptionU64 { limit: None, offset: None, page: None },
            ],
        ),
        case("newtype", [UserId("ada".into())]),
        case(
            "newtypes",
            [Some("Ada".to_owned()), None].map(|name| Newtypes {
                user: UserId("ada".into()),
                distance: Metres(1.5),
                nickname: Nickname(name),
                token: Token { value: "t".into() },
                boxed: Box::new(1),
            }),
        ),
        case(
            "formats",
            [Formats {
                id: "0191d4d0-9c3e-7c3f-8a5b-5f5b5f5b5f5b".into(),
                at: "2026-11-21T08:00:00Z".into(),
                took: "PT1S".into(),
                from: "ada@example.org".into(),
                link: Some("https://example.org/".into()),
            }],
        ),
        case(
            "validated",
            [Validated {
                name: "ada".into(),
                stars: Some(5),
                tags: vec!["a".into(), "b".into()],
                secret: "s".into(),
                distance: Metres(0.0),
                age: 18,
            }],
        ),
    ]
}
