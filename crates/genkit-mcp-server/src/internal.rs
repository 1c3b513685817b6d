//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::error::Error;
pub use crate::instance::{OperatorCommand, ServedInstance};
