//! Compares the public API of `genkit` with `docs/public-api.txt`, item by item. Every change is visible in review, and
//! no type of a dependency gets into a signature unnoticed.
//!
//! `PUBLIC_API=overwrite cargo test -p ui-tests --test public_api` rewrites the list. Read its diff, and describe
//! breaking changes in `CHANGELOG.md`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use genkit_tests::cargo::cargo;
use serde_json::Value;

/// The JSON of rustdoc changes with the compiler, so the test runs only on the version that `public-api` supports.
const REVIEWED_ON: &str = "rustc 1.95.";

/// Crates that signatures may use in addition to the standard library and `genkit`. rmcp is used only in
/// `mcp::rmcp`, clap only where a program adds its own arguments, tokio where a socket is one
/// of its streams, and tracing where telemetry is about its spans.
const PART_OF_THE_DEAL: [&str; 14] = [
    "alloc",
    "axum",
    "clap_builder",
    "core",
    "futures_core",
    "genkit",
    "rmcp",
    "schemars",
    "serde_core",
    "serde_json",
    "std",
    "str",
    "tokio",
    "tracing",
];

/// The type behind the alias `BoxError` of `genkit-core`.
const BOX_ERROR: &str =
    "alloc::boxed::Box<(dyn core::error::Error + core::marker::Send + core::marker::Sync)>";

#[test]
fn public_api_is_the_one_that_is_listed() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&rustc.stdout).into_owned();
    if !version.starts_with(REVIEWED_ON) {
        eprintln!("the public API is not compared: read on {REVIEWED_ON}*, this is {version}");
        return;
    }
    let found = items();
    let file = repository().join("docs/public-api.txt");
    if std::env::var_os("PUBLIC_API").is_some_and(|how| how == "overwrite") {
        std::fs::write(&file, found.join("\n") + "\n").expect("the list is written");
    }
    let listed = std::fs::read_to_string(&file).expect("docs/public-api.txt is there");
    let listed: Vec<_> = listed.lines().map(str::to_owned).collect();
    let changes = changes(&listed, &found);
    assert!(
        changes.is_empty(),
        "the public API changed. If that is wanted, write docs/public-api.txt anew with \
         `PUBLIC_API=overwrite cargo test -p ui-tests --test public_api`, and say in CHANGELOG.md \
         what is breaking:\n{changes}"
    );
    let foreign: Vec<_> = found.iter().filter(|item| names_a_foreign_type(item)).collect();
    assert!(foreign.is_empty(), "a type of a dependency is in a signature: {foreign:#?}");
    let root = found.iter().filter(|item| is_type_of_the_root(item)).count();
    assert!((20..=32).contains(&root), "the root has {root} types; about 30 are what fits a page");
}

/// Returns one line for each item, in rustdoc's order, without derived impls.
fn items() -> Vec<String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let target = target.join("public-api");
    std::fs::create_dir_all(&target).expect("a folder for the wrapper");
    // Set the variable only for rustdoc. If cargo had it in its environment, every build script that depends on it
    // would run again.
    let wrapper = target.join("rustdoc");
    let script = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";
    std::fs::write(&wrapper, script).expect("the wrapper is written");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&wrapper, runs).expect("the wrapper runs");
    let built = cargo()
        // The same command as `cargo doc` of the workspace, so that its dependencies are checked once.
        .args(["doc", "-q", "--workspace", "--all-features", "--no-deps", "--lib"])
        .current_dir(repository())
        .env("RUSTDOC", &wrapper)
        .env("CARGO_TARGET_DIR", target.parent().expect("a target folder"))
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json --cap-lints allow")
        .status()
        .expect("cargo runs");
    assert!(built.success(), "rustdoc failed");
    let docs = target.parent().expect("a target folder").join("doc");
    let facade = Facade::read(&docs.join("genkit.json"));
    let mut lines = lines_of(&docs.join("genkit.json"));
    // The facade re-exports the items of the crates below it: they are listed with the facade's paths.
    lines.retain(|line| !(line.starts_with("pub use ") && facade.paths.contains(&line[8..])));
    for line in &mut lines {
        *line = facade.translate_line(line, &HashMap::new());
    }
    for name in &facade.crates {
        lines.extend(facade.items_of(&docs.join(format!("{name}.json")), name));
    }
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    // Impls of traits and for types that `genkit` does not re-export are internal.
    let is_internal = |line: &String| {
        line.starts_with("pub fn genkit_") || line.starts_with("impl") && line.contains("genkit_")
    };
    lines.retain(|line| !is_internal(line));
    lines
}

/// Returns one line for each item of a crate, with the paths that this crate has.
fn lines_of(json: &Path) -> Vec<String> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .expect("public-api reads the JSON of this rustdoc");
    api.items().map(ToString::to_string).collect()
}

/// The re-exports of `genkit`: the definition of each item, and its paths in `genkit`.
struct Facade {
    /// Every path that `genkit` gives to an item of another crate.
    paths: HashSet<String>,
    /// The paths of an item in `genkit`, the shortest first, by the path of its definition.
    by_definition: HashMap<String, Vec<String>>,
    crates: BTreeSet<String>,
}

impl Facade {
    fn read(json: &Path) -> Self {
        let doc = parse(json);
        let mut facade =
            Self { paths: HashSet::new(), by_definition: HashMap::new(), crates: BTreeSet::new() };
        facade.add_module(&doc, &doc["root"].to_string(), "genkit");
        for paths in facade.by_definition.values_mut() {
            paths.sort_by_key(|path| path.matches("::").count());
        }
        facade
    }

    fn add_module(&mut self, doc: &Value, id: &str, path: &str) {
        let items = doc["index"][id]["inner"]["module"]["items"].as_array();
        for item in items.into_iter().flatten() {
            let item = &doc["index"][item.to_string()];
            if !item["inner"]["module"].is_null() {
                let name = item["name"].as_str().expect("a module has a name");
                if name != "__private" {
                    self.add_module(doc, &item["id"].to_string(), &format!("{path}::{name}"));
                }
            }
            let used = &item["inner"]["use"];
            let Some(definition) = definition(doc, used) else { continue };
            if definition.starts_with("genkit_") && !definition.starts_with("genkit_macros") {
                let path = format!("{path}::{}", used["name"].as_str().expect("a name"));
                self.crates.insert(definition.split("::").next().expect("a crate").to_owned());
                self.paths.insert(path.clone());
                self.by_definition.entry(definition).or_default().push(path);
            }
        }
    }

    /// Returns the items of a crate that `genkit` re-exports, with the paths of `genkit`.
    fn items_of(&self, json: &Path, name: &str) -> Vec<String> {
        let doc = parse(json);
        let mut public = HashMap::new();
        add_public(&doc, &doc["root"].to_string(), name, &mut public);
        let mut lines = Vec::new();
        // The paths of the item that is listed now; none if `genkit` does not re-export it.
        let mut current: Vec<String> = Vec::new();
        for line in lines_of(json) {
            if let Some(path) = top_level_path(&line, name) {
                let definition = public.get(&path).cloned().unwrap_or(path);
                current = self.find(&definition).into_iter().flatten().cloned().collect();
                if current.is_empty()
                    && self.translate(&definition, &public).starts_with("genkit::")
                {
                    current = vec![self.translate(&definition, &public)];
                }
            }
            for (at, path) in current.iter().enumerate() {
                let translated = self.translate_line(&line, &public);
                let is_of_impl = line.starts_with("impl") || translated.contains(" fn ");
                match at {
                    0 => lines.push(translated),
                    // For the other paths of an item, its own line is listed, but not those of its impls.
                    _ if !is_of_impl => lines.push(replace_path(&translated, &current[0], path)),
                    _ => {}
                }
            }
        }
        lines
    }

    fn find(&self, definition: &str) -> Option<&Vec<String>> {
        self.by_definition.get(definition)
    }

    fn translate_line(&self, line: &str, public: &HashMap<String, String>) -> String {
        let mut text = String::new();
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
            text.push_str(&rest[..start]);
            rest = &rest[start..];
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let mut end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            while rest[end..].starts_with("::")
                && rest[end + 2..].starts_with(|c: char| is_part(c) && !c.is_ascii_digit())
            {
                end += 2 + rest[end + 2..].find(|c| !is_part(c)).unwrap_or(rest.len() - end - 2);
            }
            text.push_str(&self.translate(&rest[..end], public));
            rest = &rest[end..];
        }
        text + rest
    }

    /// Replaces the longest known prefix of a path with the path of `genkit`.
    fn translate(&self, path: &str, public: &HashMap<String, String>) -> String {
        let mut end = path.len();
        loop {
            let head = &path[..end];
            let definition = public.get(head).map_or(head, String::as_str);
            if definition == "genkit_core::error::BoxError" {
                return BOX_ERROR.to_owned();
            }
            if let Some(paths) = self.find(definition) {
                return format!("{}{}", paths[0], &path[end..]);
            }
            match head.rfind("::") {
                Some(at) => end = at,
                None => return path.to_owned(),
            }
        }
    }
}

/// Adds the re-exports of the public modules of a crate, as a map from the public path to the path of the definition.
fn add_public(doc: &Value, id: &str, path: &str, public: &mut HashMap<String, String>) {
    for item in doc["index"][id]["inner"]["module"]["items"].as_array().into_iter().flatten() {
        let item = &doc["index"][item.to_string()];
        if !item["inner"]["module"].is_null() && item["name"] != "internal" {
            let name = item["name"].as_str().expect("a module has a name");
            add_public(doc, &item["id"].to_string(), &format!("{path}::{name}"), public);
        }
        let used = &item["inner"]["use"];
        if let Some(definition) = definition(doc, used) {
            let name = used["name"].as_str().expect("a name");
            public.insert(format!("{path}::{name}"), definition);
        }
    }
}

fn parse(json: &Path) -> Value {
    let text =
        std::fs::read_to_string(json).unwrap_or_else(|error| panic!("{}: {error}", json.display()));
    serde_json::from_str(&text).expect("rustdoc writes JSON")
}

/// Returns the path at which the item of a `use` is defined.
fn definition(doc: &Value, used: &Value) -> Option<String> {
    let path = doc["paths"][used["id"].to_string()]["path"].as_array()?;
    let path: Vec<_> = path.iter().filter_map(Value::as_str).collect();
    Some(path.join("::"))
}

/// Returns the path of a top-level item, such as `genkit_core::Tool` in `pub struct genkit_core::Tool(_)`. Returns
/// `None` for a member of an item and for an `impl`.
fn top_level_path(line: &str, name: &str) -> Option<String> {
    const KINDS: [&str; 10] =
        ["struct", "enum", "trait", "type", "mod", "macro", "const", "static", "fn", "use"];
    let mut words = line.split(' ').peekable();
    let mut is_item = false;
    while let Some(word) = words.peek() {
        let word = *word;
        if let Some(path) = word.strip_prefix(name).filter(|path| path.starts_with("::")) {
            let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = format!("{name}{}", path[..end.unwrap_or(path.len())].trim_end_matches(':'));
            let mut segments: Vec<_> = path.split("::").collect();
            segments.pop();
            let is_member = segments.iter().any(|part| part.starts_with(char::is_uppercase));
            return (is_item && !is_member).then_some(path);
        }
        is_item |= KINDS.contains(&word);
        if word.starts_with("impl") {
            return None;
        }
        words.next();
    }
    None
}

fn replace_path(line: &str, from: &str, to: &str) -> String {
    line.replacen(from, to, 1)
}

fn changes(listed: &[String], found: &[String]) -> String {
    let (was, is): (HashSet<_>, HashSet<_>) = (listed.iter().collect(), found.iter().collect());
    let mut changes = String::new();
    for gone in listed.iter().filter(|line| !is.contains(line)) {
        writeln!(changes, "- {gone}").expect("a string");
    }
    for new in found.iter().filter(|line| !was.contains(line)) {
        writeln!(changes, "+ {new}").expect("a string");
    }
    changes
}

/// Returns whether a path begins with a crate that is not allowed. Paths begin with the crate that defines the type.
fn names_a_foreign_type(item: &str) -> bool {
    let mut last = ' ';
    let mut start = 0;
    for (at, letter) in item.char_indices() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        let was_word = last.is_alphanumeric() || last == '_';
        if is_word && !was_word {
            start = at;
        }
        if !is_word && was_word && item[at..].starts_with("::") && !item[..start].ends_with("::") {
            let name = &item[start..at];
            let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
            if lower && !PART_OF_THE_DEAL.contains(&name) {
                return true;
            }
            if name == "rmcp" && !is_of_the_rmcp_module(item) {
                return true;
            }
        }
        last = letter;
    }
    false
}

/// Returns whether an item is in `mcp::rmcp`, or implements a trait of that module for a type of another.
fn is_of_the_rmcp_module(item: &str) -> bool {
    let members =
        ["raw(", "Raw =", "raw_prompt<", "raw_prompt(", "raw_resource(", "peer(", "from_mcp("];
    item.contains("genkit::mcp::rmcp")
        || members.iter().any(|member| item.contains(&format!("::{member}")))
}

/// Returns whether an item such as `pub struct genkit::Tool(_)` is a type or trait at the root.
fn is_type_of_the_root(item: &str) -> bool {
    let mut words = item.split(' ').skip_while(|word| matches!(*word, "pub" | "#[non_exhaustive]"));
    let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type"));
    let path = words.next().unwrap_or_default();
    is_type && path.starts_with("genkit::") && path.matches("::").count() == 1
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
