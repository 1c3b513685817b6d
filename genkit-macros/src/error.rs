//! The errors of one function, collected so that they are reported together.
//!
//! An error in an option does not hide an error in a parameter: every part that can be parsed is parsed. A function
//! with errors is not expanded, because that would only add follow-up errors from rustc.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

#[derive(Default)]
pub(crate) struct Errors {
    all: Option<Error>,
    /// Whether the compiler reports the error itself, so that this macro expands to nothing.
    left_to_rustc: bool,
}

impl Errors {
    /// Adds an error at `tokens`: `what` states the problem, and `help` the remedy.
    pub(crate) fn add_at(&mut self, tokens: impl ToTokens, what: impl Display, help: impl Display) {
        self.add(Error::new_spanned(tokens, format_message(what, help)));
    }

    /// Adds an error at `span`, for positions without tokens.
    pub(crate) fn add_at_span(&mut self, span: Span, what: impl Display, help: impl Display) {
        self.add(Error::new(span, format_message(what, help)));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none()
    }

    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            None => self.all = Some(error),
        }
    }

    /// Records that the compiler itself will reject the unchanged function.
    pub(crate) fn leave_to_rustc(&mut self) {
        self.left_to_rustc = true;
    }

    /// Returns the value if there were no errors, otherwise the `compile_error!` invocations.
    pub(crate) fn into_result<T>(self, value: Option<T>) -> Result<T, TokenStream> {
        match (self.all, value) {
            (Some(all), _) => Err(all.into_compile_error()),
            (None, Some(value)) if !self.left_to_rustc => Ok(value),
            (None, Some(_)) => Err(TokenStream::new()),
            (None, None) => Err(internal_error("the macro expanded nothing and reported no error")),
        }
    }
}

fn format_message(what: impl Display, help: impl Display) -> String {
    format!("{what}\nhelp: {help}")
}

/// Returns the compile error for a bug in these macros.
pub(crate) fn internal_error(what: &str) -> TokenStream {
    let message = format!("internal error in the macros of `genkit`; please report it: {what}");
    Error::new(Span::call_site(), message).into_compile_error()
}
