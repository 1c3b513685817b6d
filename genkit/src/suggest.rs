//! "Did you mean": the nearest of the names that exist.

use genkit_did_you_mean::nearest;

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
}
