//! "Did you mean" messages with the most similar existing name.

use genkit_schema::internal::truncate::excerpt;

/// The maximum number of names that a message lists.
const LISTED: usize = 20;

/// The maximum length of a name in a message, in characters.
const SHOWN: usize = 100;

/// The maximum number of names that are compared with an unknown name. Default is 20,000.
const MAX_NAMES: usize = 20_000;

/// The maximum number of pairs of characters that are compared, which takes a few milliseconds. Default is 1,000,000.
const MAX_WORK: usize = 1_000_000;

/// Returns the candidate that `word` is probably a typo of: at most a third of the characters of `word`, or one
/// character, may differ. Among equally close candidates, a candidate that differs only in case is preferred, then the
/// first in alphabetical order.
///
/// Names may be untrusted, so candidates of a very different length and candidates beyond `MAX_WORK` are skipped.
pub fn nearest_name<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let letters = word.chars().count();
    let limit = (letters / 3).max(1);
    let mut work = MAX_WORK;
    let distances = candidates.into_iter().filter_map(|candidate| {
        // A character takes up to four bytes.
        if candidate.len() > 4 * (letters + limit) {
            return None;
        }
        let length = candidate.chars().count();
        if length.abs_diff(letters) > limit {
            return None;
        }
        work = work.checked_sub((length + 1) * (letters + 1))?;
        let edits = strsim::osa_distance(word, candidate);
        let is_other_word = !candidate.eq_ignore_ascii_case(word);
        (edits <= limit && edits < length).then_some((edits, is_other_word, candidate))
    });
    distances.min().map(|(.., candidate)| candidate)
}

/// Returns the message for an unknown name: ``Unknown tool: ad. Did you mean `add`?``
pub fn unknown_name<'a>(kind: &str, name: &str, existing: impl Iterator<Item = &'a str>) -> String {
    // Limit the length, because the name may be untrusted.
    let name: String = name.chars().take(SHOWN).collect();
    let mut listed: Vec<&str> = Vec::new();
    let mut existing = existing.take(MAX_NAMES);
    let found = nearest_name(
        &name,
        existing.by_ref().inspect(|name| {
            if listed.len() <= LISTED {
                listed.push(name);
            }
        }),
    );
    match found {
        Some(other) => format!("Unknown {kind}: {name}. Did you mean `{other}`?"),
        None if listed.is_empty() => format!("Unknown {kind}: {name}. None exist"),
        None => {
            let more = if listed.len() > LISTED { ", …" } else { "" };
            listed.truncate(LISTED);
            // Names from other programs may also be long.
            let listed: Vec<String> = listed.iter().map(|name| excerpt(name, SHOWN)).collect();
            format!("Unknown {kind}: {name}. There are: {}{more}", listed.join(", "))
        }
    }
}
