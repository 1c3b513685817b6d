//! The path of `genkit` in the crate that is being compiled. Every macro resolves it here.

mod manifest;

use std::path::{Path as FilePath, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use syn::Path;

use crate::crate_path::manifest::Manifest;

/// The names of the package: in this repository, and as published. The library of both is named `genkit`.
const PACKAGES: [&str; 2] = ["genkit", "genkit-rs"];

/// Returns `::genkit`, or `::name` if the manifest renames the dependency.
///
/// The library itself declares `extern crate self as genkit`. Without a manifest, as in other build systems, the plain
/// name is the best guess. `crate = ".."` overrides all of this.
pub(crate) fn library_path() -> Path {
    let name = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .and_then(|folder| cached_name(&folder))
        .unwrap_or_else(|| "genkit".to_owned());
    let name = syn::Ident::new(&name, proc_macro2::Span::call_site());
    syn::parse_quote!(::#name)
}

/// Caches the name from the manifest that was read last, since a crate may have hundreds of annotated functions. An
/// editor keeps this process alive, so the entry is valid only while the file is unchanged.
fn cached_name(folder: &FilePath) -> Option<String> {
    type Found = (PathBuf, Option<SystemTime>, Option<String>);
    static LAST: Mutex<Option<Found>> = Mutex::new(None);
    let changed =
        std::fs::metadata(folder.join("Cargo.toml")).and_then(|file| file.modified()).ok();
    let Ok(mut last) = LAST.lock() else { return renamed_dependency(folder) };
    match &*last {
        Some((known, when, name)) if known == folder && *when == changed => name.clone(),
        _ => {
            let name = renamed_dependency(folder);
            *last = Some((folder.to_owned(), changed, name.clone()));
            name
        }
    }
}

/// Returns the name of the dependency if it is renamed.
fn renamed_dependency(folder: &FilePath) -> Option<String> {
    let manifest = read(&folder.join("Cargo.toml"))?;
    if manifest.package_name().is_some_and(|name| PACKAGES.contains(&name)) {
        return None;
    }
    let name_of = |package: &&str| {
        let name = manifest.dependency_name(package, || workspace_manifest(folder, &manifest));
        // A dependency that is not renamed has the name of the library.
        name.filter(|name| name != package)
    };
    let name = PACKAGES.iter().find_map(name_of)?;
    let name = name.replace('-', "_");
    syn::parse_str::<syn::Ident>(&name).is_ok().then_some(name)
}

/// Returns the manifest that `workspace = true` refers to.
fn workspace_manifest(folder: &FilePath, manifest: &Manifest) -> Option<Manifest> {
    if manifest.is_workspace() {
        return None; // it was searched already
    }
    if let Some(root) = manifest.workspace_folder() {
        return read(&folder.join(root).join("Cargo.toml"));
    }
    folder
        .ancestors()
        .skip(1)
        .filter_map(|parent| read(&parent.join("Cargo.toml")))
        .find(Manifest::is_workspace)
}

fn read(path: &FilePath) -> Option<Manifest> {
    std::fs::read_to_string(path).ok().map(|text| Manifest::parse(&text))
}
