//! Tests of the metadata of the packages.

use std::collections::BTreeSet;

use genkit_tests::cargo::cargo;
use serde_json::Value;

/// Returns a version as numbers, for example of `1.88`.
fn version_of(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = text.split('.').map(|number| number.parse().unwrap()).collect();
    numbers.resize(3, 0);
    numbers
}

/// Calls `visit` for a package and for everything that it needs to be built.
fn visit_dependencies<'a>(
    nodes: &'a [Value],
    id: &'a str,
    seen: &mut BTreeSet<&'a str>,
    visit: &mut dyn FnMut(&'a str),
) {
    if !seen.insert(id) {
        return;
    }
    visit(id);
    let node = nodes.iter().find(|node| node["id"] == id).unwrap();
    for dependency in node["deps"].as_array().unwrap() {
        let kinds = dependency["dep_kinds"].as_array().unwrap();
        if kinds.iter().any(|kind| kind["kind"] != "dev") {
            visit_dependencies(nodes, dependency["pkg"].as_str().unwrap(), seen, visit);
        }
    }
}

/// Returns the output of `cargo metadata`.
fn metadata(arguments: &[&str]) -> Value {
    let mut command = cargo();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["metadata", "--format-version=1"]);
    let ran = command.args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// The registry and its documentation need these fields. All libraries have the same values, except for the
/// description.
#[test]
fn each_library_is_described_for_the_registry() {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().unwrap();
    // Examples and tests are not published.
    let libraries: Vec<_> =
        packages.iter().filter(|package| package["publish"].is_null()).collect();
    assert!(libraries.len() > 36, "only {} libraries found", libraries.len());
    let facade = libraries.iter().find(|package| package["name"] == "genkit").unwrap();
    for package in &libraries {
        let name = &package["name"];
        assert!(package["description"].as_str().is_some_and(|it| it.len() > 20), "{name}");
        for field in ["license", "keywords", "categories"] {
            assert_eq!(package[field], facade[field], "{name}: `{field}`");
        }
        assert!(package["readme"].is_string(), "{name} has no readme");
        let docs = &package["metadata"]["docs"]["rs"]["all-features"];
        assert_eq!(docs, true, "{name} is documented without all features");
    }
}

#[test]
fn each_package_states_the_rust_version_that_its_dependencies_need() {
    let metadata = metadata(&["--all-features"]);
    let packages = metadata["packages"].as_array().unwrap();
    let rust_version = |id: &str| {
        let package = packages.iter().find(|package| package["id"] == id).unwrap();
        package["rust_version"].as_str().map(version_of).unwrap_or_default()
    };
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let members = metadata["workspace_members"].as_array().unwrap();
    for member in members.iter().map(|member| member.as_str().unwrap()) {
        let own = rust_version(member);
        assert!(!own.is_empty(), "{member} states no rust-version");
        visit_dependencies(nodes, member, &mut BTreeSet::new(), &mut |id| {
            let needed = rust_version(id);
            assert!(needed <= own, "{member} states Rust {own:?}, and {id} needs {needed:?}");
        });
    }
    assert!(members.len() > 40, "only {} packages were checked", members.len());
}
