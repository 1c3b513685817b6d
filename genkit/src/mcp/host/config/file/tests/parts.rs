//! The parts of which a file is read.

use super::super::vars::expand;
use super::super::{dotenv, jsonc};
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
    assert!(expand("a ${NONE}", &vars).unwrap_err().contains("`NONE`"));
}

#[test]
fn comments_and_last_commas_are_left_out() {
    for (text, expected) in [
        ("{\"a\": [1, 2, ], }", "{\"a\": [1, 2  ]  }"),
        ("{ // c, }\n\"a\":1}", "{        \n\"a\":1}"),
        ("[1, /* x */ // y\n]", "[1              \n]"),
        (
            "{\"u\": \"http://x/*\", \"q\": \"\\\"//\"}",
            "{\"u\": \"http://x/*\", \"q\": \"\\\"//\"}",
        ),
        ("[\",]\"]", "[\",]\"]"),
        ("\u{feff}[]", "   []"),
        ("// ü", "     "),
        ("/", "/"),
        ("\"\\", "\"\\"),
        ("[,]", "[ ]"),
    ] {
        assert_eq!(jsonc::to_json(text), expected, "{text}");
    }
}

proptest::proptest! {
    /// What is JSON already stays as it is; whatever comes keeps its length and its lines.
    #[test]
    fn json_stays_as_it_is(text: String, value: Vec<String>) {
        let json = serde_json::to_string_pretty(&value).unwrap();
        proptest::prop_assert_eq!(jsonc::to_json(&json), json);
        let converted = jsonc::to_json(&text);
        proptest::prop_assert_eq!(converted.len(), text.len());
        proptest::prop_assert_eq!(converted.matches('\n').count(), text.matches('\n').count());
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
