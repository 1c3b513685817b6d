//! What every action has: a name, a description, a place in the source.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

/// Where an action was defined.
///
/// ```
/// use genkit::{Tool, tool};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// assert!(Tool::of::<add>().location().unwrap().to_string().contains(".rs:"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The part of a definition that every kind of action has.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) location: Option<Location>,
    pub(crate) tags: Vec<Cow<'static, str>>,
    pub(crate) icons: Vec<Cow<'static, str>>,
    pub(crate) metadata: Map<String, Value>,
}

impl Info {
    /// For an action made at run time, where only the caller's place is known.
    #[track_caller]
    pub(crate) fn dynamic(name: Cow<'static, str>, description: Cow<'static, str>) -> Self {
        let caller = std::panic::Location::caller();
        Self {
            name,
            title: None,
            description,
            location: Some(Location { file: caller.file(), line: caller.line() }),
            tags: Vec::new(),
            icons: Vec::new(),
            metadata: Map::new(),
        }
    }

    /// ``tool `add` (src/main.rs:7)``, for messages.
    pub(crate) fn label(&self, kind: &str) -> String {
        match self.location {
            Some(location) => format!("{kind} `{}` ({location})", self.name),
            None => format!("{kind} `{}`", self.name),
        }
    }
}
