//! Tests of bundles and registry entries.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use genkit_publish::{Publication, PublishedVariable, readme_path};
use serde_json::json;

fn publication() -> Publication {
    let token = PublishedVariable {
        name: "NOTES_TOKEN".to_owned(),
        description: "Access token".to_owned(),
        is_secret: true,
        is_required: true,
        default: None,
    };
    Publication {
        name: "notes".to_owned(),
        version: "1.2.3".to_owned(),
        description: "Keeps notes.".to_owned(),
        authors: "Ada Lovelace <ada@example.com>:Grace".to_owned(),
        license: "MIT".to_owned(),
        repository: "https://github.com/ada/notes".to_owned(),
        crate_name: "notes".to_owned(),
        variables: vec![token],
        tools: vec![json!({ "name": "add", "description": "Adds a note.", "inputSchema": {} })],
        prompts: vec![json!({ "name": "poem", "arguments": [{ "name": "topic" }] })],
        ..Publication::default()
    }
}

#[test]
fn manifest_asks_for_the_variables() {
    let manifest = publication().manifest("notes").unwrap();
    assert_eq!(manifest["author"], json!({ "name": "Ada Lovelace", "email": "ada@example.com" }));
    let config = &manifest["server"]["mcp_config"];
    assert_eq!(config["command"], "${__dirname}/server/notes");
    assert_eq!(config["env"]["NOTES_TOKEN"], "${user_config.notes_token}");
    assert_eq!(manifest["user_config"]["notes_token"]["sensitive"], true);
    assert_eq!(manifest["tools"], json!([{ "name": "add", "description": "Adds a note." }]));
    assert_eq!(manifest["prompts"][0]["arguments"], json!(["topic"]));
}

#[test]
fn settings_that_users_can_leave_empty_have_a_default() {
    let setting = |is_required: bool, default: Option<&str>| {
        let default = default.map(str::to_owned);
        let level = PublishedVariable {
            name: "LEVEL".to_owned(),
            is_required,
            default,
            ..PublishedVariable::default()
        };
        let publication = Publication { variables: vec![level], ..publication() };
        publication.manifest("notes").unwrap()["user_config"]["level"]["default"].clone()
    };
    assert_eq!(setting(false, None), "");
    assert_eq!(setting(false, Some("info")), "info");
    // A client does not start the server without a value.
    assert_eq!(setting(true, None), json!(null));
}

#[test]
fn missing_fields_are_named() {
    let error = Publication { authors: String::new(), ..publication() }.manifest("x").unwrap_err();
    assert!(
        error.to_string().starts_with("`authors` is missing; add it to `Cargo.toml`"),
        "{error}"
    );
    let bare = Publication { description: String::new(), ..publication() };
    let error = bare.registry_entry("io.github.ada/notes", &[], None).unwrap_err();
    assert!(error.to_string().starts_with("`description` is missing"), "{error}");
}

#[test]
fn bundle_has_the_manifest_and_the_program() {
    let folder = std::env::temp_dir().join(format!("genkit-publish-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (program, file) = (folder.join("notes"), folder.join("notes.mcpb"));
    fs::write(&program, b"\x7fELF program").unwrap();
    publication().write_bundle(&program, &file).unwrap();
    let mut archive = zip::ZipArchive::new(File::open(&file).unwrap()).unwrap();
    let mut entry = archive.by_name("server/notes").unwrap();
    assert_eq!(entry.unix_mode().unwrap() & 0o777, 0o755);
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"\x7fELF program");

    let entry = publication().registry_entry(
        "io.github.ada/notes",
        std::slice::from_ref(&file),
        Some("ghcr.io/ada/notes:1.2.3"),
    );
    let packages = entry.unwrap()["packages"].clone();
    let kinds: Vec<_> = packages.as_array().unwrap().iter().map(|it| &it["registryType"]).collect();
    assert_eq!(kinds, ["cargo", "mcpb", "oci"]);
    let url = "https://github.com/ada/notes/releases/download/v1.2.3/notes.mcpb";
    assert_eq!(packages[1]["identifier"], url);
    assert_eq!(packages[1]["fileSha256"].as_str().unwrap().len(), 64);
    assert_eq!(packages[0]["environmentVariables"][0]["isSecret"], true);
    fs::remove_dir_all(&folder).unwrap();

    let missing = publication().write_bundle(&program, &file).unwrap_err();
    assert!(missing.to_string().starts_with("cannot read "), "{missing}");
}

/// Reading a device may never end, and opening a pipe blocks until a program writes to it.
#[test]
fn program_and_bundle_are_regular_files() {
    let device = std::path::Path::new("/dev/zero");
    let file = std::env::temp_dir().join(format!("genkit-publish-{}.mcpb", std::process::id()));
    let error = publication().write_bundle(device, &file).unwrap_err();
    assert!(format!("{error:?}").contains("/dev/zero"), "{error:?}");
    let error = publication().registry_entry("io.github.ada/notes", &[device.to_owned()], None);
    assert!(format!("{:?}", error.unwrap_err()).contains("/dev/zero"));
}

#[test]
fn png_icon_is_a_file_of_the_bundle() {
    let folder = std::env::temp_dir().join(format!("genkit-publish-icon-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (program, file) = (folder.join("notes"), folder.join("notes.mcpb"));
    fs::write(&program, b"\x7fELF program").unwrap();
    let url = "https://example.com/icon.svg".to_owned();
    let hosted = Publication { icons: vec![url.clone()], ..publication() };
    assert_eq!(hosted.manifest("notes").unwrap()["icon"], url.as_str());
    let icons = vec![url, "data:image/png;base64,iVBORw==".to_owned()];
    let embedded = Publication { icons, ..publication() };
    assert_eq!(embedded.manifest("notes").unwrap()["icon"], "icon.png");
    embedded.write_bundle(&program, &file).unwrap();
    let mut archive = zip::ZipArchive::new(File::open(&file).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name("icon.png").unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"\x89PNG");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn names_and_versions_of_the_registry_are_checked() {
    for name in ["notes", "io.github.ada/", "a/b", "io.github.ada/my notes", "io.x/a/b"] {
        assert!(publication().registry_entry(name, &[], None).is_err(), "{name}");
    }
    for (version, is_valid) in
        [("1.0.0", true), ("1.0.0-rc.1", true), ("1.0", false), ("^1.0.0", false)]
    {
        let publication = Publication { version: version.to_owned(), ..publication() };
        let entry = publication.registry_entry("io.github.ada/notes", &[], None);
        assert_eq!(entry.is_ok(), is_valid, "{version}");
    }
}

#[test]
fn hints_name_what_is_missing() {
    const LINE: &str = "# Notes\n\nmcp-name: io.github.ada/notes\n";
    const WANTED: &str = "the line `mcp-name: io.github.me/notes` to the readme, as visible text";
    let table: [(&str, Option<&str>, &[&str]); 10] = [
        ("nothing", Some(LINE), &[]),
        ("no readme", None, &["a readme with the line `mcp-name: io.github.me/notes`"]),
        ("no line", Some("# Notes\n"), &[WANTED]),
        ("comment", Some("<!-- mcp-name: io.github.ada/notes -->"), &[WANTED]),
        ("long comment", Some("<!--\n\nmcp-name: io.github.ada/notes\n\n-->\n"), &[WANTED]),
        ("open comment", Some("# Notes <!--\nmcp-name: io.github.ada/notes"), &[WANTED]),
        ("line after a comment", Some("<!-- a --> mcp-name: io.github.ada/notes"), &[]),
        ("line in code", Some("`mcp-name: io.github.ada/notes`"), &[]),
        ("no name", Some("mcp-name: \n"), &[WANTED]),
        ("name without a domain", Some("mcp-name: notes\n"), &[WANTED]),
    ];
    for (case, readme, wanted) in table {
        assert_eq!(publication().missing(readme), wanted, "{case}");
    }

    let bare = Publication { crate_name: "notes".to_owned(), ..Publication::default() };
    let fields = ["description", "authors", "license", "repository"];
    let fields = fields.map(|field| format!("`{field}` to Cargo.toml"));
    assert_eq!(bare.missing(Some(LINE)), fields);
    let long = Publication { description: "a".repeat(101), ..publication() };
    assert_eq!(
        long.missing(Some(LINE)),
        ["a `description` of at most 100 characters to Cargo.toml"]
    );
    let unknown = Publication::default();
    assert_eq!(unknown.missing(None), ["`.package(genkit::package!())` to the server"]);
}

#[test]
fn readme_of_the_program_that_cargo_runs_is_read() {
    let cargo = |name: &str| match name {
        "CARGO_PKG_NAME" => Some("notes".into()),
        "CARGO_MANIFEST_DIR" => Some("examples/notes".into()),
        "CARGO_PKG_README" => Some("../README.md".into()),
        _ => None,
    };
    let path = |it: &str| Path::new(it).to_owned();
    assert_eq!(readme_path("notes", cargo), path("examples/notes/../README.md"));
    // A package without a readme has an empty name.
    let without = |name: &str| cargo(name).filter(|_| name != "CARGO_PKG_README");
    assert_eq!(readme_path("notes", without), path("examples/notes/README.md"));
    // `cargo test` of another package runs the program.
    assert_eq!(readme_path("other", cargo), path("README.md"));
    assert_eq!(readme_path("notes", |_| None), path("README.md"));
}
