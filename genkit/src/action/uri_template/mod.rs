//! URI templates (RFC 6570) that can be read backwards: from a URI to the values of its variables.
//!
//! | written | stands for | as a value |
//! |---|---|---|
//! | `{id}` | text without `/`, `?` and `#`; at least one character | string |
//! | `{x,y}`, `{x*}` | such texts with commas between | strings; list |
//! | `{+path}` | any text; at least one character | string |
//! | `{/a}`, `{/a,b}`, `{/a*}` | a `/` before each, or nothing | strings; list |
//! | `{.ext}` | a `.` before it, or nothing | string |
//! | `{;a,b}`, `{;a*}` | `;a=…;b=…` in this order, each or nothing | strings; list |
//! | `{?a,b}`, `{?a*}`, `{&a}` | `?a=…&b=…` in any order, each or nothing | strings; list |
//! | `{#part}` | `#` and any text, or nothing | string |
//!
//! What may be missing is then missing from the map. A variable takes as much as it can, from the left.
//!
//! Refused, since a URI would not tell what was meant: prefixes (`{id:3}`), two variables without text between them,
//! several variables or lists in `{+…}`, `{#…}` and `{.…}`, a list before another variable in `{…}` and `{/…}`, a
//! variable that is written twice, and anything but `{&…}` and `{#…}` after `{?…}`.
//!
//! **Queries.** Keys that a template with `{?…}` or `{&…}` does not name are passed over, as links gather such keys on
//! their way. Without them the query is a text like any other and must be what the template says. A key that stands
//! there twice is no match, unless its variable is a list.
//!
//! **Paths.** Values come decoded, so that a handler may see what no path segment shows. Therefore a value before the
//! query does not match if it has a NUL or a segment `..` (encoded or not, with `/` or `\`), nor if it has an encoded
//! `/`, unless its variable is `{+path}` or `{/path*}`. A `{+path}` may still begin with `/`, which replaces the folder
//! that a handler joins it to: check what comes out.
//!
//! URIs are compared as RFC 3986 normalises their percent-encoding: `%7e`, `%7E` and `~` are one, and what a URI may
//! not have (spaces, `é`) counts as encoded. Case matters everywhere else.
//!
//! `encoding`, `model`, `parse` and `structure` are compiled into `genkit-macros` as well, which checks `#[resource]`
//! with them: they may use the standard library only.

use std::{cmp::Reverse, fmt};

use serde_json::{Map, Value};

mod encoding;
mod error;
mod expand;
mod matcher;
mod model;
mod parse;
mod program;
mod structure;

#[cfg(test)]
mod tests;

pub(crate) use error::UriTemplateError;
use matcher::Matcher;
use model::{Expression, Part};

/// The longest URI that is matched, in bytes. Default is 8 KiB.
pub(crate) const MAX_URI_BYTES: usize = 8 * 1024;

/// A template for URIs, or a plain URI.
#[derive(Clone)]
pub(crate) struct UriTemplate {
    source: String,
    parts: Vec<Part>,
    matcher: Matcher,
}

/// Which of two templates says more of a URI. The greater one is tried first.
///
/// A plain URI is above all templates; then the one with more fixed text, with fewer variables that can hold a `/`,
/// with fewer variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Specificity {
    is_static: bool,
    literal_bytes: usize,
    wide_variables: Reverse<usize>,
    variables: Reverse<usize>,
}

impl UriTemplate {
    /// Reads a template. Nothing that cannot be matched is accepted.
    pub(crate) fn parse(template: &str) -> Result<Self, UriTemplateError> {
        let parts = parse::parse(template)?;
        let matcher = Matcher::new(structure::check(&parts)?);
        Ok(Self { source: template.to_owned(), parts, matcher })
    }

    /// The names of the variables, as they are written from left to right.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.expressions().flat_map(|expression| {
            expression.variables.iter().map(|variable| variable.name.as_str())
        })
    }

    /// Whether this is a plain URI.
    pub(crate) fn is_static(&self) -> bool {
        self.expressions().next().is_none()
    }

    /// The URI for some values, as RFC 6570 makes it.
    ///
    /// Strings, numbers, booleans and lists of them are values; null, an empty list, an object and a name that is not
    /// there are none.
    #[allow(dead_code, reason = "servers only match; the tests undo a match with it")]
    pub(crate) fn expand(&self, values: &Map<String, Value>) -> String {
        expand::expand(&self.parts, values)
    }

    /// The values that make this URI, decoded; `None` if none do, or if it is longer than [`MAX_URI_BYTES`].
    ///
    /// Values are strings, of an exploded variable (`{/path*}`) lists of strings.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String, Value>> {
        self.matcher.matches(uri)
    }

    /// How much the template says of a URI, to order templates by.
    pub(crate) fn specificity(&self) -> Specificity {
        let literal_bytes = self.parts.iter().map(|part| match part {
            Part::Literal { text, .. } => text.len(),
            Part::Expression(_) => 0,
        });
        let all = || self.expressions().flat_map(Expression::kinds);
        Specificity {
            is_static: self.is_static(),
            literal_bytes: literal_bytes.sum(),
            wide_variables: Reverse(all().filter(|kind| kind.is_wide()).count()),
            variables: Reverse(all().count()),
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal { .. } => None,
            Part::Expression(expression) => Some(expression),
        })
    }
}

impl fmt::Debug for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UriTemplate").field(&self.source).finish()
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}
