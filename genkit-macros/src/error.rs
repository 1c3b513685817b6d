//! Errors: all mistakes of one function, collected so that they are reported together.
//!
//! A mistake in an option does not hide one in a parameter: every part is read as far as it
//! goes. What has mistakes is not expanded, since that would only add errors of rustc's.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

#[derive(Default)]
pub(crate) struct Errors {
    all: Option<Error>,
    /// The compiler reports a mistake itself: nothing is expanded and nothing is added.
    left_to_rustc: bool,
}

impl Errors {
    /// A mistake at `tokens`: what is wrong and why, and how to mend it.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, what: impl Display, help: impl Display) {
        self.add(Error::new_spanned(tokens, message(what, help)));
    }

    /// The same where there is a place but no tokens.
    pub(crate) fn at_span(&mut self, span: Span, what: impl Display, help: impl Display) {
        self.add(Error::new(span, message(what, help)));
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

    /// There is a mistake that the compiler finds in the function as it stands.
    pub(crate) fn leave_to_rustc(&mut self) {
        self.left_to_rustc = true;
    }

    /// The value if nothing was wrong, else the `compile_error!` invocations.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, TokenStream> {
        match (self.all, value) {
            (Some(all), _) => Err(all.into_compile_error()),
            (None, Some(value)) if !self.left_to_rustc => Ok(value),
            (None, Some(_)) => Err(TokenStream::new()),
            (None, None) => Err(internal("nothing was expanded and no reason given")),
        }
    }
}

fn message(what: impl Display, help: impl Display) -> String {
    format!("{what}\nhelp: {help}")
}

/// The error for a fault of ours.
pub(crate) fn internal(what: &str) -> TokenStream {
    let message = format!("a fault in the macros of `genkit`, please report it: {what}");
    Error::new(Span::call_site(), message).into_compile_error()
}
