//! The attribute macros of `genkit`: a private implementation detail, use them through `genkit`.
//!
//! Parse (`item`, `options`, `params`) → validate (`validate`) → expand (`expand`);
//! only a validated action can be expanded. All mistakes of one function are collected in
//! `error::Errors` and reported at once by `fallback`, which keeps the function callable.
//! What the macros share is here and in the files named above; what one of them has of its own
//! is in its file: `tool`, `prompt`, `resource`, `flow`.
//!
//! The documentation for users, with its compiled examples, is in `genkit/src/docs`.

mod closest;
mod crate_path;
mod debug;
mod docs;
mod entries;
mod error;
mod expand;
mod fallback;
mod flow;
mod input;
mod item;
mod json;
mod kind;
mod manifest;
mod options;
mod params;
mod prompt;
mod resource;
mod run;
mod spelling;
#[cfg(test)]
mod tests;
mod tool;
mod types;
mod uri;
mod uri_template;
mod validate;
mod values;

use kind::Kind;
use proc_macro::TokenStream;

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    run::guarded(Kind::Tool, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    run::guarded(Kind::Prompt, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    run::guarded(Kind::Resource, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn flow(options: TokenStream, item: TokenStream) -> TokenStream {
    run::guarded(Kind::Flow, options.into(), item.into()).into()
}
