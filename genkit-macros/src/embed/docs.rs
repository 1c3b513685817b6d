//! Doc comments from descriptions in files, without markup that would be run as a doc test.

use proc_macro2::TokenStream;
use quote::quote;

/// Generates a `#[doc = ".."]` attribute for each line.
pub(super) fn doc_attributes(text: Option<&str>) -> TokenStream {
    let lines = text.unwrap_or_default().lines().map(|line| {
        let line = format!(" {}", strip_code_markup(line));
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// Removes indentation and fences, which would turn a line into code.
fn strip_code_markup(line: &str) -> String {
    let mut line = line.trim().to_owned();
    for (fence, instead) in [("```", "`"), ("~~~", "~")] {
        while line.contains(fence) {
            line = line.replace(fence, instead);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_begins_code() {
        assert_eq!(strip_code_markup("    let x = 1;"), "let x = 1;");
        assert_eq!(strip_code_markup("```rust"), "`rust");
        assert_eq!(strip_code_markup("``````"), "``");
        assert_eq!(strip_code_markup("a `b` c"), "a `b` c");
        assert!(doc_attributes(Some("a\n\nb")).to_string().matches("doc").count() == 3);
        assert!(doc_attributes(None).is_empty());
    }
}
