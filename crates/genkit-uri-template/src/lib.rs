//! URI templates (RFC 6570) that can be read backwards: from a URI to the values of its variables.
//!
//! ```
//! use genkit_uri_template::{UriTemplate, UriValue};
//!
//! let template = UriTemplate::parse("file:///{+path}{?line}")?;
//! let values = [("path", UriValue::from("src/main.rs")), ("line", UriValue::from("7"))];
//!
//! assert_eq!(template.expand(&values), "file:///src/main.rs?line=7");
//! let found = template.match_uri("file:///src/lib.rs").unwrap();
//! assert_eq!(found, [("path", UriValue::from("src/lib.rs"))]);
//! # Ok::<(), genkit_uri_template::UriTemplateError>(())
//! ```
//!
//! | written | stands for | as a value |
//! |---|---|---|
//! | `{id}` | text without `/`, `?` and `#`; at least one character | text |
//! | `{x,y}`, `{x*}` | such texts with commas between | texts; list |
//! | `{+path}` | any text; at least one character | text |
//! | `{/a}`, `{/a,b}`, `{/a*}` | a `/` before each, or nothing | texts; list |
//! | `{.ext}` | a `.` before it, or nothing | text |
//! | `{;a,b}`, `{;a*}` | `;a=…;b=…` in this order, each or nothing | texts; list |
//! | `{?a,b}`, `{?a*}`, `{&a}` | `?a=…&b=…` in any order, each or nothing | texts; list |
//! | `{#part}` | `#` and any text, or nothing | text |
//!
//! What may be missing is then missing from the values. A variable takes as much as it can, from the left.
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
//! **Encoding.** URIs are compared as RFC 3986 normalises their percent-encoding: `%7e`, `%7E` and `~` are one, and
//! what a URI may not have (spaces, `é`) counts as encoded. Case matters everywhere else.
//!
//! **Limits.** Templates and URIs may come from strangers: their length and the number of variables are limited
//! ([`MAX_TEMPLATE_BYTES`], [`MAX_URI_BYTES`], [`MAX_VARIABLES`]), and a match takes time and memory in proportion to
//! the length of both at the most. [`UriSearch`] asks many templates for one URI within [`MAX_SEARCH_STEPS`].
//!
//! **Paths.** A value before the query is no match where it has a `..` between slashes of either kind, is absolute
//! (`/etc`, `\host`, `C:`) or has a NUL, encoded or not: what joins it to a folder stays in there. Values of the query and
//! of the fragment are any text.

#![forbid(unsafe_code)]

mod encoding;
mod error;
mod expand;
mod limits;
mod matcher;
mod model;
mod parse;
mod program;
mod search;
mod structure;
mod template;
mod value;

pub use error::UriTemplateError;
pub use limits::{MAX_SEARCH_STEPS, MAX_TEMPLATE_BYTES, MAX_URI_BYTES, MAX_VARIABLES};
pub use search::UriSearch;
pub use template::{Specificity, UriTemplate};
pub use value::UriValue;
