//! "Did you mean": the nearest of the names that exist.

/// How many edits a near miss may be away.
const NEAR: usize = 3;

/// How many names a message lists at the most.
const LISTED: usize = 20;

/// ``Unknown tool: `ad`. Did you mean `add`?``
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

/// The one that was probably meant.
pub(crate) fn nearest<'a>(name: &str, existing: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    existing
        .map(|other| (distance(name, other), other))
        .min()
        .filter(|(edits, other)| *edits <= NEAR && *edits < other.len())
        .map(|(_, other)| other)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = usize::from(x != *y);
            let next = (diagonal + cost).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
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
    fn counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
