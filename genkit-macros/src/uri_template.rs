//! The grammar of URI templates and the rules for matching them, from the library's own files:
//! what the macro accepts, the registry can match.
//!
//! (One source in two crates, since a crate of macros can give nothing else to the library. To
//! publish this crate by itself, its package would need a copy.)

#![allow(dead_code, reason = "the library also matches")]

#[path = "../../genkit/src/action/uri_template/encoding.rs"]
mod encoding;
#[path = "../../genkit/src/action/uri_template/model.rs"]
mod model;
#[path = "../../genkit/src/action/uri_template/parse.rs"]
mod parse;
#[path = "../../genkit/src/action/uri_template/structure.rs"]
mod structure;

pub(crate) use error::UriTemplateError;

/// The library's error without what errors have at run time.
mod error {
    #[derive(Debug)]
    pub(crate) struct UriTemplateError {
        /// In bytes from the start of the template.
        pub(crate) offset: usize,
        pub(crate) what: String,
        pub(crate) why: &'static str,
        pub(crate) remedy: String,
    }

    impl UriTemplateError {
        pub(super) fn new(
            offset: usize,
            what: impl Into<String>,
            why: &'static str,
            remedy: impl Into<String>,
        ) -> Self {
            Self { offset, what: what.into(), why, remedy: remedy.into() }
        }
    }
}

/// The names of the variables and where they are, in bytes.
pub(crate) fn variables(template: &str) -> Result<Vec<(String, usize)>, UriTemplateError> {
    let parts = parse::parse(template)?;
    structure::check(&parts)?;
    let expressions = parts.into_iter().filter_map(|part| match part {
        model::Part::Literal { .. } => None,
        model::Part::Expression(expression) => Some(expression),
    });
    Ok(expressions
        .flat_map(|expression| expression.variables)
        .map(|variable| (variable.name, variable.offset))
        .collect())
}
