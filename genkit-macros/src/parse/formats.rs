//! Formats of strings: durations, sizes, media types, URLs and scopes.

/// Parses a duration such as `30s`, `500ms`, `2m` or `1h`, in milliseconds.
pub(super) fn parse_milliseconds(text: &str) -> Option<u64> {
    with_unit(text, &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)])
}

/// Parses a size such as `512B`, `64KiB` or `1MiB`, in bytes.
pub(super) fn parse_bytes(text: &str) -> Option<u64> {
    with_unit(text, &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)])
}

fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor).filter(|value| *value > 0)
}

/// Returns whether a client can display the URL.
pub(super) fn is_url(text: &str) -> bool {
    ["https://", "http://", "data:"].iter().any(|scheme| {
        text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !rest.contains(' '))
    })
}

/// Returns whether the text has the form `type/subtype`, optionally with parameters.
pub(super) fn is_mime_type(text: &str) -> bool {
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    let kind = text.split_once(';').map_or(text, |(kind, _)| kind).trim_end();
    kind.split_once('/').is_some_and(|(first, second)| token(first) && token(second))
}

/// Returns whether the text is a `scope-token` of RFC 6749, section 3.3.
pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(parse_milliseconds("30s"), Some(30_000));
        assert_eq!(parse_milliseconds("500ms"), Some(500));
        assert_eq!(parse_milliseconds("2 m"), Some(120_000));
        assert_eq!(parse_milliseconds("1h"), Some(3_600_000));
        for wrong in [
            "",
            "30",
            "s",
            "0s",
            "-1s",
            "1.5s",
            "1d",
            "30 s later",
            "99999999999999999999s",
            "18446744073709551615h",
        ] {
            assert_eq!(parse_milliseconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_have_a_binary_unit() {
        assert_eq!(parse_bytes("512B"), Some(512));
        assert_eq!(parse_bytes("64KiB"), Some(65_536));
        assert_eq!(parse_bytes("1 MiB"), Some(1_048_576));
        for wrong in ["64", "64KB", "0KiB", "KiB", "lots"] {
            assert_eq!(parse_bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn media_types_have_a_slash() {
        for right in ["text/plain", "image/svg+xml", "text/plain; charset=utf-8"] {
            assert!(is_mime_type(right), "{right}");
        }
        for wrong in ["text", "text/", "/plain", "a/b/c", "text/pl ain"] {
            assert!(!is_mime_type(wrong), "{wrong}");
        }
    }

    #[test]
    fn scopes_are_visible_ascii() {
        assert!(is_scope("notes:write") && is_scope("https://example.com/scope.x"));
        assert!(!is_scope("") && !is_scope("a b") && !is_scope("a\"b") && !is_scope("ä"));
    }

    #[test]
    fn icon_urls_have_a_scheme() {
        assert!(is_url("https://example.com/a.png") && is_url("data:image/png;base64,AA=="));
        assert!(!is_url("a.png") && !is_url("https://") && !is_url("https://a b"));
    }
}
