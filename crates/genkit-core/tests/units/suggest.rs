use genkit_core::internal::suggest::*;

#[test]
fn nearest_name_is_a_typo_away() {
    let keys = ["name", "title", "read_only", "timeout"];
    assert_eq!(nearest_name("read_olny", keys), Some("read_only"));
    assert_eq!(nearest_name("readonly", keys), Some("read_only"));
    assert_eq!(nearest_name("titel", keys), Some("title"));
    assert_eq!(nearest_name("colour", keys), None);
    assert_eq!(nearest_name("", keys), None);
    // `y` would replace the whole word.
    assert_eq!(nearest_name("x", ["y", "xy"]), Some("xy"));
    assert_eq!(nearest_name("x", ["y"]), None);
    assert_eq!(
        nearest_name("tent", ["text", "test"]),
        Some("test"),
        "the first in alphabetical order"
    );
}

#[test]
fn nearest_name_among_equals_differs_only_in_case() {
    for (word, near) in [("topp", "topP"), ("topk", "topK"), ("topx", "topK")] {
        assert_eq!(nearest_name(word, ["topP", "topK"]), Some(near), "{word}");
    }
}

#[test]
fn many_long_names_take_bounded_time() {
    let names: Vec<String> = (0..1_000_000).map(|n| format!("{n:0>100}")).collect();
    let mut all = vec!["x".repeat(100)];
    all.extend(names);
    let found = nearest_name(&format!("{}y", "x".repeat(99)), all.iter().map(String::as_str));
    assert_eq!(found, Some(all[0].as_str()));
    assert_eq!(nearest_name("a", [&*"b".repeat(1_000_000), "ab"]), Some("ab"));
}

#[test]
fn suggestion_names_the_nearest_or_lists_all() {
    let names = || ["add", "weather"].into_iter();
    assert_eq!(unknown_name("tool", "ad", names()), "Unknown tool: ad. Did you mean `add`?");
    assert_eq!(
        unknown_name("tool", "zzzzzzz", names()),
        "Unknown tool: zzzzzzz. There are: add, weather"
    );
    assert_eq!(unknown_name("tool", "x", [].into_iter()), "Unknown tool: x. None exist");
}

#[test]
fn message_length_is_bounded() {
    let names: Vec<String> = (0..50_000).map(|n| format!("{n}{}", "ä".repeat(2_000))).collect();
    let text = unknown_name("tool", &"z".repeat(1_000_000), names.iter().map(String::as_str));
    assert!(text.chars().count() < 3_000, "{}", text.len());
}
