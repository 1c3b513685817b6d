//! Golden files of expansions, and a check of the documentation against the options.
//!
//! `UPDATE=1 cargo test -p genkit-macros` rewrites the golden files.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use crate::kind::Kind;
use crate::options::{self, OptionSpec};
use crate::run;

/// Expands the function in a source file: removes the attribute from it first, as the compiler does.
fn expanded(source: &str) -> TokenStream {
    let parse = |input: syn::parse::ParseStream| {
        Ok((input.call(syn::Attribute::parse_outer)?, input.parse::<TokenStream>()?))
    };
    let (mut attrs, item) = syn::parse::Parser::parse_str(parse, source).expect("a function");
    let place = attrs.iter().position(|attr| !attr.path().is_ident("doc"));
    let attr = attrs.remove(place.expect("an attribute of ours"));
    let kind = Kind::ALL.into_iter().find(|kind| attr.path().is_ident(kind.noun()));
    let options = match attr.meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    run::run_macro(kind.expect("a macro"), options, quote::quote!(#(#attrs)* #item))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions")
}

/// Compares `text` with a file, or writes it to the file if `UPDATE` is set.
pub(crate) fn golden(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, text).expect("the file can be written");
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(kept == text, "{} differs from:\n{text}", path.display());
}

#[test]
fn expansions_are_as_reviewed() {
    let kinds = ["minimal", "tool", "prompt", "resource", "flow", "retriever"];
    for name in kinds.into_iter().chain(["attributes", "declared", "derived", "mistakes"]) {
        let source = fs::read_to_string(folder().join(format!("{name}.rs"))).expect("the source");
        let file = syn::parse2(expanded(&source)).unwrap_or_else(|e| panic!("{name}: {e}"));
        golden(&folder().join(format!("{name}.expanded.rs")), &prettyplease::unparse(&file));
    }
}

/// The added code is compiled for every annotated function.
#[test]
fn plain_expansion_is_short() {
    let lines =
        |file: &str| fs::read_to_string(folder().join(file)).expect("the file").lines().count();
    // One line of the source is the attribute.
    let added = lines("minimal.expanded.rs") - (lines("minimal.rs") - 1);
    assert!(added <= 25, "{added} lines");
}

/// An editor expands unfinished code, and completes names from the expansion.
#[test]
fn incomplete_function_keeps_its_stub_type() {
    for (options, written) in [
        ("", "pub async fn add(a: i64, b) -> i64 { a }"),
        ("", "async fn add(a: i64, b: ) -> i64 { a }"),
        ("", "async fn add(a: i64, ) -> { a }"),
        ("", "async fn add()"),
        ("", "async fn add(a: i64) -> i64 { a. }"),
        ("", "async fn add(a: Vec<) -> i64 { let }"),
        ("", "async fn add(#[arg(default = )] a: i64) {}"),
        ("", "async fn add(#[arg(de)] #[schemars(ran)] a: i64, #[arg] b) {}"),
        ("", "async fn add(&, a: i64) {}"),
        ("", "fn add(ctx: &) -> Result< {}"),
        ("title = ", "async fn add(a: i64) {}"),
        ("tit", "async fn add(a: i64) -> Result<> { if a {} }"),
    ] {
        let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
        let expansion = run::run_macro(Kind::Tool, tokens(options), tokens(written)).to_string();
        for part in ["fn add (", "struct add { }", "ToolFn for add"] {
            assert!(expansion.contains(part), "{written}: no `{part}` in {expansion}");
        }
        assert!(!expansion.contains("# [arg"), "{written}: {expansion}");
    }
}

#[test]
fn panic_asks_for_a_report() {
    let message = crate::error::internal_error("x").to_string();
    assert!(message.contains("please report it"), "{message}");
}

/// Returns the table of options in the documentation of a macro.
fn table<'a>(specs: impl Iterator<Item = &'a OptionSpec>) -> String {
    let mut table = String::from("| option | what it does |\n|---|---|\n");
    for spec in specs {
        table.push_str(&format!("| `{}` | {} |\n", spec.example.replace('|', "\\|"), spec.about));
    }
    table
}

#[test]
fn documentation_has_every_option() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../genkit/src/docs");
    for kind in Kind::ALL {
        let path = docs.join(format!("{}.md", kind.noun()));
        let mut text = fs::read_to_string(&path).expect("the documentation");
        let arguments = options::arg::OPTIONS
            .iter()
            .filter(|spec| spec.key != "complete" || matches!(kind, Kind::Prompt | Kind::Resource));
        for (mark, table) in
            [("options", table(options::options_for(kind))), ("arguments", table(arguments))]
        {
            let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->\n"));
            let (before, rest) = text.split_once(&begin).expect("the marker before the table");
            let (_, after) = rest.split_once(&end).expect("the marker after the table");
            text = format!("{before}{begin}{table}{end}{after}");
        }
        golden(&path, &text);
    }
}
