use genkit_schema::internal::pointer::*;

#[test]
fn names_are_escaped_and_back() {
    let pointer = child("/$defs", "a/b~c");
    assert_eq!(pointer, "/$defs/a~1b~0c");
    assert_eq!(name(&pointer).as_deref(), Some("a/b~c"));
    assert_eq!(name(""), None);
}

#[test]
fn references_are_decoded() {
    assert_eq!(from_reference("#").as_deref(), Some(""));
    assert_eq!(from_reference("#/$defs/caf%C3%A9").as_deref(), Some("/$defs/café"));
    assert_eq!(from_reference("#anchor"), None);
    assert_eq!(from_reference("other.json#/a"), None);
    assert_eq!(from_reference("#/%zz"), None);
    assert_eq!(from_reference("#/%e"), None);
}
