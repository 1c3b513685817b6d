//! `prompts!("prompts")`: a folder of `.prompt` files, read at compile time.
//!
//! All errors in all files are reported at once. A macro cannot point into another file, so each message begins with
//! the file and the line. A folder with errors still generates all types and functions that are known, to avoid
//! follow-up errors.

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

/// Expands `[$crate] "prompts"`.
pub(crate) fn expand_prompts(tokens: TokenStream) -> TokenStream {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    expand_in(tokens, manifest.as_deref())
}

fn expand_in(tokens: TokenStream, manifest: Option<&Path>) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = PromptsInput::parse(tokens, &mut errors) else {
        let errors = errors.into_result::<()>(None).err();
        return quote!(#errors);
    };
    let read = read::read_folder(&input, manifest, &mut errors);
    let module = Module::from_prompts(&read.prompts);
    let mut emitter =
        Emitter { input: &input, span: emit::folder_span(&input.folder), is_valid: true };
    match errors.into_result(Some(())) {
        Ok(()) => emitter.emit_root(&module, &read.files),
        Err(errors) => {
            emitter.is_valid = false;
            let module = emitter.emit_root(&module, &[]);
            quote!(#errors #module)
        }
    }
}
