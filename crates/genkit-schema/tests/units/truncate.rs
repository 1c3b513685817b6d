use genkit_schema::internal::truncate::{excerpt, truncate};

#[test]
fn excerpt_counts_characters() {
    assert_eq!(excerpt("äöü", 3), "äöü");
    assert_eq!(excerpt("äöü", 2), "äö…");
}

#[test]
fn character_is_not_cut() {
    for (text, bytes, left) in
        [("", 3, ""), ("abc", 9, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("é", 1, "")]
    {
        assert_eq!(truncate(text, bytes), left, "{text} {bytes}");
    }
}
