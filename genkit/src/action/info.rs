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

    /// Of an action that another program has: it has no place in the source.
    pub(crate) fn remote(name: String, description: String) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            location: None,
            tags: Vec::new(),
            icons: Vec::new(),
            metadata: Map::new(),
        }
    }

    /// Whether another program has it. Its name is that program's, and is made safe where it is
    /// sent.
    pub(crate) fn is_remote(&self) -> bool {
        self.location.is_none()
    }

    /// ``tool `add` (src/main.rs:7)``, for messages.
    pub(crate) fn label(&self, kind: &str) -> String {
        match self.location {
            Some(location) => format!("{kind} `{}` ({location})", self.name),
            None => format!("{kind} `{}`", self.name),
        }
    }
}

/// The getters that every action has, over its `info()`.
macro_rules! described {
    ($action:ident) => {
        impl $action {
            /// The name that callers use.
            pub fn name(&self) -> &str {
                &self.info().name
            }

            /// The name for people, if there is one.
            pub fn title(&self) -> Option<&str> {
                self.info().title.as_deref()
            }

            /// What it is for, and when to use it.
            pub fn description(&self) -> &str {
                &self.info().description
            }

            /// Where it was defined.
            pub fn location(&self) -> Option<Location> {
                self.info().location
            }

            /// The tags that filters look at.
            pub fn tags(&self) -> impl Iterator<Item = &str> {
                self.info().tags.iter().map(|tag| &**tag)
            }

            /// Addresses of icons.
            pub fn icons(&self) -> impl Iterator<Item = &str> {
                self.info().icons.iter().map(|icon| &**icon)
            }

            /// Data for programs; MCP sends it as `_meta`.
            pub fn metadata(&self) -> &Map<String, Value> {
                &self.info().metadata
            }
        }
    };
}

/// The setters that every builder has, over its `info`.
macro_rules! describing {
    ($builder:ident) => {
        impl $builder {
            /// A name for people.
            pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
                self.info.title = Some(title.into());
                self
            }

            /// One more tag.
            pub fn tag(mut self, tag: impl Into<Cow<'static, str>>) -> Self {
                self.info.tags.push(tag.into());
                self
            }

            /// One more icon, by its address.
            pub fn icon(mut self, url: impl Into<Cow<'static, str>>) -> Self {
                self.info.icons.push(url.into());
                self
            }

            /// One more entry of its metadata.
            pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
                self.info.metadata.insert(key.into(), value.into());
                self
            }
        }
    };
}

pub(super) use {described, describing};
