//! Enums in each of serde's representations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    North,
    South,
}

/// A unit of temperature.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Degrees Celsius.
    #[default]
    Celsius,
    /// Degrees Fahrenheit,
    /// as used in the United States.
    Fahrenheit,
}

/// How urgent it is.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Low,
    Normal,
    /// Wakes somebody up.
    VeryHigh,
    /// Do not use.
    #[deprecated]
    Panic,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct EnumFields {
    /// The unit of the answer.
    unit: Unit,
    plain: Direction,
    priority: Priority,
    all: Vec<Unit>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OptionEnum {
    /// The unit, if it matters.
    unit: Option<Unit>,
    direction: Option<Direction>,
    #[serde(default)]
    fallback: Unit,
}

/// The only way.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Single {
    /// There is no other.
    Only,
}

/// What to draw.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// A circle.
    Circle {
        /// Its radius.
        radius: f64,
    },
    Rectangle {
        width: f64,
        height: f64,
    },
    /// A picture by reference.
    Picture(Picture),
    Nothing,
}

/// Where a picture is.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Picture {
    url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct TaggedField {
    /// The shape to draw first.
    first: Shape,
    next: Option<Shape>,
    all: Vec<Shape>,
}

/// A name or a number.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum NameOrId {
    /// The name.
    Name(String),
    Id(u64),
    Both {
        name: String,
        id: Option<u64>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Event {
    /// A key was pressed.
    Key(char),
    Moved {
        x: i32,
        y: i32,
    },
    Pair(u8, u8),
    Quit,
}

/// What to do.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Command {
    Start,
    Stop,
    /// Waits.
    Wait {
        seconds: u32,
    },
    Say(String),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Commands {
    /// The first thing to do.
    command: Command,
    then: Option<Command>,
}

pub(super) fn cases() -> Vec<Case> {
    let picture = || Picture { url: "https://example.org/a.png".into() };
    vec![
        case("enum_plain", [Direction::North]),
        case("enum_documented", [Unit::Celsius]),
        case("enum_partly_documented", [Priority::Low, Priority::VeryHigh]),
        case("enum_single", [Single::Only]),
        case(
            "enum_fields",
            [EnumFields {
                unit: Unit::Fahrenheit,
                plain: Direction::South,
                priority: Priority::Normal,
                all: vec![Unit::Celsius],
            }],
        ),
        case(
            "option_enum",
            [
                OptionEnum {
                    unit: Some(Unit::Celsius),
                    direction: Some(Direction::North),
                    fallback: Unit::Fahrenheit,
                },
                OptionEnum { unit: None, direction: None, fallback: Unit::Celsius },
            ],
        ),
        case(
            "enum_tagged",
            [
                Shape::Circle { radius: 1.0 },
                Shape::Rectangle { width: 1.0, height: 2.0 },
                Shape::Picture(picture()),
                Shape::Nothing,
            ],
        ),
        case(
            "enum_tagged_field",
            [
                TaggedField {
                    first: Shape::Nothing,
                    next: Some(Shape::Picture(picture())),
                    all: vec![Shape::Circle { radius: 1.0 }],
                },
                TaggedField { first: Shape::Nothing, next: None, all: vec![] },
            ],
        ),
        case(
            "enum_untagged",
            [
                NameOrId::Name("a".into()),
                NameOrId::Id(1),
                NameOrId::Both { name: "a".into(), id: None },
            ],
        ),
        case(
            "enum_adjacent",
            [Event::Key('a'), Event::Moved { x: 1, y: -1 }, Event::Pair(1, 2), Event::Quit],
        ),
        case(
            "enum_external",
            [Command::Start, Command::Wait { seconds: 1 }, Command::Say("hi".into())],
        ),
        case(
            "enum_external_field",
            [
                Commands { command: Command::Stop, then: Some(Command::Start) },
                Commands { command: Command::Say("hi".into()), then: None },
            ],
        ),
    ]
}
