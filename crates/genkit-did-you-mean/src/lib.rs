//! "Did you mean": finds the most similar of the existing names.

#![forbid(unsafe_code)]

/// Returns the candidate that is most likely the intended spelling of `word`, if any is similar enough: up to a third
/// of the letters may differ, and in short words one letter. Among equally similar candidates, it prefers one that
/// differs only in case, then the first by name.
///
/// ```
/// use genkit_did_you_mean::nearest;
///
/// assert_eq!(nearest("titel", ["name", "title"]), Some("title"));
/// assert_eq!(nearest("colour", ["name", "title"]), None);
/// ```
///
/// Candidates that are much shorter or longer are skipped at no cost. The work for all others is limited by
/// [`MAX_WORK`]; candidates beyond it are ignored.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = word;
    let word: Vec<char> = written.chars().collect();
    let letters = word.len();
    let limit = (letters / 3).max(1);
    let mut work = MAX_WORK;
    candidates
        .into_iter()
        .filter_map(|candidate| {
            // A character has at most four bytes.
            if candidate.len() > 4 * (letters + limit) {
                return None;
            }
            let length = candidate.chars().count();
            if length.abs_diff(letters) > limit {
                return None;
            }
            work = work.checked_sub((length + 1) * (letters + 1))?;
            let edits = distance(&word, candidate);
            // Prefer a candidate that differs only in case: `topK` for `topk`, not `topp`.
            let is_other_word = !candidate.eq_ignore_ascii_case(written);
            (edits <= limit && edits < length).then_some((edits, is_other_word, candidate))
        })
        .min()
        .map(|(.., candidate)| candidate)
}

/// Returns the optimal string alignment distance: how many letters must be inserted, deleted, changed or swapped with a
/// neighbor to turn `other` into `word`, editing none of them twice.
fn distance(word: &[char], other: &str) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=word.len()).collect();
    let mut previous = None;
    for (row, letter) in other.chars().enumerate() {
        let mut costs = Vec::with_capacity(last.len());
        costs.push(row + 1);
        for (at, own) in word.iter().enumerate() {
            let change = last[at] + usize::from(*own != letter);
            let mut cost = change.min(last[at + 1] + 1).min(costs[at] + 1);
            if at > 0 && previous == Some(*own) && word[at - 1] == letter {
                cost = cost.min(before_last[at - 1] + 1);
            }
            costs.push(cost);
        }
        before_last = std::mem::replace(&mut last, costs);
        previous = Some(letter);
    }
    last[word.len()]
}

/// The maximum number of pairs of letters that are compared. Default is 1,000,000: a few milliseconds.
pub const MAX_WORK: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn of_equals_the_one_of_another_case_is_nearest() {
        for (word, near) in [("topp", "topP"), ("topk", "topK"), ("topx", "topK")] {
            assert_eq!(nearest(word, ["topP", "topK"]), Some(near), "{word}");
        }
    }

    #[test]
    fn distances_count_each_slip_once() {
        let between = |word: &str, other: &str| {
            let word: Vec<char> = word.chars().collect();
            distance(&word, other)
        };
        for (word, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            // A swapped pair is not changed again.
            ("ca", "abc", 3),
            ("a cat", "an abct", 4),
            ("größe", "grösse", 2),
            ("abcdef", "abdcef", 1),
        ] {
            assert_eq!(between(word, other), expected, "{word} {other}");
            assert_eq!(between(other, word), expected, "{other} {word}");
        }
    }

    #[test]
    fn finds_a_slip_and_nothing_far_away() {
        let keys = ["name", "title", "read_only", "timeout"];
        assert_eq!(nearest("read_olny", keys), Some("read_only"));
        assert_eq!(nearest("readonly", keys), Some("read_only"));
        assert_eq!(nearest("titel", keys), Some("title"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        // No letter of the word would be left.
        assert_eq!(nearest("x", ["y", "xy"]), Some("xy"));
        assert_eq!(nearest("x", ["y"]), None);
        // Among equals, the first by name.
        assert_eq!(nearest("tent", ["text", "test"]), Some("test"));
    }

    #[test]
    fn many_long_names_cost_no_more_than_a_few() {
        let names: Vec<String> = (0..1_000_000).map(|n| format!("{n:0>100}")).collect();
        let mut all = vec!["x".repeat(100)];
        all.extend(names);
        let found = nearest(&format!("{}y", "x".repeat(99)), all.iter().map(String::as_str));
        assert_eq!(found, Some(all[0].as_str()));
        assert_eq!(nearest("a", [&*"b".repeat(1_000_000), "ab"]), Some("ab"));
    }
}
