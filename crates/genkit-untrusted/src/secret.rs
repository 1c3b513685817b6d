//! Redaction of secrets in untrusted text: a server, a model or a child process may repeat a key in any encoding.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;

use super::escapes::MAX_SLASHES;

/// The number of leading characters that identify a truncated secret. A shorter secret is only recognized as a whole.
const RECOGNIZED: usize = 8;

/// The number of characters that identify a secret even if all of them are lower-case letters.
const LONG: usize = 12;

/// A secret, its replacement, and all its spellings (encodings).
pub struct Secret {
    value: String,
    shown: String,
    spellings: Vec<Encoding>,
    /// Whether a prefix is recognized. The prefix of a path or a URL may be an ordinary word.
    is_random: bool,
}

struct Encoding {
    text: String,
    /// The number of bytes that must match if the secret is truncated.
    least: usize,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secret").field(&self.shown).finish()
    }
}

impl Secret {
    /// Creates a secret that is replaced with `shown`.
    pub fn new(value: &str, shown: impl Into<String>) -> Self {
        let is_random = !value.starts_with(['/', '.', '~']) && !value.contains(":/");
        let is_random = is_random && !value.contains(":\\");
        let mut spellings = Vec::new();
        let mut add = |text: String, width: usize| {
            let least = (RECOGNIZED * width).min(text.len());
            spellings.push(Encoding { text, least });
        };
        let json = json_escaped(value);
        let percent = percent_encoded(value);
        add(value.to_owned(), 1);
        add(json_escaped(&json), 1);
        add(json.replace('/', "\\/"), 1);
        add(json, 1);
        add(form_encoded(&percent), 1);
        add(percent, 1);
        add(value.bytes().map(percent_encode_symbol).collect(), 1);
        // Percent-encoding of every byte, even if not required.
        add(value.bytes().map(|byte| format!("%{byte:02x}")).collect(), 3);
        add(value.bytes().map(|byte| format!("{byte:02x}")).collect(), 2);
        for separator in [":", " ", "-"] {
            let bytes: Vec<String> = value.bytes().map(|byte| format!("{byte:02x}")).collect();
            add(bytes.join(separator), 3);
        }
        // A client secret in `Basic` credentials is form-encoded (RFC 6749, section 2.3.1).
        for value in [value.to_owned(), form_encoded(&percent_encoded(value))] {
            for text in base64_spellings(&value) {
                let least = RECOGNIZED * 4 / 3;
                spellings.push(Encoding { least: least.min(text.len()), text });
            }
        }
        let mut known = BTreeSet::new();
        spellings
            .retain(|it| it.least >= value.len().min(RECOGNIZED) && known.insert(it.text.clone()));
        Self { value: value.to_owned(), shown: shown.into(), spellings, is_random }
    }

    /// Returns the secret.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the end of the secret if `text` starts with it. Of several matches, the longest counts.
    fn end_in(&self, text: &[u8]) -> Option<usize> {
        let escaped = super::escapes::match_escaped(&self.value, text).filter(|(_, matched)| {
            let matched = &self.value.as_bytes()[..*matched];
            matched.len() == self.value.len()
                || (matched.len() >= RECOGNIZED && self.is_random && looks_random(matched))
        });
        let ends =
            self.spellings.iter().filter_map(|spelling| spelling.end_in(text, self.is_random));
        ends.chain(escaped.map(|(end, _)| end)).max()
    }

    /// Returns the spellings, for searches in binary data.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        self.spellings.iter().map(|spelling| &*spelling.text)
    }
}

/// Returns the text with all secrets replaced. A secret is also recognized if it is encoded, written in another case,
/// broken into lines, or truncated to eight characters or more, unless the truncated text is an ordinary word.
pub fn redact_secrets<'a, 's>(
    text: &'a str,
    secrets: impl Iterator<Item = &'s Secret> + Clone,
) -> Cow<'a, str> {
    let mut begins = [false; 256];
    // Each character of a secret can be escaped.
    for first in *b"\\%&" {
        begins[usize::from(first)] = true;
    }
    for spelling in secrets.clone().flat_map(|secret| &secret.spellings) {
        if let Some(first) = spelling.text.bytes().next() {
            begins[usize::from(first.to_ascii_lowercase())] = true;
            begins[usize::from(first.to_ascii_uppercase())] = true;
        }
    }
    let bytes = text.as_bytes();
    let (mut redacted, mut copied, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        if !begins[usize::from(bytes[at])] || !text.is_char_boundary(at) {
            at += 1;
            continue;
        }
        let rest = &bytes[at..];
        let found = secrets.clone().filter_map(|secret| Some((secret.end_in(rest)?, secret)));
        // Use the longest match, because one secret may begin like another.
        match found.max_by_key(|(end, _)| *end) {
            Some((end, secret)) => {
                redacted.push_str(&text[copied..at]);
                redacted.push_str(&secret.shown);
                at += end;
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                copied = at;
            }
            None => at += 1,
        }
    }
    if copied == 0 && redacted.is_empty() {
        return Cow::Borrowed(text);
    }
    redacted.push_str(&text[copied..]);
    Cow::Owned(redacted)
}

/// Replaces all secrets in the strings and the member names of a JSON value.
pub fn redact_secrets_in_json<'s>(
    value: Value,
    secrets: impl Iterator<Item = &'s Secret> + Clone,
) -> Value {
    let text = |text: String| match redact_secrets(&text, secrets.clone()) {
        Cow::Owned(redacted) => redacted,
        Cow::Borrowed(_) => text,
    };
    match value {
        Value::String(said) => text(said).into(),
        Value::Array(items) => {
            items.into_iter().map(|item| redact_secrets_in_json(item, secrets.clone())).collect()
        }
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (text(name), redact_secrets_in_json(value, secrets.clone())))
            .collect(),
        other => other,
    }
}

/// The schemes of `Authorization` whose name is not part of the secret.
const SCHEMES: [&str; 4] = ["basic", "bearer", "dpop", "token"];

/// Returns the parts of a header, a password or a variable that a server may repeat on their own: the lines, the token
/// after a scheme, the values of cookies and parameters, and the password of `Basic` credentials. Parts that are
/// shorter than `least` bytes are omitted, because they could be ordinary words.
pub fn secret_parts(value: &str, least: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: &str| {
        let part = part.trim();
        if part.len() >= least && parts.iter().all(|known| known != part) {
            parts.push(part.to_owned());
        }
    };
    let is_scheme =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let split = value.trim().split_once(' ').filter(|(scheme, _)| is_scheme(scheme));
    let (scheme, credentials) = split.unwrap_or(("", value));
    if SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) && credentials.len() < least {
        return parts;
    }
    add(value);
    value.lines().for_each(&mut add);
    value.rsplit(' ').take(1).for_each(&mut add);
    add(credentials);
    if scheme.eq_ignore_ascii_case("basic")
        && let Ok(decoded) = STANDARD_NO_PAD.decode(credentials.trim().trim_end_matches('='))
        && let Ok(decoded) = String::from_utf8(decoded)
    {
        add(&decoded);
        decoded.split_once(':').map(|(_, password)| password).into_iter().for_each(&mut add);
    }
    for piece in credentials.split([';', ',', '&']) {
        if let Some((_, value)) = piece.split_once('=') {
            add(value.trim().trim_matches('"'));
        }
    }
    let decoded: Vec<String> = parts.iter().filter_map(|part| percent_decoded(part)).collect();
    parts.extend(decoded.into_iter().filter(|part| part.len() >= least));
    parts
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let pair = more.get(..2).filter(|_| *first == b'%');
        let byte = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match byte.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|decoded| decoded != text)
}

/// Substrings, in lower case, of the names of headers, parameters, arguments and variables that contain a secret.
const SECRET_PARTS: [&str; 7] = ["auth", "cookie", "cred", "key", "pass", "secret", "token"];

/// Like [`SECRET_PARTS`], for parts that are common within other words and must therefore be whole words.
const SECRET_WORDS: [&str; 6] = ["code", "pin", "pwd", "sas", "sig", "signature"];

/// Returns whether a header, a parameter, an argument or a variable with this name contains a secret, so that its value
/// is redacted. Prefers false positives.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    SECRET_PARTS.iter().any(|part| name.contains(part))
        || words.any(|word| SECRET_WORDS.contains(&word))
}

impl Encoding {
    /// Returns the end of the spelling, if `text` starts with all of it, or with a long enough prefix of a random
    /// secret.
    fn end_in(&self, text: &[u8], is_random: bool) -> Option<usize> {
        let (mut at, mut matched, mut end) = (0, 0, 0);
        let spelling = self.text.as_bytes();
        while matched < spelling.len() {
            match text.get(at) {
                Some(byte) if byte.eq_ignore_ascii_case(&spelling[matched]) => {
                    (at, matched) = (at + 1, matched + 1);
                    end = at;
                }
                _ => match line_break(&text[at..]) {
                    0 => break,
                    length if matched > 0 => at += length,
                    _ => break,
                },
            }
        }
        let is_whole = matched == spelling.len();
        let is_cut_off =
            || matched >= self.least && is_random && looks_random(&spelling[..matched]);
        (is_whole || is_cut_off()).then_some(end)
    }
}

/// Returns whether the prefix of a secret differs from an ordinary word: it is long, or contains a digit or several
/// capitals after its first character.
fn looks_random(beginning: &[u8]) -> bool {
    if beginning.len() >= LONG {
        return true;
    }
    let capitals = beginning.iter().skip(1).filter(|byte| byte.is_ascii_uppercase()).count();
    beginning.iter().any(u8::is_ascii_digit) || capitals > 1
}

/// Returns the length of a line break at the start of a string, escaped or not, including the indentation after it.
pub(super) fn line_break(text: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let next = match rest {
            [b'\r' | b'\n', ..] => 1,
            [b'\\', ..] => {
                let slashes =
                    rest.iter().take(MAX_SLASHES).take_while(|byte| **byte == b'\\').count();
                match rest.get(slashes) {
                    Some(b'n' | b'r') => slashes + 1,
                    _ => return length,
                }
            }
            [b' ' | b'\t', ..] if length > 0 => 1,
            _ => return length,
        };
        length += next;
    }
}

/// Returns the Base64 forms of a value within a longer string, for each of the three offsets and both alphabets,
/// without the characters that also depend on the surrounding text.
fn base64_spellings(value: &str) -> Vec<String> {
    let mut spellings = Vec::new();
    for before in 0..3 {
        let bytes = [&b"\0\0"[..before], value.as_bytes()].concat();
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let (start, end) = ([0, 2, 3][before], bytes.len() * 8 / 6);
            spellings.push(encoded[start..end].to_owned());
        }
    }
    spellings
}

fn json_escaped(value: &str) -> String {
    let quoted = Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

pub fn percent_encoded(value: &str) -> String {
    let encoded = value.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// Percent-encodes a byte, unless it is an ASCII letter or digit.
fn percent_encode_symbol(byte: u8) -> String {
    match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    }
}

/// Converts a percent-encoded text to form encoding, with `+` for a space.
pub fn form_encoded(percent: &str) -> String {
    percent.replace("%20", "+").replace("%2A", "*").replace('~', "%7E")
}
