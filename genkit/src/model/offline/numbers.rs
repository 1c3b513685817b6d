//! Numbers in a text.

use std::ops::Range;

use serde_json::{Number, Value};

/// A number and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) value: Number,
}

/// Numbers in words. They count where a text has no digits: `one` is a pronoun too.
const WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// The numbers in `text`, in order; `free` tells which places may be looked at.
pub(super) fn find(text: &str, free: impl Fn(Range<usize>) -> bool) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + length(&bytes[at..]);
        let start = sign(bytes, at);
        if stands_alone(text, start, end)
            && free(start..end)
            && let Some(value) = read(&text[start..end])
        {
            found.push(Found { range: start..end, value });
        }
        at = end;
        // What goes on like `1.2.3` or `3-4-5` is no second number, except in a sum.
        while at < bytes.len() && bytes[at] == b'.' && next_is_digit(bytes, at) {
            at += 1 + length(&bytes[at + 1..]);
        }
    }
    if found.is_empty() {
        return in_words(text);
    }
    found
}

/// How many bytes a number without its sign has.
fn length(bytes: &[u8]) -> usize {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(bytes);
    // Thousands: `1,000,000`, but `1,2` are two numbers.
    if end <= 3 {
        while bytes.get(end) == Some(&b',') && digits(&bytes[end + 1..]) == 3 {
            end += 4;
        }
    }
    if bytes.get(end) == Some(&b'.') && next_is_digit(bytes, end) {
        end += 1 + digits(&bytes[end + 1..]);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = digits(&bytes[(end + 1 + signed).min(bytes.len())..]);
        if power > 0 {
            end += 1 + signed + power;
        }
    }
    end
}

fn next_is_digit(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}

/// Where a number begins, with its sign: that of `-4` counts, that of `17-4` does not.
fn sign(bytes: &[u8], at: usize) -> usize {
    let Some(before) = at.checked_sub(1) else { return at };
    let opens = |byte: &u8| byte.is_ascii_whitespace() || b"(=:,[".contains(byte);
    let alone = before.checked_sub(1).is_none_or(|at| opens(&bytes[at]));
    if bytes[before] == b'-' && alone { before } else { at }
}

/// Whether it is a number by itself, perhaps with a unit, and not a part of a name or a version.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
        return false;
    }
    let after = &text[end..];
    if after.starts_with('_')
        || (after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()))
    {
        return false;
    }
    after.chars().take_while(|c| c.is_alphanumeric()).take(MAX_UNIT + 1).count() <= MAX_UNIT
}

/// How many letters may follow a number: `20km`, `3rd`.
const MAX_UNIT: usize = 3;

fn read(text: &str) -> Option<Number> {
    let plain = text.replace(',', "");
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = plain.parse::<u64>() {
        return Some(whole.into());
    }
    Number::from_f64(plain.parse().ok()?)
}

fn in_words(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, c) in ends {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text[from..at].to_lowercase();
                if let Some(number) = WORDS.iter().position(|known| *known == word) {
                    found.push(Found { range: from..at, value: number.into() });
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// What is done with the numbers: the stems of the operations between two of them.
pub(super) fn operations(text: &str, numbers: &[Found]) -> Vec<&'static str> {
    let between = |pair: &[Found]| {
        Some(match text.get(pair[0].range.end..pair[1].range.start)?.trim() {
            "+" | "plus" => "add",
            "-" | "−" | "–" | "minus" => "subtract",
            "*" | "×" | "x" | "times" | "multiplied by" => "multiply",
            "/" | "÷" | "divided by" | "over" => "divid",
            _ => return None,
        })
    };
    numbers.windows(2).filter_map(between).collect()
}

/// Whether a number fits a schema's `type` and bounds, which `get` reads.
pub(super) fn fits<'a>(
    value: &Number,
    integer: bool,
    get: impl Fn(&str) -> Option<&'a Value>,
) -> bool {
    let Some(number) = value.as_f64() else { return false };
    if integer && number.fract() != 0.0 {
        return false;
    }
    let bound = |key: &str| get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> String {
        let found = find(text, |_| true);
        found.iter().map(|found| found.value.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_are_found_in_order() {
        for (text, wanted) in [
            ("What is 2 plus 40?", "2 40"),
            ("2+40", "2 40"),
            ("17-4", "17 4"),
            ("17 -4", "17 -4"),
            ("-3.5 and 1e3.", "-3.5 1000.0"),
            ("1,000,000 or 1,2", "1000000 1 2"),
            ("$5, 20% of 3kg", "5 20 3"),
            ("version 1.2.3, room B52, x_1", ""),
            ("two plus forty or One", "2 1"),
            ("18446744073709551615", "18446744073709551615"),
            ("99999999999999999999999", "1e+23"),
            ("1e999 1e", "1"),
            ("", ""),
            ("٣ é2", ""),
            ("9e", "9"),
            ("1.", "1"),
        ] {
            assert_eq!(numbers(text), wanted, "{text}");
        }
    }

    #[test]
    fn operations_stand_between_numbers() {
        let of = |text: &str| operations(text, &find(text, |_| true));
        assert_eq!(of("2 + 3 times 4 and 5"), ["add", "multiply"]);
        assert_eq!(of("10-2"), ["subtract"]);
    }
}
