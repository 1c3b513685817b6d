//! "Did you mean" messages with the most similar of the existing names.

use genkit_did_you_mean::nearest;

use genkit_schema::internal::truncate::excerpt;

/// The maximum number of names that a message lists.
const LISTED: usize = 20;

/// The maximum length of a name in a message, in characters.
const SHOWN: usize = 100;

/// The maximum number of names that are compared with an unknown name. Default is 20,000.
const MAX_NAMES: usize = 20_000;

/// Returns the message for an unknown name: ``Unknown tool: ad. Did you mean `add`?``
pub fn unknown<'a>(kind: &str, name: &str, existing: impl Iterator<Item = &'a str>) -> String {
    // Limit the length, because the name may come from outside.
    let name: String = name.chars().take(SHOWN).collect();
    let mut listed: Vec<&str> = Vec::new();
    let mut existing = existing.take(MAX_NAMES);
    let found = nearest(
        &name,
        existing.by_ref().inspect(|name| {
            if listed.len() <= LISTED {
                listed.push(name);
            }
        }),
    );
    match found {
        Some(other) => format!("Unknown {kind}: {name}. Did you mean `{other}`?"),
        None if listed.is_empty() => format!("Unknown {kind}: {name}. There are none"),
        None => {
            let more = if listed.len() > LISTED { ", …" } else { "" };
            listed.truncate(LISTED);
            // Names of other programs may be long, too.
            let listed: Vec<String> = listed.iter().map(|name| excerpt(name, SHOWN)).collect();
            format!("Unknown {kind}: {name}. There are: {}{more}", listed.join(", "))
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

    #[test]
    fn a_message_is_short_whatever_the_names_are() {
        let names: Vec<String> = (0..50_000).map(|n| format!("{n}{}", "ä".repeat(2_000))).collect();
        let text = unknown("tool", &"z".repeat(1_000_000), names.iter().map(String::as_str));
        assert!(text.chars().count() < 3_000, "{}", text.len());
    }
}
