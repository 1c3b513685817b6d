//! URI templates (RFC 6570) that also work in reverse: they match a URI and return the values of the variables.
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
//! | expression | matches | value |
//! |---|---|---|
//! | `{id}` | text without `/`, `?` and `#`; at least one character | text |
//! | `{x,y}`, `{x*}` | such strings, separated by commas | strings; list |
//! | `{+path}` | any text; at least one character | text |
//! | `{/a}`, `{/a,b}`, `{/a*}` | each preceded by `/`, or nothing | strings; list |
//! | `{.ext}` | preceded by `.`, or nothing | text |
//! | `{;a,b}`, `{;a*}` | `;a=…;b=…` in this order, each optional | strings; list |
//! | `{?a,b}`, `{?a*}`, `{&a}` | `?a=…&b=…` in any order, each optional | strings; list |
//! | `{#part}` | `#` and any text, or nothing | text |
//!
//! If an optional part is missing, its variables have no value. A variable matches as much as possible, from left to
//! right.
//!
//! Templates are rejected if their values could not be read back from a URI: prefixes (`{id:3}`), two variables without
//! text between them, several variables or lists in `{+…}`, `{#…}` and `{.…}`, a list before another variable in `{…}`
//! and `{/…}`, a variable that occurs twice, and anything but `{&…}` and `{#…}` after `{?…}`.
//!
//! **Queries.** A template with `{?…}` or `{&…}` ignores keys that it does not name, since links often acquire
//! additional keys. In a template without these expressions, the query is matched like any other text. A URI with a
//! repeated key does not match, unless the variable is a list.
//!
//! **Paths.** Values are decoded. A value before the query does not match if it contains a NUL or a segment `..`
//! (between slashes of either kind), if it is absolute (`/etc`, `\host`, `C:`), or if it contains a `/` and its
//! variable is not `{+path}` or `{/path*}`. This applies to encoded characters as well, so a value that is joined to a
//! folder stays in that folder. Values of the query and of the fragment can be any text.
//!
//! **Encoding.** URIs are compared after normalizing their percent-encoding according to RFC 3986: `%7e`, `%7E` and `~`
//! are equal, and characters that are not allowed in a URI (spaces, `é`) are treated as encoded. All other parts are
//! case-sensitive.
//!
//! **Limits.** Templates and URIs may come from untrusted sources. Their length and the number of variables are limited
//! ([`MAX_TEMPLATE_BYTES`], [`MAX_URI_BYTES`], [`MAX_VARIABLES`]), and the time and memory of a match are at most
//! proportional to the product of their lengths. [`UriSearch`] matches one URI against many templates within
//! [`MAX_SEARCH_STEPS`].

#![forbid(unsafe_code)]

mod encoding;
mod error;
mod expand;
mod limits;
mod matcher;
mod model;
mod origin;
mod parse;
mod program;
mod search;
mod structure;
mod template;
mod value;

pub use error::UriTemplateError;
pub use limits::{MAX_SEARCH_STEPS, MAX_TEMPLATE_BYTES, MAX_URI_BYTES, MAX_VARIABLES};
#[doc(hidden)]
pub use origin::is_origin;
pub use search::UriSearch;
pub use template::{Specificity, UriTemplate};
pub use value::UriValue;
