use genkit_core::internal::glob::*;

#[test]
fn empty_only_selects_all_and_except_wins() {
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
fn star_matches_any_text() {
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
