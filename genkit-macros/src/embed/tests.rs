//! Golden files of folders and their expansions: `UPDATE=1 cargo test -p genkit-macros --all-features` rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

use super::expand_in;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prompts")
}

/// Expands an invocation in the crate at `tests/prompts/<case>`.
fn expanded(case: &str, invocation: &str) -> syn::File {
    let tokens = format!("[::genkit] {invocation}").parse().expect("tokens");
    let expansion = expand_in(tokens, Some(&cases().join(case)));
    syn::parse2(expansion).unwrap_or_else(|error| panic!("{case}: {error}"))
}

/// Returns the messages of the `compile_error!`s in an expansion.
fn messages(file: &syn::File) -> Vec<String> {
    let errors = file.items.iter().filter_map(|item| match item {
        syn::Item::Macro(it) if it.mac.path.segments.last()?.ident == "compile_error" => {
            Some(it.mac.parse_body::<syn::LitStr>().expect("a message").value())
        }
        _ => None,
    });
    errors.collect()
}

#[test]
fn folder_becomes_a_module() {
    let file = expanded("right", "\"prompts\", schemas(crate::Recipe)");
    crate::tests::golden(&cases().join("right.expanded.rs"), &prettyplease::unparse(&file));
}

#[test]
fn every_error_of_every_file_is_reported() {
    let mut all = String::new();
    for entry in fs::read_dir(cases().join("wrong/prompts")).expect("the cases") {
        let name = entry.expect("a case").file_name().into_string().expect("a name");
        let said = messages(&expanded("wrong", &format!("mod asks = \"prompts/{name}\"")));
        assert!(!said.is_empty(), "{name} has no errors");
        all.push_str(&format!("== {name}\n{}\n", said.join("\n")));
    }
    let mut parts: Vec<&str> = all.split("== ").filter(|part| !part.is_empty()).collect();
    parts.sort_unstable();
    let all: Vec<String> = parts.into_iter().map(|part| format!("== {part}")).collect();
    crate::tests::golden(&cases().join("wrong.txt"), &all.join("\n"));
}

#[test]
fn invalid_invocation_is_a_compile_error() {
    for (invocation, expected) in [
        ("", "expected the path of a folder"),
        ("5", "expected the path of a folder"),
        ("trips", "expected the path of a folder"),
        ("mod asks", "the folder is missing"),
        ("pub \"prompts\"", "a visibility must be followed by `mod`"),
        ("\"prompts\" schemas(Recipe)", "expected `,`"),
        ("\"prompts\", schema(Recipe)", "did you mean `schemas`?"),
        ("\"prompts\", schemas", "takes types in parentheses"),
        ("\"prompts\", schemas(a::Recipe, b::Recipe)", "`Recipe` is listed twice in `schemas`"),
        ("\"promts\"", "did you mean `prompts`?"),
        ("\"nothing/of/this\"", "create it, or use another path"),
        ("\"../wrong\"", "is not inside the crate"),
        ("\"/etc\"", "is not inside the crate"),
        ("\".\"", "name that is valid for a module"),
    ] {
        let said = messages(&expanded("right", invocation)).join("\n");
        assert!(said.contains(expected), "{invocation}: {said}");
    }
}

#[test]
fn invalid_prompt_file_still_generates_its_types() {
    let file = expanded("wrong", "\"prompts/unknown_partial\"");
    let text = prettyplease::unparse(&file);
    assert!(
        text.contains("pub fn trip(input: Trip)") && text.contains("pub struct Trip"),
        "{text}"
    );
    assert!(!text.contains("include_str"), "{text}");
}
