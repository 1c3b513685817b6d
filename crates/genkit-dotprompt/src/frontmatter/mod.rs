//! The frontmatter of a `.prompt` file: where it is, and what its keys mean.

mod keys;
mod place;
mod scalar;
pub(crate) mod yaml;

use serde_json::{Map, Value};

use crate::error::Error;

pub(crate) use keys::{check, empty, metadata};
pub(crate) use place::{Split, overlooked, split};

/// The YAML of a frontmatter as JSON, bounded: for files that have no template below it. No key is checked.
///
/// ```
/// let read = genkit_dotprompt::yaml("name: trip\nversion: \"1.0\"")?;
/// assert_eq!(read["version"], "1.0");
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
///
/// # Errors
/// It is no YAML, no map, or too large; the place is counted from its first line.
pub fn yaml(text: &str) -> Result<Map<String, Value>, Error> {
    yaml::read(text)
}

/// The same for YAML of another kind, within so many values and bytes of text, what aliases stand for included.
///
/// ```
/// let read = genkit_dotprompt::yaml_within("list: [1, 2]", 5, 1024)?;
/// assert_eq!(read["list"][1], 2);
/// assert!(genkit_dotprompt::yaml_within("list: [1, 2, 3]", 5, 1024).is_err());
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
///
/// # Errors
/// As [`yaml`].
pub fn yaml_within(
    text: &str,
    max_values: usize,
    max_bytes: usize,
) -> Result<Map<String, Value>, Error> {
    yaml::read_within(text, max_values, max_bytes)
}

/// Line and column at which the value of these keys stands in a YAML that was read before; zeros where it is not there.
pub fn yaml_place(text: &str, keys: &[String]) -> (usize, usize) {
    yaml::place_of(text, keys)
}
