//! Conversions into the parts of a prompt.

use crate::message::{Part, ToolResponse};

/// A conversion into the parts of a prompt, from text, a [`Part`], several parts, or `()` for none.
///
/// ```
/// use genkit::generate::IntoParts;
/// use genkit::Part;
///
/// assert_eq!("hi".into_parts(), [Part::text("hi")]);
/// assert_eq!([Part::text("a"), Part::text("b")].into_parts().len(), 2);
/// assert!(().into_parts().is_empty());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as a prompt",
    label = "neither text nor parts",
    note = "pass `&str`, `String`, `Part`, `Vec<Part>`, an array of parts, or `()` for nothing"
)]
pub trait IntoParts {
    /// Converts this value into parts.
    fn into_parts(self) -> Vec<Part>;
}

impl IntoParts for () {
    fn into_parts(self) -> Vec<Part> {
        Vec::new()
    }
}

impl IntoParts for &str {
    fn into_parts(self) -> Vec<Part> {
        vec![Part::text(self)]
    }
}

impl IntoParts for String {
    fn into_parts(self) -> Vec<Part> {
        vec![Part::text(self)]
    }
}

impl IntoParts for &String {
    fn into_parts(self) -> Vec<Part> {
        vec![Part::text(self)]
    }
}

impl IntoParts for Part {
    fn into_parts(self) -> Vec<Part> {
        vec![self]
    }
}

impl IntoParts for Vec<Part> {
    fn into_parts(self) -> Vec<Part> {
        self
    }
}

impl<const N: usize> IntoParts for [Part; N] {
    fn into_parts(self) -> Vec<Part> {
        self.into()
    }
}

impl IntoParts for Vec<ToolResponse> {
    fn into_parts(self) -> Vec<Part> {
        self.into_iter().map(Part::from).collect()
    }
}
