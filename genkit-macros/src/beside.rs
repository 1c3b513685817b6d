//! What embeds a folder: its input, and the folder beside the `Cargo.toml` of the crate that is compiled.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::{LitStr, bracketed};

use crate::error::Errors;
use crate::suggest::nearest;

/// Reads what follows `[path of the library]`, with which the macros of the library pass on their input.
pub(crate) fn after_library<T>(
    tokens: TokenStream,
    errors: &mut Errors,
    form: impl Fn(ParseStream<'_>, TokenStream, &mut Errors) -> syn::Result<Option<T>>,
) -> Option<T> {
    let parser = |input: ParseStream<'_>| {
        let library;
        bracketed!(library in input);
        let library = library.parse()?;
        let parsed = form(input, library, errors);
        // What is left would be an error of its own.
        input.parse::<TokenStream>()?;
        parsed
    };
    parser.parse2(tokens).map_err(|error| errors.add(error)).ok().flatten()
}

/// The folder that a literal names, in the crate at `manifest`; a mistake where it names none.
pub(crate) fn folder(
    literal: &LitStr,
    manifest: Option<&Path>,
    errors: &mut Errors,
) -> Option<PathBuf> {
    let named = literal.value();
    let Some(manifest) = manifest else {
        let what = "the folder of the crate is not known: `CARGO_MANIFEST_DIR` is not set";
        errors.at(literal, what, "set it where cargo does not");
        return None;
    };
    if Path::new(&named).is_absolute() || named.split(['/', '\\']).any(|part| part == "..") {
        let what = format!("`{named}` is not inside of the crate");
        errors.at(literal, what, "name a folder relative to the `Cargo.toml` of the crate");
        return None;
    }
    let path = manifest.join(&named);
    if !path.is_dir() {
        let what = format!("there is no folder `{named}` beside the `Cargo.toml` of this crate");
        match near(&path) {
            Some(near) => errors.at(literal, what, format_args!("did you mean `{near}`?")),
            None => errors.at(literal, what, "make it, or name another"),
        }
        return None;
    }
    Some(path)
}

/// A folder beside the one that is not there, whose name is nearly the same.
fn near(path: &Path) -> Option<String> {
    let (beside, name) = (path.parent()?, path.file_name()?.to_str()?);
    let folders: Vec<String> = std::fs::read_dir(beside)
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok().filter(|entry| entry.path().is_dir())?;
            entry.file_name().into_string().ok()
        })
        .collect();
    nearest(name, folders.iter().map(String::as_str)).map(str::to_owned)
}
