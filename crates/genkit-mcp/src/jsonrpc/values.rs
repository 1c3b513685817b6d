//! The number of values in JSON text.

/// The maximum number of values in a message, including objects, arrays and their contents. Default is 200,000: a
/// parsed `Value` takes forty times the bytes of `0,`. In a message from a client, a list or an object counts as three,
/// and a string or a key as two.
pub const MAX_VALUES: usize = 200_000;

#[cfg(test)]
mod tests {
    use genkit_core::internal::bounded_json::has_more_values;

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
