//! Names: names in the text are public, and documentation of public items begins with what the item is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::pages::{Page, documents, read, root};

/// Names of the standard library and of other crates that pages use.
const OF_OTHERS: [&str; 14] = [
    "AgentBuilder::new",
    "CryptoProvider::install_default",
    "Default::default",
    "PgPool::connect",
    "Trip::new",
    "any",
    "block_on",
    "clone",
    "identity_key",
    "is_some",
    "is_some_and",
    "preamble",
    "to_string",
    "with_search_attribute",
];

/// Returns an item without its generics, which may be nested.
fn plain(item: &str) -> String {
    let mut depth = 0_usize;
    let mut last = ' ';
    let mut plain = String::new();
    for letter in item.chars() {
        match letter {
            '<' => depth += 1,
            '>' if last != '-' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
        last = letter;
    }
    plain
}

/// Returns every public name: `max_turns` and `Generate::max_turns`.
fn listed() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in read("docs/public-api.txt").lines().map(plain) {
        let path = item.split(['(', '=', ' ']).find(|word| word.contains("::")).unwrap_or_default();
        let parts: Vec<&str> = path.trim_end_matches([':', '!']).split("::").collect();
        if let [.., of, name] = parts[..] {
            names.insert(name.to_owned());
            names.insert(format!("{of}::{name}"));
        }
    }
    names
}

/// Words with which the documentation of a public item must not begin: it states first what the item is, using the term
/// that people search for.
const VAGUE: [&str; 14] = [
    "Begins ",
    "Goes ",
    "How ",
    "It ",
    "Its ",
    "One more",
    "Somebody ",
    "The same",
    "These",
    "What ",
    "When ",
    "Where ",
    "Who ",
    "Why ",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Returns the name of a public item or field that a line declares.
fn declared(line: &str) -> Option<&str> {
    let words = line.strip_prefix("pub ")?;
    let name = match words.split_once(": ") {
        Some((field, _)) if field.chars().all(is_of_a_name) => field,
        _ => {
            let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "const "];
            let kind = kinds
                .iter()
                .find(|kind| words.starts_with(*kind) || words.contains(&format!(" {kind}")))?;
            words.split_once(*kind)?.1
        }
    };
    Some(name.split(|letter| !is_of_a_name(letter)).next().unwrap_or_default())
}

/// Returns the public items of a file: the name, the first line of the documentation, and its place.
fn documented(path: &Path) -> Vec<(String, String, String)> {
    let source = fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    let mut first: Option<(usize, &str)> = None;
    for (number, line) in source.lines().map(str::trim).enumerate() {
        if let Some(text) = line.strip_prefix("///") {
            first.get_or_insert((number + 1, text.trim()));
        } else if !line.starts_with("#[") {
            if let (Some((number, text)), Some(name)) = (first, declared(line)) {
                found.push((
                    name.to_owned(),
                    text.to_owned(),
                    format!("{}:{number}", path.display()),
                ));
            }
            first = None;
        }
    }
    found
}

#[test]
fn first_sentence_of_public_items_is_not_vague() {
    let listed = listed();
    let mut files = Vec::new();
    sources(&root().join("genkit/src"), &mut files);
    sources(&root().join("crates"), &mut files);
    let mut seen = 0;
    for (name, text, place) in files.iter().flat_map(|path| documented(path)) {
        if !listed.contains(&name) {
            continue;
        }
        seen += 1;
        let vague = VAGUE.iter().find(|word| text.starts_with(*word));
        assert!(
            vague.is_none(),
            "{place}: say first what the item is or does, as the standard library does: {text}"
        );
    }
    assert!(seen > 1000, "only {seen} items");
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the name at the end of `text`.
fn name_before(text: &str) -> &str {
    let start = text.rfind(|letter| !is_of_a_name(letter)).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

/// Returns the methods `.name(` and the paths `Type::name` of a piece of code.
fn named(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, _) in code.match_indices('(') {
        let name = name_before(&code[..at]);
        if !name.is_empty() && code[..at - name.len()].ends_with('.') {
            named.push(name.to_owned());
        }
    }
    for (at, _) in code.match_indices("::") {
        let (of, rest) = (name_before(&code[..at]), &code[at + 2..]);
        let end = rest.find(|letter| !is_of_a_name(letter)).unwrap_or(rest.len());
        if of.starts_with(char::is_uppercase) && end > 0 {
            named.push(format!("{of}::{}", &rest[..end]));
        }
    }
    named
}

#[test]
fn methods_that_the_text_names_are_public() {
    let listed = listed();
    let mut others: BTreeSet<&str> = OF_OTHERS.into();
    let mut seen = 0;
    for page in documents() {
        for line in page.prose().lines() {
            // Text between two backticks is code.
            for name in line.split('`').skip(1).step_by(2).flat_map(named) {
                seen += 1;
                let is_known = listed.contains(&name) || OF_OTHERS.contains(&name.as_str());
                assert!(is_known, "{}: nothing public is called `{name}`: {line}", page.name);
                others.remove(name.as_str());
            }
        }
    }
    assert!(seen > 300, "only {seen} names");
    assert!(others.is_empty(), "no page names {others:?} any more");
}

#[test]
fn name_that_is_not_there_is_seen() {
    let page = Page { name: "a".to_owned(), text: "`generate(..).max_rounds(3)`".to_owned() };
    let names: Vec<String> = page.prose().split('`').skip(1).step_by(2).flat_map(named).collect();
    assert_eq!(names, ["max_rounds"]);
    assert!(!listed().contains("max_rounds") && listed().contains("Generate::max_turns"));
}
