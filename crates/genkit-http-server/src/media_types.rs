//! The `Accept`, `Content-Type` and `Content-Encoding` headers, parsed with the grammar of RFC 9110.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};

/// The weight of a media range without `q`, in thousandths.
const MAX_WEIGHT: u16 = 1000;

/// Returns the preference of a client for a media type: the precision of the most specific matching
/// media range, and its weight in thousandths.
///
/// The precision is 2 for the name of the type, 1 for `type/*`, and 0 for `*/*`. The most precise range decides. A client
/// without `Accept` accepts everything.
pub fn accepted_weight(headers: &HeaderMap, kind: &str) -> (u8, u16) {
    let values =
        headers.get_all(ACCEPT).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let (mut has_range, mut best) = (false, (0, 0));
    for list in values {
        for entry in (ListItems { rest: Some(&list), at: b',' }) {
            let mut pieces = ListItems { rest: Some(entry), at: b';' };
            let range = pieces.next().unwrap_or_default().trim();
            has_range |= !range.is_empty();
            let Some(precision) = match_precision(range, kind) else { continue };
            best = best.max((precision, pieces.find_map(read_weight).unwrap_or(MAX_WEIGHT)));
        }
    }
    if has_range { best } else { (0, MAX_WEIGHT) }
}

/// Returns whether the client accepts a response of the media type `kind`.
pub fn accepts_type(headers: &HeaderMap, kind: &str) -> bool {
    accepted_weight(headers, kind).1 > 0
}

/// Returns whether the body is declared as JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Returns the encodings of the body, such as `gzip`, if there are any. The servers cannot decode them.
pub fn content_encoding(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(CONTENT_ENCODING).iter();
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    let codings = values.iter().flat_map(|value| value.split(',')).map(str::trim);
    let codings: Vec<&str> = codings
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
        .collect();
    (!codings.is_empty()).then(|| codings.join(", ").chars().take(100).collect())
}

/// Returns how precisely a media range matches a type: 2 by its name, 1 by `type/*`, 0 by `*/*`.
fn match_precision(range: &str, kind: &str) -> Option<u8> {
    if range.eq_ignore_ascii_case(kind) {
        return Some(2);
    }
    // Java's HTTP client sends `*` for `*/*`.
    if range == "*/*" || range == "*" {
        return Some(0);
    }
    let (main, _) = kind.split_once('/')?;
    range.strip_suffix("/*").filter(|range| range.eq_ignore_ascii_case(main)).map(|_| 1)
}

/// Returns the weight in a parameter, in thousandths. An invalid weight is ignored.
fn read_weight(parameter: &str) -> Option<u16> {
    let (name, weight) = parameter.split_once('=')?;
    let (whole, fraction) = match weight.trim().split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (weight.trim(), ""),
    };
    let is_valid = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !name.trim().eq_ignore_ascii_case("q") || !is_valid {
        return None;
    }
    let thousandths = format!("{fraction:0<3}").parse::<u16>().ok()?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(MAX_WEIGHT),
        _ => None,
    }
}

/// An iterator over the items of a list, separated by `at` outside of quoted text.
struct ListItems<'a> {
    rest: Option<&'a str>,
    at: u8,
}

impl<'a> Iterator for ListItems<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let (mut quoted, mut escaped) = (false, false);
        for (place, byte) in rest.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if byte == self.at && !quoted => {
                    self.rest = Some(&rest[place + 1..]);
                    return Some(&rest[..place]);
                }
                _ => {}
            }
        }
        Some(rest)
    }
}
