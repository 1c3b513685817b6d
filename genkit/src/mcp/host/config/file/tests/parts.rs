//! The parts of which a file is read.

use serde_json::json;

use super::super::error::Error;
use super::super::vars::expand;
use super::super::{dotenv, json};
use super::vars;

#[test]
fn variables_are_replaced() {
    for (text, expected) in [
        ("plain", "plain"),
        ("${HOME}/x", "/home/me/x"),
        ("${env:HOME}${HOME}", "/home/me/home/me"),
        ("${NONE:-d}", "d"),
        ("${NONE:-}", ""),
        ("${EMPTY:-d}", "d"),
        ("${EMPTY}", ""),
        ("${HOME:-d}", "/home/me"),
        ("${env:NONE:-http://h:1}", "http://h:1"),
        ("ü${workspaceFolder}ü", "ü/srvü"),
        // What is no variable may be for a shell.
        ("$HOME ${HOME ${} ${1} ${a[@]} ${#a} $${", "$HOME ${HOME ${} ${1} ${a[@]} ${#a} $${"),
        ("${HOME%%/*} ${x-y}", "${HOME%%/*} ${x-y}"),
    ] {
        assert_eq!(expand(text, &vars).unwrap(), expected, "{text}");
    }
    assert!(expand("a ${NONE}", &vars).unwrap_err().to_string().contains("`NONE`"));
}

#[test]
fn comments_and_last_commas_are_left_out() {
    for (text, expected) in [
        ("{\"a\": [1, 2, ], }", json!({"a": [1, 2]})),
        ("{ // c, }\n\"a\":1}", json!({"a": 1})),
        ("[1, /* x */ // y\n]", json!([1])),
        ("{\"u\": \"http://x/*\", \"q\": \"\\\"//\"}", json!({"u": "http://x/*", "q": "\"//"})),
        ("[\",]\"]", json!([",]"])),
        ("\u{feff}[]", json!([])),
        ("{\"//\": 1, \"//\": 2, \"a\": 1e300}", json!({"//": 2, "a": 1e300})),
    ] {
        assert_eq!(json::parse(text).unwrap(), expected, "{text}");
    }
}

/// What is no JSON but for comments and last commas is refused, with its place.
#[test]
fn other_forms_of_json_are_refused() {
    for (text, line, column) in [
        ("// ü", 1, 5),
        ("/", 1, 1),
        ("\"\\", 1, 1),
        ("[,]", 1, 2),
        ("{a: 1}", 1, 2),
        ("{'a': 1}", 1, 2),
        ("[1\n 2]", 1, 3),
        ("[+1]", 1, 2),
        ("[0x1]", 1, 2),
        ("[1e999]", 1, 2),
        ("[NaN]", 1, 2),
        ("[] []", 1, 4),
        ("{\"ü\": 1,\n  \"ü\": 2}", 2, 3),
    ] {
        match json::parse(text) {
            Err(Error::Syntax { line: l, column: c, .. }) => {
                assert_eq!((l, c), (line, column), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let deep = "[".repeat(100_000);
    assert!(json::parse(&deep).is_err());
}

proptest::proptest! {
    /// What is JSON already is read as what it is.
    #[test]
    fn json_is_read_as_it_is(key: String, values: Vec<String>) {
        let value = json!({ "a": values, key: [null, true, -1.5e-7, u64::MAX, {}] });
        let text = serde_json::to_string_pretty(&value).unwrap();
        proptest::prop_assert_eq!(json::parse(&text).unwrap(), value);
    }

    /// Nothing that stands in a file breaks the reader.
    #[test]
    fn no_text_breaks_the_readers(text: String) {
        let _ = super::parse(&text, "f", vars);
        let _ = expand(&text, &vars);
        let _ = dotenv::parse(&text);
    }
}

#[test]
fn files_of_variables_are_read() {
    let text = "\u{feff}# c\n\nA=1\n export B = two words # c \nC='#$x'\nD=\"a\\n\\\"b\\\"\" # c\nE=\nF=a#b\r\n";
    let found = dotenv::parse(text).unwrap();
    let expected =
        [("A", "1"), ("B", "two words"), ("C", "#$x"), ("D", "a\n\"b\""), ("E", ""), ("F", "a#b")];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for (text, line) in [("A", 1), ("\n=x", 2), ("A B=c", 1), ("A='x", 1), ("A=\"x", 1)] {
        assert_eq!(dotenv::parse(text), Err(line), "{text}");
    }
}
