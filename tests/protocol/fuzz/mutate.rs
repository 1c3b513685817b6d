//! Small modifications of bytes, text and JSON.

use genkit_tests::fuzz::Rng;
use serde_json::{Map, Value, json};

/// Texts that are difficult for JSON parsers.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "\\u",
    "\\u0000",
    "\\ud800",
    "\\udc00\\ud800",
    "null",
    "true",
    "-",
    "-0",
    "1e400",
    "1E-400",
    "0.1",
    "99999999999999999999",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[2J",
    "\u{202e}",
    "//",
    "/**/",
    "NaN",
    "\r",
];

/// Values that are invalid everywhere.
fn strange(rng: &mut Rng) -> Value {
    match rng.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1.5),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(""),
        7 => json!("\u{0}\u{1b}\u{202e}\u{2028}\n"),
        8 => json!("x".repeat(1 << rng.below(14))),
        9 => json!([]),
        10 => json!({}),
        11 => json!([[[[[[[[1]]]]]]]]),
        12 => json!({ "_meta": { "progressToken": 1 }, "name": "x", "uri": "x" }),
        13 => json!(1e300),
        14 => json!("\u{10ffff}".repeat(3)),
        _ => json!(rng.text("abc{}[]%/:?#\\\"'é ", 12)),
    }
}

/// Modifies one place in the value, except for the `spared` keys at its top level.
pub(super) fn value(rng: &mut Rng, value: &mut Value, spared: &[&str]) {
    if rng.chance(20) {
        *value = strange(rng);
        return;
    }
    match value {
        Value::Object(map) => {
            let keys: Vec<String> =
                map.keys().filter(|key| !spared.contains(&key.as_str())).cloned().collect();
            if keys.is_empty() || rng.chance(15) {
                map.insert(rng.text("abcjson_rpcmethodid", 9), strange(rng));
                return;
            }
            let key = rng.pick(&keys).clone();
            match rng.below(6) {
                0 => {
                    map.remove(&key);
                }
                1 => {
                    let moved = map.remove(&key).unwrap_or_default();
                    map.insert(key.to_uppercase(), moved);
                }
                2 => {
                    let copy = map[&key].clone();
                    map.insert(format!("{key}{}", rng.below(3)), copy);
                }
                _ => self::value(rng, map.get_mut(&key).expect("a key of it"), &[]),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len());
            if rng.chance(30) {
                let copy = items[at].clone();
                items.push(copy);
            } else {
                self::value(rng, &mut items[at], &[]);
            }
        }
        other => *other = strange(rng),
    }
}

/// Returns the same JSON in another spelling: order, escapes, whitespace.
pub(super) fn spelled(rng: &mut Rng, value: &Value) -> String {
    let mut out = String::new();
    spell(rng, value, &mut out);
    out
}

fn spell(rng: &mut Rng, value: &Value, out: &mut String) {
    let blank = |rng: &mut Rng, out: &mut String| {
        if rng.chance(20) {
            out.push(*rng.pick(&[' ', '\t']));
        }
    };
    blank(rng, out);
    match value {
        Value::String(text) => spell_text(rng, text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                spell(rng, item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut members: Vec<(&String, &Value)> = map.iter().collect();
            if rng.chance(50) {
                members.reverse();
            }
            out.push('{');
            for (at, (key, member)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                spell_text(rng, key, out);
                blank(rng, out);
                out.push(':');
                spell(rng, member, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
    blank(rng, out);
}

fn spell_text(rng: &mut Rng, text: &str, out: &mut String) {
    if rng.chance(70) {
        out.push_str(&Value::from(text).to_string());
        return;
    }
    out.push('"');
    for unit in text.encode_utf16() {
        let character = char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric);
        match character {
            Some(character) if rng.chance(60) => out.push(character),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
}

/// Modifies some bytes arbitrarily.
pub(super) fn bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(7) {
            0 => bytes.truncate(at),
            1 => {
                let piece = rng.bytes(8);
                bytes.splice(at..at, piece);
            }
            2 => {
                let piece = rng.pick(&PIECES).as_bytes().to_vec();
                bytes.splice(at..at, piece);
            }
            3 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            4 => {
                let end = (at + rng.below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                let end = (at + rng.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let other = rng.below(bytes.len() + 1);
                if at < bytes.len() && other < bytes.len() {
                    bytes.swap(at, other);
                }
            }
        }
    }
}

/// Returns an object with a duplicate key.
pub(super) fn doubled(rng: &mut Rng, map: &Map<String, Value>) -> String {
    let text = Value::Object(map.clone()).to_string();
    let keys: Vec<&String> = map.keys().collect();
    let key = *rng.pick(&keys);
    let other = strange(rng);
    let member = format!("{}:{other}", json!(key));
    if rng.chance(50) {
        format!("{{{member},{}", &text[1..])
    } else {
        format!("{},{member}}}", &text[..text.len() - 1])
    }
}
