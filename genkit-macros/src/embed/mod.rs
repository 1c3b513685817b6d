//! `prompts!("prompts")`: a folder of `.prompt` files, read at compile time.
//!
//! Everything that is wrong with any of the files is reported at once, each mistake with its own place: a macro
//! cannot point into another file, so the messages begin with it. What has mistakes still becomes its types and
//! functions, as far as they are known, so that no error follows from another.

mod docs;
mod emit;
mod input;
mod names;
mod prompt;
mod read;
mod shape;
#[cfg(test)]
mod tests;
mod types;

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::quote;

use crate::error::Errors;
use emit::{Emitter, Module};
use input::PromptsInput;

/// What `[$crate] "prompts"` becomes.
pub(crate) fn prompts(tokens: TokenStream) -> TokenStream {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    expand(tokens, manifest.as_deref())
}

fn expand(tokens: TokenStream, manifest: Option<&Path>) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = PromptsInput::parse(tokens, &mut errors) else {
        let errors = errors.finish::<()>(None).err();
        return quote!(#errors);
    };
    let read = read::folder(&input, manifest, &mut errors);
    let module = Module::of(&read.prompts);
    let mut emitter = Emitter { input: &input, span: emit::place(&input.folder), sound: true };
    match errors.finish(Some(())) {
        Ok(()) => emitter.root(&module, &read.files),
        Err(errors) => {
            emitter.sound = false;
            let module = emitter.root(&module, &[]);
            quote!(#errors #module)
        }
    }
}
