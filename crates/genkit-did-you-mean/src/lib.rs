//! "Did you mean": the nearest of the names that exist.

#![forbid(unsafe_code)]

/// The candidate that is a typing slip away from `word`: a third of its letters may differ, and one always
/// may. Of equals it is the first by name.
///
/// ```
/// use genkit_did_you_mean::nearest;
///
/// assert_eq!(nearest("titel", ["name", "title"]), Some("title"));
/// assert_eq!(nearest("colour", ["name", "title"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_a_slip_and_nothing_far_away() {
        let keys = ["name", "title", "read_only", "timeout"];
        assert_eq!(nearest("read_olny", keys), Some("read_only"));
        assert_eq!(nearest("readonly", keys), Some("read_only"));
        assert_eq!(nearest("titel", keys), Some("title"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        // Nothing of the word would be left.
        assert_eq!(nearest("x", ["y", "xy"]), Some("xy"));
        assert_eq!(nearest("x", ["y"]), None);
        // Of equals the first by name.
        assert_eq!(nearest("tent", ["text", "test"]), Some("test"));
    }
}
