//! "Did you mean": the nearest of the names that exist.

/// How many names a message lists at the most.
const LISTED: usize = 20;

/// ``Unknown tool: ad. Did you mean `add`?``
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    existing: impl Iterator<Item = &'a str>,
) -> String {
    // A name from outside may be as long as it likes; a message may not.
    let name: String = name.chars().take(100).collect();
    let existing: Vec<&str> = existing.collect();
    match nearest(&name, existing.iter().copied()) {
        Some(other) => format!("Unknown {kind}: {name}. Did you mean `{other}`?"),
        None if existing.is_empty() => format!("Unknown {kind}: {name}. There are none"),
        None => {
            let more = if existing.len() > LISTED { ", …" } else { "" };
            let listed = existing[..existing.len().min(LISTED)].join(", ");
            format!("Unknown {kind}: {name}. There are: {listed}{more}")
        }
    }
}

/// The candidate that is a typing slip away from `word`: a third of its letters may differ, and one always may
/// (the macros have the same rule).
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_or_lists_what_there_is() {
        let names = || ["add", "weather"].into_iter();
        assert_eq!(unknown("tool", "ad", names()), "Unknown tool: ad. Did you mean `add`?");
        assert_eq!(
            unknown("tool", "zzzzzzz", names()),
            "Unknown tool: zzzzzzz. There are: add, weather"
        );
        assert_eq!(unknown("tool", "x", [].into_iter()), "Unknown tool: x. There are none");
    }

    #[test]
    fn finds_a_slip_and_nothing_far_away() {
        let nearest = |word, names: &[&'static str]| nearest(word, names.iter().copied());
        let keys = &["name", "title", "read_only", "timeout"];
        assert_eq!(nearest("read_olny", keys), Some("read_only"));
        assert_eq!(nearest("readonly", keys), Some("read_only"));
        assert_eq!(nearest("titel", keys), Some("title"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        // Nothing of the word would be left.
        assert_eq!(nearest("x", &["y", "xy"]), Some("xy"));
        assert_eq!(nearest("x", &["y"]), None);
        // Of equals the first by name.
        assert_eq!(nearest("tent", &["text", "test"]), Some("test"));
    }
}
