//! Limits: templates and URIs may come from untrusted sources.

/// The maximum length of a template, in bytes. Default is 2 KiB.
pub const MAX_TEMPLATE_BYTES: usize = 2 * 1024;

/// The maximum number of variables in a template. Default is 16.
///
/// The time and memory of a match are at most proportional to this number times the length of the longest URI.
pub const MAX_VARIABLES: usize = 16;

/// The maximum length of a URI that is matched, in bytes, both as received and normalized. Default is 8 KiB.
pub const MAX_URI_BYTES: usize = 8 * 1024;

/// The maximum number of steps of a search for one URI, over all templates. Default is 4,000,000: the largest template
/// takes about a third of these steps for the longest URI.
pub const MAX_SEARCH_STEPS: usize = 4_000_000;
