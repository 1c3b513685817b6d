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

#[cfg(test)]
mod tests {
    use super::is_chosen;
    use super::matches_glob;

    #[test]
    fn none_means_all_and_exceptions_win() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (only, except, name, expected) in [
            (&[][..], &[][..], "add", true),
            (&["a*"], &[], "add", true),
            (&["a*"], &[], "sub", false),
            (&["b", "a*"], &[], "add", true),
            (&[], &["a*"], "add", false),
            (&["add"], &["a*"], "add", false),
        ] {
            let found = is_chosen(&names(only), &names(except), name);
            assert_eq!(found, expected, "{only:?} {except:?} {name}");
        }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, fits) in [
            ("add", "add", true),
            ("add", "adds", false),
            ("add*", "adds", true),
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "ab", false),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches_glob(pattern, text), fits, "{pattern} {text}");
        }
    }
}
