//! The frontmatter of a `.prompt` file: where it is, and what its keys mean.

mod keys;
mod place;
mod scalar;
pub(crate) mod yaml;

pub(crate) use keys::{check, empty, metadata};
pub(crate) use place::{Split, overlooked, split};
