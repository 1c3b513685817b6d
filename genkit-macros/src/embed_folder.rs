//! Shared parts of the macros that embed a folder: input parsing and folder paths.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::{LitStr, bracketed};

use crate::error::Errors;
use crate::suggest::find_nearest;

/// Parses the input after `[path of the library]`, the prefix that the macros of the library add.
pub(crate) fn parse_after_library<T>(
    tokens: TokenStream,
    errors: &mut Errors,
    form: impl Fn(ParseStream<'_>, TokenStream, &mut Errors) -> syn::Result<Option<T>>,
) -> Option<T> {
    let parser = |input: ParseStream<'_>| {
        let library;
        bracketed!(library in input);
        let library = library.parse()?;
        let parsed = form(input, library, errors);
        // Discard the remaining tokens, which would cause an additional error.
        input.parse::<TokenStream>()?;
        parsed
    };
    parser.parse2(tokens).map_err(|error| errors.add(error)).ok().flatten()
}

/// Returns the path of the folder that `literal` names, relative to the crate's folder `manifest`. Reports an error if
/// it does not exist.
pub(crate) fn resolve_folder(
    literal: &LitStr,
    manifest: Option<&Path>,
    errors: &mut Errors,
) -> Option<PathBuf> {
    let named = literal.value();
    let Some(manifest) = manifest else {
        let what = "the folder of the crate is unknown, because `CARGO_MANIFEST_DIR` is not set";
        errors.add_at(literal, what, "set it to the folder that contains the crate's `Cargo.toml`");
        return None;
    };
    if Path::new(&named).is_absolute() || named.split(['/', '\\']).any(|part| part == "..") {
        let what = format!("`{named}` is not inside the crate");
        errors.add_at(literal, what, "use a path relative to the crate's `Cargo.toml`");
        return None;
    }
    let path = manifest.join(&named);
    if !path.is_dir() {
        let what =
            format!("the folder `{named}` does not exist next to the `Cargo.toml` of this crate");
        match similar_sibling(&path) {
            Some(near) => errors.add_at(literal, what, format_args!("did you mean `{near}`?")),
            None => errors.add_at(literal, what, "create it, or use another path"),
        }
        return None;
    }
    Some(path)
}

/// Returns the name of a sibling of the missing folder, if one is similar.
fn similar_sibling(path: &Path) -> Option<String> {
    let (beside, name) = (path.parent()?, path.file_name()?.to_str()?);
    let folders: Vec<String> = std::fs::read_dir(beside)
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok().filter(|entry| entry.path().is_dir())?;
            entry.file_name().into_string().ok()
        })
        .collect();
    find_nearest(name, folders.iter().map(String::as_str)).map(str::to_owned)
}
