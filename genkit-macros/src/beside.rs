//! A folder beside the `Cargo.toml` of the crate that is compiled.

use std::path::{Path, PathBuf};

use syn::LitStr;

use crate::error::Errors;
use crate::suggest::nearest;

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
