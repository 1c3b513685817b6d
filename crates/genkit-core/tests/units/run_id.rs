use genkit_core::RunId;

#[test]
fn run_id_is_a_valid_name() {
    let longest = "a".repeat(128);
    for id in ["a", "order-4711", "A_b.c", "_x", "9", &longest] {
        assert_eq!(RunId::new(id).map(String::from).expect(id), id);
    }
    let longer = "a".repeat(129);
    for id in ["", ".", "..", ".x", "-x", "a/b", "a\\b", "a b", "a:b", "ä", "a\n", &longer] {
        assert_eq!(RunId::new(id).expect_err(id).kind(), genkit_core::ErrorKind::InvalidArgument);
    }
}
