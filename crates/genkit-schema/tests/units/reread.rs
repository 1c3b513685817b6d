use genkit_schema::internal::held;

#[test]
fn what_nests_too_deep_with_its_place_stays_text() {
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(held(&nested, 28).is_some());
    assert!(held(&nested, 29).is_none());
    assert!(held("no JSON", 0).is_none());
}
