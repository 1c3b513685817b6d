//! Lenient parsing of JSON from other programs that is almost valid. Python writes `NaN` and lone surrogates by
//! default, and a program can truncate a string inside a character.

use std::sync::Once;

use serde::de::DeserializeOwned;

/// Deserializes JSON. If it is not valid, [repairs](repair_json) it and tries again.
///
/// # Errors
/// Returns the error from parsing the unchanged JSON.
pub fn parse_leniently<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).or_else(|error| {
        let repaired = repair_json(json).and_then(|text| serde_json::from_str(&text).ok());
        repaired.ok_or(error)
    })
}

/// Returns valid text for JSON with `NaN`, `Infinity`, lone surrogates or bytes that are not UTF-8: `null` replaces the
/// numbers, and U+FFFD replaces invalid characters. Returns `None` if the JSON contains none of these.
pub fn repair_json(json: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(json);
    let mut repaired = String::with_capacity(text.len());
    let mut rest = &*text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let taken = match (in_string, c) {
            (_, '"') => {
                in_string = !in_string;
                1
            }
            (true, '\\') => match unpaired_surrogate(rest) {
                Some(true) => {
                    repaired.push_str("\\ufffd");
                    rest = &rest[6..];
                    continue;
                }
                Some(false) => 12,
                // An escaped quote does not end the string.
                None => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            },
            (false, 'N' | 'I' | '-') => {
                let name = ["NaN", "-Infinity", "Infinity"];
                match name.into_iter().find(|name| rest.starts_with(name)) {
                    Some(name) => {
                        repaired.push_str("null");
                        rest = &rest[name.len()..];
                        continue;
                    }
                    None => 1,
                }
            }
            _ => c.len_utf8(),
        };
        repaired.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    if repaired.as_bytes() == json {
        return None;
    }
    static WARNING: Once = Once::new();
    WARNING.call_once(|| {
        tracing::warn!(
            "another program sent NaN, Infinity or text that is not Unicode in its JSON; replacing such values with null \
             and U+FFFD (logged once)"
        );
    });
    Some(repaired)
}

/// Returns whether the escape at the start of `text` is an unpaired surrogate, or `None` if it is not a surrogate.
fn unpaired_surrogate(text: &str) -> Option<bool> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    };
    match unit(text)? {
        0xD800..=0xDBFF => {
            let low = text.get(6..).and_then(unit);
            Some(!low.is_some_and(|low| (0xDC00..=0xDFFF).contains(&low)))
        }
        0xDC00..=0xDFFF => Some(true),
        _ => None,
    }
}
