//! Truncation of text at character boundaries.

/// Returns at most the first `bytes` of a text, without splitting a character.
pub fn truncate(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the first `chars` characters of a text for a message, with an ellipsis if there are more.
pub fn excerpt(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{excerpt, truncate};

    #[test]
    fn an_excerpt_counts_characters() {
        assert_eq!(excerpt("äöü", 3), "äöü");
        assert_eq!(excerpt("äöü", 2), "äö…");
    }

    #[test]
    fn a_character_is_not_cut() {
        for (text, bytes, left) in
            [("", 3, ""), ("abc", 9, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("é", 1, "")]
        {
            assert_eq!(truncate(text, bytes), left, "{text} {bytes}");
        }
    }
}
