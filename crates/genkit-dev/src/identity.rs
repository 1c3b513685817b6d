//! The names and versions of this program and this library in Genkit's tools.

/// The version of the reflection API that programs report in both protocol versions. The CLI exits if this version is
/// newer than its own.
pub(super) const SPEC_VERSION: u32 = 1;

/// The name and version of this library.
pub(super) const GENKIT_VERSION: &str = concat!("rust/", env!("CARGO_PKG_VERSION"));

/// Returns the name of this program.
pub(super) fn program_name() -> String {
    let path = std::env::current_exe().ok();
    let stem = path.as_ref().and_then(|path| path.file_stem());
    stem.map_or_else(|| "genkit".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
