//! How many values a text of JSON has.

/// Values that a message may have, objects, arrays and what is in them. Default is 200,000: a `Value` takes
/// forty times the bytes of `0,`.
pub const MAX_VALUES: usize = 200_000;

/// Whether a text of JSON has more than so many values: counted before it is parsed, since each takes some
/// ten times of its text in memory.
pub fn has_more_values(text: &[u8], limit: usize) -> bool {
    // Each value but the first stands behind a comma, or first in an array or an object.
    if text.len() <= limit {
        return false;
    }
    let (mut values, mut in_string, mut escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' | b'[' | b'{' => {
                values += 1;
                if values > limit {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        let list = format!("[{}0]", "0,".repeat(998));
        assert!(!has_more_values(list.as_bytes(), 1000));
        assert!(has_more_values(list.as_bytes(), 999));
        for many in ["[".repeat(2000), "{\"a\":1,".repeat(2000), "\"\\\"\",".repeat(2000)] {
            assert!(has_more_values(many.as_bytes(), 1000), "{}", &many[..20]);
        }
        let text = format!("\"{}\"", ",[{".repeat(2000));
        assert!(!has_more_values(text.as_bytes(), 1000));
        let escaped = format!("\"{}\"", "\\\",[".repeat(2000));
        assert!(!has_more_values(escaped.as_bytes(), 1000));
    }
}
