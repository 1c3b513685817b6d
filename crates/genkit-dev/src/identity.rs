//! Identity: what this program and this library are called in Genkit's tools.

/// The version of both protocols. A CLI ends where a program has a newer one than itself.
pub(super) const SPEC_VERSION: u32 = 1;

/// This library.
pub(super) const GENKIT_VERSION: &str = concat!("rust/", env!("CARGO_PKG_VERSION"));

/// This program.
pub(super) fn program_name() -> String {
    let path = std::env::current_exe().ok();
    let stem = path.as_ref().and_then(|path| path.file_stem());
    stem.map_or_else(|| "genkit".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
