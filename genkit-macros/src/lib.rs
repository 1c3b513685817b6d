//! Attribute macros of the `genkit` crate.
//!
//! This crate is an implementation detail: use the macros through `genkit`.
//!
//! Every macro runs the same pipeline (`run`): parse → validate → expand. Only a validated action can be expanded. All
//! errors from a function are collected in `error::Errors`. If there are any, the function becomes the fallback, which
//! reports all of them and keeps the function callable. The options of each macro are rows in `options`.
//!
//! The user documentation, with its compiled examples, is in `genkit/src/docs`.

mod crate_path;
#[cfg(feature = "dotprompt")]
mod embed;
#[cfg(any(feature = "dotprompt", feature = "skills"))]
mod embed_folder;
mod error;
mod expand;
mod kind;
mod literal;
mod options;
mod parse;
mod run;
#[cfg(feature = "skills")]
mod skills;
mod suggest;
#[cfg(test)]
mod tests;
mod types;
mod validate;

use kind::Kind;
use proc_macro::TokenStream;

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    run::run_guarded(Kind::Tool, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    run::run_guarded(Kind::Prompt, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    run::run_guarded(Kind::Resource, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn flow(options: TokenStream, item: TokenStream) -> TokenStream {
    run::run_guarded(Kind::Flow, options.into(), item.into()).into()
}

#[expect(missing_docs, reason = "documented where `genkit` re-exports it")]
#[proc_macro_attribute]
pub fn retriever(options: TokenStream, item: TokenStream) -> TokenStream {
    run::run_guarded(Kind::Retriever, options.into(), item.into()).into()
}

/// The macro behind `genkit::prompts!`. Its input is the path of the library and a folder: `[$crate] "prompts"`.
#[cfg(feature = "dotprompt")]
#[proc_macro]
pub fn prompt_folder(invocation: TokenStream) -> TokenStream {
    embed::expand_prompts(invocation.into()).into()
}

/// The macro behind `genkit::skills!`. Its input is the path of the library and a folder: `[$crate] "skills"`.
#[cfg(feature = "skills")]
#[proc_macro]
pub fn skill_folder(invocation: TokenStream) -> TokenStream {
    skills::expand_skills(invocation.into()).into()
}
