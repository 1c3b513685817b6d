//! The nesting depth of JSON text.

/// The maximum nesting depth of arrays and objects in a message. Default is 127: `serde_json` rejects 128 levels.
pub const MAX_NESTING: usize = 127;

/// Returns the maximum nesting depth of arrays and objects.
pub fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
