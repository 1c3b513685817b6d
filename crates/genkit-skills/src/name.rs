//! The names of skills.

use crate::limits::MAX_NAME;

/// Checks a name against the rules of the Agent Skills format.
///
/// ```
/// assert!(genkit_skills::check_name("git-flow").is_ok());
/// for wrong in ["", "-a", "a-", "a--b", "Pdf", "a/b", "ä"] {
///     assert!(genkit_skills::check_name(wrong).is_err(), "{wrong}");
/// }
/// ```
///
/// # Errors
/// Returns the rule that the name violates.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Err("a name must have 1 to 64 characters");
    }
    let is_legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.chars().all(is_legal) {
        return Err("a name may contain only `a-z`, `0-9` and `-`");
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Err("a name must not begin or end with a hyphen, or contain two hyphens in a row");
    }
    Ok(())
}
