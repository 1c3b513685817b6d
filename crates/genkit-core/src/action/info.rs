//! Info: the name, the description and the place in the source that every action has.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;

use serde_json::{Map, Value};

/// Source location: where an action was defined.
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
#[non_exhaustive]
pub struct SourceLocation {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The info of an action: what its callers read of it, and where it was defined.
#[derive(Clone, Debug)]
pub struct Info {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub description: Cow<'static, str>,
    pub(crate) location: Option<SourceLocation>,
    /// The file that it was read from, where that is no source of the program.
    pub(crate) file: Option<Cow<'static, str>>,
    pub tags: Vec<Cow<'static, str>>,
    pub(crate) icons: Vec<Cow<'static, str>>,
    pub(crate) metadata: Map<String, Value>,
    /// The scopes that a client needs to see it, in words with blanks between them.
    pub permit: Option<Cow<'static, str>>,
}

impl Info {
    /// For an action made at run time, where only the caller's place is known.
    #[track_caller]
    pub(crate) fn dynamic(name: Cow<'static, str>, description: Cow<'static, str>) -> Self {
        let caller = Location::caller();
        let location = SourceLocation { file: caller.file(), line: caller.line() };
        Self { location: Some(location), ..Self::remote(name, description) }
    }

    /// For an action that a file describes.
    #[cfg(feature = "dotprompt")]
    pub(crate) fn of_file(name: String, file: String) -> Self {
        Self { file: Some(file.into()), ..Self::remote(name, "") }
    }

    /// For an action of another program: it has no place in the source.
    pub(crate) fn remote(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            location: None,
            file: None,
            tags: Vec::new(),
            icons: Vec::new(),
            metadata: Map::new(),
            permit: None,
        }
    }

    /// Whether another program has it. Its name is that program's, and is made safe where it is
    /// sent.
    pub fn is_remote(&self) -> bool {
        self.location.is_none() && self.file.is_none()
    }

    /// ``tool `add` (src/main.rs:7)``, for messages.
    pub fn label(&self, kind: &str) -> String {
        match (&self.file, self.location) {
            (Some(file), _) => format!("{kind} `{}` ({file})", self.name),
            (None, Some(location)) => format!("{kind} `{}` ({location})", self.name),
            (None, None) => format!("{kind} `{}`", self.name),
        }
    }
}

/// The info of an annotated function, as a macro writes it.
pub struct StaticInfo {
    name: &'static str,
    title: Option<&'static str>,
    description: &'static str,
    place: &'static Location<'static>,
    tags: &'static [&'static str],
    icons: &'static [&'static str],
    metadata: Option<fn() -> Value>,
    permit: Option<&'static str>,
}

#[allow(missing_docs, reason = "for expansions and hidden")]
impl StaticInfo {
    /// Defined where this is called.
    #[track_caller]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        let place = Location::caller();
        Self {
            name,
            title: None,
            description,
            place,
            tags: &[],
            icons: &[],
            metadata: None,
            permit: None,
        }
    }

    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    pub const fn icons(mut self, icons: &'static [&'static str]) -> Self {
        self.icons = icons;
        self
    }

    pub const fn metadata(mut self, metadata: fn() -> Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    pub const fn permit(mut self, scopes: &'static str) -> Self {
        self.permit = Some(scopes);
        self
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn info(&self) -> Info {
        let texts = |texts: &[&'static str]| texts.iter().copied().map(Cow::Borrowed).collect();
        Info {
            name: Cow::Borrowed(self.name),
            title: self.title.map(Cow::Borrowed),
            description: Cow::Borrowed(self.description),
            location: Some(SourceLocation { file: self.place.file(), line: self.place.line() }),
            file: None,
            tags: texts(self.tags),
            icons: texts(self.icons),
            metadata: self.metadata.map_or_else(Map::new, |make| match make() {
                Value::Object(map) => map,
                other => Map::from_iter([("value".to_owned(), other)]),
            }),
            permit: self.permit.map(Cow::Borrowed),
        }
    }
}

/// The setters that every builder has, over its `info`.
macro_rules! describing {
    ($builder:ident) => {
        impl $builder {
            /// Title: a name for people.
            pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
                self.info.title = Some(title.into());
                self
            }

            /// Tag: one more, which filters look at.
            pub fn tag(mut self, tag: impl Into<Cow<'static, str>>) -> Self {
                self.info.tags.push(tag.into());
                self
            }

            /// Icon: one more, by its address.
            pub fn icon(mut self, url: impl Into<Cow<'static, str>>) -> Self {
                self.info.icons.push(url.into());
                self
            }

            /// Metadata: one more entry of it.
            pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
                self.info.metadata.insert(key.into(), value.into());
                self
            }

            /// Permission: the OAuth scope that an MCP client needs; for others it is not there, neither
            /// in lists nor for calls. Several stand with blanks between them, and it needs all of them.
            /// Clients on stdio and in memory, whose user started the server, need none.
            pub fn permit(mut self, scopes: impl Into<Cow<'static, str>>) -> Self {
                self.info.permit = Some(scopes.into());
                self
            }
        }
    };
}

pub(super) use describing;
