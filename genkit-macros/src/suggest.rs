//! Suggestions for misspelled names, and lists of names.

/// Returns the candidate that `word` is probably a typo of: at most a third of its characters, or
/// one character, may differ. Among equally close candidates, a candidate that differs only in
/// case is preferred, then the first in alphabetical order.
pub(crate) fn find_nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let distances = candidates.into_iter().map(|candidate| {
        let is_other_word = !candidate.eq_ignore_ascii_case(word);
        (strsim::osa_distance(word, candidate), is_other_word, candidate)
    });
    let close = distances
        .filter(|(edits, _, candidate)| *edits <= limit && *edits < candidate.chars().count());
    close.min().map(|(.., candidate)| candidate)
}

/// Formats words as `a`, `b` and `c`, each in backticks.
pub(crate) fn list_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
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
    fn nearest_name_is_a_typo_away() {
        let keys = ["name", "title", "read_only", "timeout"];
        assert_eq!(find_nearest("read_olny", keys), Some("read_only"));
        assert_eq!(find_nearest("readonly", keys), Some("read_only"));
        assert_eq!(find_nearest("titel", keys), Some("title"));
        assert_eq!(find_nearest("colour", keys), None);
        assert_eq!(find_nearest("", keys), None);
        // `y` would replace the whole word.
        assert_eq!(find_nearest("x", ["y", "xy"]), Some("xy"));
        assert_eq!(find_nearest("x", ["y"]), None);
        assert_eq!(
            find_nearest("tent", ["text", "test"]),
            Some("test"),
            "the first in alphabetical order"
        );
    }

    #[test]
    fn nearest_name_among_equals_differs_only_in_case() {
        for (word, near) in [("topp", "topP"), ("topk", "topK"), ("topx", "topK")] {
            assert_eq!(find_nearest(word, ["topP", "topK"]), Some(near), "{word}");
        }
    }

    #[test]
    fn lists_read_like_english() {
        assert_eq!(list_words([]), "");
        assert_eq!(list_words(["a"]), "`a`");
        assert_eq!(list_words(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
