//! Name patterns with `*`.

/// Returns whether `text` matches `pattern`, where `*` matches any text.
pub fn matches_glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let Some(tail) = pieces.pop() else { return true };
    for piece in pieces {
        match text.find(piece) {
            Some(at) => text = &text[at + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(tail)
}

/// Returns whether `name` matches one of `patterns`.
pub fn matches_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches_glob(pattern, name))
}

/// Returns whether `name` matches a pattern in `only` (if it is not empty), and none in `except`.
pub fn is_chosen(only: &[String], except: &[String], name: &str) -> bool {
    (only.is_empty() || matches_any(only, name)) && !matches_any(except, name)
}
