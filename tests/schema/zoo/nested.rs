//! Types within types: shared, recursive, listed, in tuples.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

/// Where somebody lives.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Address {
    street: String,
    /// The postal code.
    zip: Option<String>,
}

/// Somebody.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Person {
    name: String,
    /// Where letters go.
    home: Address,
    work: Address,
    former: Option<Vec<Address>>,
    other: Option<Address>,
}

/// A tree of numbers.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    value: i64,
    /// The branches.
    children: Vec<Tree>,
}

/// A chain of notes.
#[derive(Serialize, Deserialize, JsonSchema)]
struct LinkedList {
    note: String,
    /// The rest of the chain.
    next: Option<Box<LinkedList>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Threads {
    /// The newest.
    latest: Comment,
    pinned: Option<Comment>,
}

/// A comment.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Comment {
    text: String,
    replies: Vec<Comment>,
}

/// A folder.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    entries: Vec<Entry>,
}

/// What is in a folder.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Entry {
    /// A file.
    File { name: String, size: u64 },
    /// A folder in a folder.
    Folder(Folder),
}

/// A formula.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Expr {
    /// A number.
    Number(f64),
    /// The sum of two.
    Add(Box<Expr>, Box<Expr>),
    /// The opposite.
    Neg(Box<Expr>),
}

/// Anything JSON can say.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Json {
    Null,
    Bool(bool),
    Text(String),
    List(Vec<Json>),
}

/// A place on earth.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Point(f64, f64);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tuples {
    /// Latitude and longitude.
    point: Point,
    same: (u8, u8, u8),
    /// A name with its count.
    mixed: (String, u32),
    nested: Vec<(String, Option<u32>)>,
    array: [f32; 3],
    empty: [u8; 0],
    corners: (Address, Address),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Lists {
    /// Some of them unknown.
    maybe: Vec<Option<i32>>,
    grid: Vec<Vec<f64>>,
    /// No two alike.
    unique: BTreeSet<String>,
    people: Option<Vec<Address>>,
    maybe_people: Vec<Option<Address>>,
    deep: Option<Vec<Option<Vec<Option<bool>>>>>,
}

pub(super) fn cases() -> Vec<Case> {
    let home = || Address { street: "1 Main St".into(), zip: None };
    let leaf = |value| Tree { value, children: vec![] };
    let comment = |text: &str, replies| Comment { text: text.into(), replies };
    let number = |n| Box::new(Expr::Number(n));
    vec![
        case(
            "nested",
            [
                Person {
                    name: "Ada".into(),
                    home: home(),
                    work: home(),
                    former: Some(vec![home()]),
                    other: Some(home()),
                },
                Person {
                    name: "Ada".into(),
                    home: home(),
                    work: home(),
                    former: None,
                    other: None,
                },
            ],
        ),
        case(
            "tree",
            [Tree {
                value: 1,
                children: vec![Tree { value: 2, children: vec![leaf(3)] }, leaf(4)],
            }],
        ),
        case(
            "linked_list",
            [LinkedList {
                note: "a".into(),
                next: Some(Box::new(LinkedList {
                    note: "b".into(),
                    next: Some(Box::new(LinkedList { note: "c".into(), next: None })),
                })),
            }],
        ),
        case(
            "recursive_field",
            [Threads {
                latest: comment("a", vec![comment("b", vec![comment("c", vec![])])]),
                pinned: None,
            }],
        ),
        case(
            "mutually_recursive",
            [Folder {
                name: "/".into(),
                entries: vec![
                    Entry::File { name: "a".into(), size: 1 },
                    Entry::Folder(Folder {
                        name: "b".into(),
                        entries: vec![Entry::Folder(Folder { name: "c".into(), entries: vec![] })],
                    }),
                ],
            }],
        ),
        case(
            "recursive_enum",
            [
                Expr::Neg(number(1.0)),
                Expr::Add(number(1.0), Box::new(Expr::Add(number(2.0), number(3.0)))),
            ],
        ),
        case(
            "recursive_untagged",
            [Json::List(vec![
                Json::Null,
                Json::Bool(true),
                Json::List(vec![Json::Text("a".into())]),
            ])],
        ),
        case(
            "tuples",
            [Tuples {
                point: Point(1.0, 2.0),
                same: (1, 2, 3),
                mixed: ("a".into(), 1),
                nested: vec![("a".into(), None), ("b".into(), Some(1))],
                array: [1.0, 2.0, 3.0],
                empty: [],
                corners: (home(), home()),
            }],
        ),
        case(
            "lists",
            [Lists {
                maybe: vec![Some(1), None],
                grid: vec![vec![1.0], vec![]],
                unique: BTreeSet::from(["a".to_owned()]),
                people: None,
                maybe_people: vec![None, Some(home())],
                deep: Some(vec![None, Some(vec![Some(true), None])]),
            }],
        ),
    ]
}
