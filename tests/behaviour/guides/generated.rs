//! Generated pages: the settings, the features, the rules for coding agents and `llms.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::dependencies;
use super::pages::{Page, compare, page, pages, read, root};

/// The builders whose options have a default, with the files that define them.
const BUILDERS: [(&str, &str, &[&str]); 5] = [
    ("generate(..)", "crates/genkit-agent/src/builder", &[]),
    ("serve_mcp()", "crates/genkit-mcp-server/src/builder", &[]),
    ("McpHost::builder()", "crates/genkit-mcp-host/src", &["builder.rs", "settings.rs"]),
    ("serve_flows()", "crates/genkit-flows/src/server", &["builder.rs"]),
    ("Genkit::builder()", "genkit/src/instance", &[]),
];

/// Sequential, because some pages are generated from others.
#[test]
fn generated_pages_are_up_to_date() {
    dependencies::lines_have_the_path_of_the_clone();
    the_book_has_every_page_once();
    settings_are_those_of_the_code();
    what_other_programs_get_wrong_is_in_the_tables_of_the_code();
    features_are_those_of_the_manifest();
    the_rules_for_coding_agents_are_the_pitfalls_of_the_pages();
    llms_txt_lists_the_pages();
}

/// Returns the options of a file that document their default: name and documentation.
fn options(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push_str(text.trim());
            comment.push(' ');
        } else if let Some(rest) = line.strip_prefix("pub fn ") {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            let is_option = rest.contains("self") || line.ends_with('(') || line.contains("->");
            if is_option && comment.contains("Default is ") {
                found.push((name.to_owned(), comment.clone()));
            }
            comment.clear();
        } else if !line.starts_with("#[") {
            comment.clear();
        }
    }
    found
}

/// Returns the text between `Default is` and the end of its sentence or clause.
fn default_of(comment: &str) -> String {
    let (_, rest) = comment.split_once("Default is ").expect("it has a default");
    let ends = [". ", "; ", ": "].iter().filter_map(|end| rest.find(end)).min();
    plain(&rest[..ends.unwrap_or(rest.len())])
}

/// Returns the first sentence, without the default.
fn sentence_of(comment: &str) -> String {
    let end = comment.find(". ").unwrap_or(comment.len());
    plain(comment[..end].split(" Default is").next().unwrap_or_default())
}

/// Replaces rustdoc links with their text.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        let (name, after) = link.split_once("`]").unwrap_or((link, ""));
        write!(plain, "`{name}`").expect("a string");
        rest = after.strip_prefix('(').and_then(|it| it.split_once(')')).map_or(after, |it| it.1);
    }
    plain.push_str(rest);
    plain.trim().trim_end_matches('.').replace('|', "\\|")
}

fn settings_are_those_of_the_code() {
    let mut text = String::from(
        "# Settings: every option that has a default\n\nGenerated from the documentation of the options. For every limit, including \
         those that are not options, see [limits].\n",
    );
    for (builder, folder, only) in BUILDERS {
        let mut files: Vec<_> = std::fs::read_dir(root().join(folder)).unwrap().collect();
        files.sort_by_key(|file| file.as_ref().unwrap().file_name());
        let names = files.into_iter().map(|it| it.unwrap().file_name().into_string().unwrap());
        let names = names.filter(|name| name.ends_with(".rs"));
        let names = names.filter(|name| only.is_empty() || only.contains(&name.as_str()));
        let mut rows = BTreeMap::new();
        for name in names {
            rows.extend(options(&read(&format!("{folder}/{name}"))));
        }
        assert!(!rows.is_empty(), "{folder} has no option with a default");
        write!(text, "\n## `{builder}`\n\n| option | default | description |\n|---|---|---|\n")
            .unwrap();
        for (name, comment) in rows {
            let (default, what) = (default_of(&comment), sentence_of(&comment));
            writeln!(text, "| `.{name}(..)` | {default} | {what} |").unwrap();
        }
    }
    text.push_str("\n[limits]: ../../docs/limits.md\n");
    compare("genkit/guide/settings.md", &text);
}

/// Returns the tables in the documentation of a module.
fn tables(path: &str) -> Vec<String> {
    let source = read(path);
    let mut found = vec![String::new()];
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        match line.trim() {
            row if row.starts_with('|') => {
                writeln!(
                    found.last_mut().unwrap(),
                    "{}",
                    row.replace("[`", "`").replace("`]", "`")
                )
                .unwrap();
            }
            _ if found.last().unwrap().is_empty() => {}
            _ => found.push(String::new()),
        }
    }
    found.retain(|table| !table.is_empty());
    assert!(!found.is_empty(), "{path} has no table");
    found
}

/// The sections of a page: a title, an introduction, and the file with the tables.
const OTHERS: [(&str, &str, &str); 7] = [
    (
        "Schemas",
        "Schemas of MCP servers, OpenAPI documents and hand-written tools are repaired. A repair that changes which values \
         are accepted is logged once for each tool, and `--check` lists it.",
        "crates/genkit-schema/src/repair/mod.rs",
    ),
    (
        "What providers and clients reject",
        "One rejected schema would make the whole tool list fail, so each provider and client gets a schema that it accepts.",
        "crates/genkit-schema/src/dialect/mod.rs",
    ),
    (
        "Streams of OpenAI-compatible servers",
        "Servers omit, split, repeat and reuse the index, the id and the name of a tool call. In the first table, the first matching row selects the call that a fragment may continue. The second table states whether the fragment starts a new call; otherwise it continues the selected call. In the second table, a name or id is the *first* if the call has none yet, and a call is *whole* if its arguments are a complete JSON value. The arguments of a fragment are *next* if the call is whole and they begin another value; they *can begin* a call if they are empty or start with `{`, `\"` or `n` (`null`). The third table applies to all calls at the end of the stream.",
        "crates/genkit-openai/src/chat/response/calls/mod.rs",
    ),
    (
        "Results of MCP servers",
        "A result in an unexpected format is passed to the model, or becomes an error that quotes it.",
        "crates/genkit-mcp-host/src/request/results.rs",
    ),
    (
        "Files with MCP servers",
        "These are the file formats that other programs write. A server is disabled by any value that could mean \"disabled\".",
        "crates/genkit-mcp-servers-file/src/lib.rs",
    ),
    (
        "OpenAPI documents",
        "Each repair is listed in the tool's notes.",
        "crates/genkit-openapi/src/input.rs",
    ),
    (
        "Skills and prompts",
        "A skill or a `.prompt` file with an error does not affect the other files of its folder.",
        "crates/genkit-skills/src/text.rs",
    ),
];

fn what_other_programs_get_wrong_is_in_the_tables_of_the_code() {
    let mut text = String::from(
        "# What other programs get wrong, and what we do about it\n\nGenerated from the documentation of the code. \
         Invalid input from another program is repaired or skipped with a warning. Valid input in the same file or message still works.\n",
    );
    for (title, lead, path) in OTHERS {
        write!(text, "\n## {title}\n\n{lead}\n").unwrap();
        for table in tables(path) {
            write!(text, "\n{table}").unwrap();
        }
    }
    compare("genkit/guide/other_programs.md", &text);
}

/// The table is between two markers; each row is the comment above the feature in the manifest.
fn features_are_those_of_the_manifest() {
    let manifest = read("genkit/Cargo.toml");
    let (_, rest) = manifest.split_once("[features]\n").unwrap();
    let section = rest.split("\n[").next().unwrap();
    let mut table = String::from("| feature | gives | implies |\n|---|---|---|\n");
    let mut comment = String::new();
    for line in section.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            comment = text.trim_end_matches('.').replace('|', "\\|");
        } else if let Some((name, implied)) = line.split_once(" = [")
            && !line.starts_with(' ')
            && !matches!(name, "default" | "http-model")
        {
            let is_default = matches!(name, "inventory" | "generate");
            let default = if is_default { " (default)" } else { "" };
            let implied = implied_features(name, implied);
            writeln!(table, "| `{name}`{default} | {comment} | {implied} |").unwrap();
        }
    }
    let text = page("reference").text;
    let (before, rest) = text.split_once("<!-- features -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /features -->").unwrap();
    let wanted = format!("{before}<!-- features -->\n{table}<!-- /features -->{after}");
    compare("genkit/guide/reference.md", &wanted);
}

/// Returns the features that a feature enables in this crate, as a list of code.
fn implied_features(name: &str, list: &str) -> String {
    if name == "full" {
        return "all".to_owned();
    }
    let names = list.split('"').skip(1).step_by(2);
    let shown = names.filter(|name| !name.contains([':', '/']) && *name != "http-model");
    let mut shown: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    if list.contains("\"http-model\"") {
        shown.push("`generate`".to_owned());
    }
    shown.join(", ")
}

/// Returns the pages in the order of the book.
fn in_order() -> Vec<Page> {
    let summary = read("genkit/guide/SUMMARY.md");
    let chapters = summary.lines().filter(|line| line.starts_with("- ["));
    let names = chapters.filter_map(|line| line.split_once("](")?.1.strip_suffix(".md)"));
    names.map(page).collect()
}

/// Returns the text under the title, up to the first table, block or heading.
fn lead(page: &Page) -> String {
    let lines = page.text.lines().skip(2).take_while(|line| !line.is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Replaces `[label]` with the words of the label.
fn unlinked(text: &str) -> String {
    let links = read("genkit/guide/links.md");
    let labels = links.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    labels.fold(text.to_owned(), |text, (label, _)| {
        // `#[tool]` is not a link.
        text.replace(&format!(" [{label}]"), &format!(" {label}"))
    })
}

fn the_rules_for_coding_agents_are_the_pitfalls_of_the_pages() {
    const HEAD: &str = "# Rules for coding agents that write programs with genkit\n\nThe most important pitfalls of each page. Copy this page into \
        `AGENTS.md` or `CLAUDE.md`, and read the page on a topic before you write code for it.\n\n\
        | topic | rule |\n|---|---|\n\
        | functions | an `async fn` with `#[tool]`, `#[prompt]`, `#[resource(\"..\")]`, `#[flow]` or `#[retriever]`, and a doc comment |\n\
        | arguments | take arguments of the caller by value, and state and `Context` by reference |\n\
        | models | by name, as in `\"gemini/gemini-2.5-flash\"`; do not invent other name formats |\n\
        | errors | `genkit::Result`, `Error::invalid_argument(\"what is wrong; what to write instead\")` |\n\
        | verification | `cargo check` first: the compiler points at the incorrect token and suggests a fix; then `genkit::testing::check()` |\n";
    let mut text = String::from(HEAD);
    for page in in_order() {
        let Some(pitfalls) = page.section("Pitfalls") else { continue };
        let topic = page.title().split([':', ',']).next().unwrap_or_default();
        write!(text, "\n**{topic}** ({}.md)\n", page.name).unwrap();
        // The first ones are those that most readers need.
        let whole = pitfalls.replace("\n  ", " ").replace("\n  ", " ");
        for rule in whole.lines().filter(|line| line.starts_with("- ")).take(3) {
            assert!(rule.ends_with(['.', '`', ':', '|', ')', '?']), "{}: {rule}", page.name);
            writeln!(text, "{}", unlinked(rule)).unwrap();
        }
    }
    compare("genkit/guide/coding_agents.md", &text);
}

fn llms_txt_lists_the_pages() {
    let readme = read("README.md");
    let pitch = readme.split("\n\n").nth(1).unwrap().replace('\n', " ");
    let mut text = format!("# genkit for Rust\n\n> {pitch}\n\n## Guide\n\n");
    for page in in_order() {
        let what = unlinked(&lead(&page));
        writeln!(text, "- [{}](genkit/guide/{}.md): {what}", page.title(), page.name).unwrap();
    }
    text.push_str(
        "\n## Reference\n\n- [Every limit](docs/limits.md): every constant that limits something\n\
         - [Public API](docs/public-api.txt): every public item, one per line\n\
         - [Examples](genkit/examples): the complete programs of the pages\n\
         - [Changes](CHANGELOG.md): changes and migration notes\n",
    );
    compare("llms.txt", &text);
}

/// The book shows the same pages as rustdoc, in a fixed order.
fn the_book_has_every_page_once() {
    let title = |page: &Page| page.title().split(':').next().unwrap_or_default().to_owned();
    let lines = in_order().into_iter().map(|it| format!("- [{}]({}.md)\n", title(&it), it.name));
    let wanted = format!("# Summary\n\n[Guide](index.md)\n\n{}", lines.collect::<String>());
    compare("genkit/guide/SUMMARY.md", &wanted);
    let mut names: Vec<String> = in_order().into_iter().map(|it| it.name).collect();
    names.sort();
    let all: Vec<String> =
        pages().into_iter().map(|it| it.name).filter(|it| it != "index").collect();
    assert_eq!(names, all);
}

/// Runs the book's preprocessor as mdBook does, and checks that no link leads out of the book.
#[test]
fn book_has_no_link_to_what_is_outside() {
    let chapter = |page: &Page| json!({"Chapter": {"content": page.text, "sub_items": []}});
    let sections: Vec<Value> = in_order().iter().map(chapter).collect();
    let mut python = Command::new("python3");
    python.arg("../../.ci/book.py").current_dir(root().join("genkit/guide"));
    let mut child =
        python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python runs");
    let book = json!([{}, {"sections": sections}]).to_string();
    child.stdin.take().unwrap().write_all(book.as_bytes()).unwrap();
    let said = child.wait_with_output().unwrap();
    let book: Value = serde_json::from_slice(&said.stdout).unwrap();
    for chapter in book["sections"].as_array().unwrap() {
        let text = chapter["Chapter"]["content"].as_str().unwrap();
        let prose = Page { name: String::new(), text: text.to_owned() }.prose();
        let outside = prose.lines().find(|line| line.contains("]: ../") || line.contains("](../"));
        assert_eq!(outside, None);
        assert!(text.contains("\n| "), "the tables are there");
    }
}
