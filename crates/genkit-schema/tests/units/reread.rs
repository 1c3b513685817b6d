use genkit_schema::internal::held;

#[test]
fn string_that_would_nest_too_deeply_stays_text() {
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(held(&nested, 28).is_some());
    assert!(held(&nested, 29).is_none());
    assert!(held("no JSON", 0).is_none());
}
