//! `--bundle` and `--server-json`: the official tool accepts the bundle, and the program in it works.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{PATIENCE, notes, run};
use crate::pipe::Pipe;
use crate::{packages, program, server};

/// Runs the official tool for bundles.
fn mcpb(arguments: &[&str], folder: &Path) {
    let mut node = packages::tool(Path::new("node"));
    node.arg(packages::mcpb()).args(arguments).current_dir(folder);
    let ran = program::run(&mut node, PATIENCE).expect("node starts");
    assert_eq!(ran.code, Some(0), "{}", ran.story());
}

/// Returns the configuration with which a client starts an unpacked bundle, as the official tool computes it from these
/// settings of the user.
fn client_config(unpacked: &Path, settings: &Value) -> Value {
    const SCRIPT: &str = r#"
        import { readFileSync } from "node:fs";
        import { pathToFileURL } from "node:url";
        const [config, extensionPath, settings] = process.argv.slice(1);
        const { getMcpConfigForManifest } = await import(pathToFileURL(config));
        const manifest = JSON.parse(readFileSync(`${extensionPath}/manifest.json`, "utf8"));
        const userConfig = JSON.parse(settings);
        const options = { manifest, extensionPath, systemDirs: {}, userConfig, pathSeparator: "/" };
        console.log(JSON.stringify(await getMcpConfigForManifest(options)));
    "#;
    let cli = packages::mcpb();
    let config = cli.parent().and_then(Path::parent).expect("a folder").join("shared/config.js");
    let mut node = packages::tool(Path::new("node"));
    node.args(["--input-type=module", "-e", SCRIPT]).arg(config).arg(unpacked);
    let ran = program::run(node.arg(settings.to_string()), PATIENCE).expect("node starts");
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn official_tool_unpacks_a_bundle_that_works() {
    let folder = packages::scratch("publish-bundle");
    let file = folder.join("notes.mcpb");
    let ran = notes(&["--bundle", file.to_str().expect("a path")]);
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    mcpb(&["unpack", "notes.mcpb", "unpacked"], &folder);
    mcpb(&["validate", "unpacked/manifest.json"], &folder);

    let unpacked = folder.join("unpacked");
    let manifest = std::fs::read(unpacked.join("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["user_config"]["notes_token"]["sensitive"], true, "{manifest}");
    assert!(manifest["tools"].as_array().is_some_and(|tools| tools.len() > 2), "{manifest}");

    let set = client_config(&unpacked, &json!({ "notes_token": "t0p" }));
    assert_eq!(set["env"], json!({ "NOTES_TOKEN": "t0p" }));
    // The user leaves the optional setting empty.
    let config = client_config(&unpacked, &json!({}));
    assert_eq!(config["env"], json!({ "NOTES_TOKEN": "" }));
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let arguments = config["args"].as_array().expect("a list").iter().map(text);
    let mut command = Command::new(text(&config["command"]));
    command.args(arguments).env("NOTES_TOKEN", text(&config["env"]["NOTES_TOKEN"]));
    let mut pipe = Pipe::spawn(command.current_dir(&folder));
    pipe.hello();
    let added = pipe.call("add_note", &json!({ "text": "buy milk" }));
    assert_eq!(added["structuredContent"]["text"], "buy milk", "{added}");
    pipe.hang_up();
}

#[test]
fn registry_entry_names_all_packages() {
    let folder = packages::scratch("publish-entry");
    for file in ["notes-linux.mcpb", "notes-macos.mcpb"] {
        std::fs::write(folder.join(file), file).expect("a file");
    }
    let mut command = Command::new(server::example("notes"));
    command.current_dir(&folder).args(["--server-json", "io.github.example/notes"]);
    command.args(["--mcpb", "notes-linux.mcpb", "--mcpb", "notes-macos.mcpb"]);
    let ran = run(command.args(["--oci", "ghcr.io/example/notes:1.0.0"]));
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let entry: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let errors: Vec<_> = jsonschema::validator_for(&entry_schema())
        .expect("a schema")
        .iter_errors(&entry)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?} in {entry:#}");
    let kinds = entry["packages"].as_array().expect("a list").iter();
    let kinds: Vec<_> = kinds.map(|package| &package["registryType"]).collect();
    assert_eq!(kinds, ["cargo", "mcpb", "mcpb", "oci"]);
    assert_eq!(entry["packages"][0]["environmentVariables"][0]["isSecret"], true);

    let ran = notes(&["--server-json", "notes"]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.stderr.contains("`notes` is not a valid registry name"), "{}", ran.story());
}

/// Returns the rules of the registry's documentation for an entry (2025-12-11).
fn entry_schema() -> Value {
    let variable = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string" },
            "description": { "type": "string" },
            "format": { "enum": ["string", "number", "boolean", "filepath"] },
            "isRequired": { "type": "boolean" },
            "isSecret": { "type": "boolean" },
            "default": { "type": "string" },
        },
        "additionalProperties": false,
    });
    let package = json!({
        "type": "object",
        "required": ["registryType", "identifier", "transport"],
        "properties": {
            "registryType": { "enum": ["npm", "pypi", "oci", "nuget", "mcpb", "cargo"] },
            "identifier": { "type": "string", "minLength": 1 },
            "version": { "type": "string", "not": { "const": "latest" } },
            "fileSha256": { "type": "string", "pattern": "^[a-f0-9]{64}$" },
            "transport": { "type": "object", "required": ["type"] },
            "environmentVariables": { "type": "array", "items": variable },
        },
        "if": { "properties": { "registryType": { "const": "mcpb" } } },
        "then": { "required": ["fileSha256"], "properties": { "identifier": { "pattern": "^https://" } } },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "required": ["$schema", "name", "description", "version", "packages"],
        "properties": {
            "$schema": { "pattern": "/2025-12-11/server.schema.json$" },
            "name": { "type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
            "title": { "type": "string", "minLength": 1, "maxLength": 100 },
            "description": { "type": "string", "minLength": 1, "maxLength": 100 },
            "version": { "type": "string", "maxLength": 255 },
            "websiteUrl": { "type": "string", "format": "uri" },
            "repository": { "type": "object", "required": ["url", "source"] },
            "packages": { "type": "array", "items": package },
        },
        "additionalProperties": false,
    })
}
