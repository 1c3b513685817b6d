//! Limits: templates and URIs may come from strangers.

/// The longest template, in bytes. Default is 2 KiB.
pub const MAX_TEMPLATE_BYTES: usize = 2 * 1024;

/// How many variables a template may have. Default is 16.
///
/// Time and memory of a match are at most in proportion to this times the longest URI.
pub const MAX_VARIABLES: usize = 16;

/// The longest URI that is matched, in bytes, as it came and normalised. Default is 8 KiB.
pub const MAX_URI_BYTES: usize = 8 * 1024;

/// How many steps a search may take for one URI, of however many templates. Default is 4,000,000: for the
/// longest URI the largest template takes about a third of them.
pub const MAX_SEARCH_STEPS: usize = 4_000_000;
