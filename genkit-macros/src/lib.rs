//! The attribute macros of `genkit`: a private implementation detail, use them through `genkit`.
//!
//! One road (`run`): parse → validate → expand; only a validated action can be expanded. All mistakes of one function
//! are collected in `error::Errors` and reported at once by the fallback, which keeps the function callable. The
//! options of each macro are rows in `options`.
//!
//! The documentation for users, with its compiled examples, is in `genkit/src/docs`.

#[cfg(any(feature = "dotprompt", feature = "skills"))]
mod beside;
mod crate_path;
#[cfg(feature = "dotprompt")]
mod embed;
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

/// What `genkit::prompts!` hands a folder to: `[$crate] "prompts"`.
#[cfg(feature = "dotprompt")]
#[proc_macro]
pub fn prompt_folder(invocation: TokenStream) -> TokenStream {
    embed::prompts(invocation.into()).into()
}

/// What `genkit::skills!` hands a folder to: `[$crate] "skills"`.
#[cfg(feature = "skills")]
#[proc_macro]
pub fn skill_folder(invocation: TokenStream) -> TokenStream {
    skills::skills(invocation.into()).into()
}
