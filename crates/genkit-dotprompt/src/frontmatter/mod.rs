//! The frontmatter of a `.prompt` file: its position, and its keys.

mod keys;
mod position;
mod scalar;
pub(crate) mod yaml;

use serde_json::{Map, Value};

use crate::error::Error;

pub(crate) use keys::{RESERVED, check_keys, empty_metadata, metadata_from_keys};
pub(crate) use position::{FileParts, find_overlooked, split_file};

/// Parses YAML as JSON, with the limits of a frontmatter, for files without a template. Keys are not checked.
///
/// ```
/// let read = genkit_dotprompt::yaml("name: trip\nversion: \"1.0\"")?;
/// assert_eq!(read["version"], "1.0");
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the text is not valid YAML, is not a map, or is too large. Lines are counted from the first line
/// of the text.
pub fn yaml(text: &str) -> Result<Map<String, Value>, Error> {
    yaml::read(text)
}

/// Parses YAML as [`yaml`] does, with custom limits on the number of values and the bytes of text. An alias counts as
/// the value that it refers to.
///
/// ```
/// let read = genkit_dotprompt::yaml_within("list: [1, 2]", 5, 1024)?;
/// assert_eq!(read["list"][1], 2);
/// assert!(genkit_dotprompt::yaml_within("list: [1, 2, 3]", 5, 1024).is_err());
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
///
/// # Errors
/// Returns the same errors as [`yaml`].
pub fn yaml_within(
    text: &str,
    max_values: usize,
    max_bytes: usize,
) -> Result<Map<String, Value>, Error> {
    yaml::read_within(text, max_values, max_bytes)
}

/// Returns the line and the column of the key or list item at the path `keys`, in YAML that was parsed successfully
/// before. If it does not exist, returns those of its deepest existing ancestor, or 0 and 0 if there is none.
pub fn yaml_place(text: &str, keys: &[String]) -> (usize, usize) {
    yaml::find_position(text, keys)
}
