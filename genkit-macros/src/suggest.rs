//! "Did you mean …?", and lists of names.

/// The candidate that is a typing slip away from `word`: a third of its letters may differ, and one always may
/// (the library has the same rule).
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match (words.pop(), words.is_empty()) {
        (None, _) => String::new(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} and {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn lists_read_like_english() {
        assert_eq!(listed([]), "");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
