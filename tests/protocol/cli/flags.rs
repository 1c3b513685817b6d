//! Each flag of a program that serves.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{notes, run};
use crate::{packages, server};

#[test]
fn help_and_version_name_what_there_is() {
    let help = notes(&["--help"]);
    assert_eq!(help.code, Some(0), "{}", help.story());
    for said in [
        "Notes: an MCP server",
        "[DATABASE]",
        "--http <ADDRESS>",
        "--call <NAME> [JSON]",
        "claude-desktop",
    ] {
        assert!(help.stdout.contains(said), "{said}: {}", help.story());
    }
    let version = notes(&["--version"]);
    assert_eq!(version.stdout, format!("notes {}\n", env!("CARGO_PKG_VERSION")));
    // An error is printed with the usage, and nothing is served.
    for (arguments, said) in [
        (&["--lst"][..], "--list"),
        (&["--list", "--check"], "cannot be used with"),
        (&["--dry-run"], "--install <CLIENT>"),
        (&["--json"], "<--list|--call <NAME> [JSON]>"),
        (&["--json", "--check"], "<--list|--call <NAME> [JSON]>"),
        (&["--install", "emacs"], "claude-code"),
    ] {
        let ran = notes(arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.story());
        assert!(ran.stderr.contains(said), "{said}: {}", ran.story());
    }
}

#[test]
fn list_and_check_print_the_items_of_the_server() {
    let database = server::database("cli-list");
    let listed = notes(&[&database, "--list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.story());
    for line in
        ["Tools", "  add_note(text, topic?)  ", "Prompts", "Resource templates", "  note://{id}  "]
    {
        assert!(listed.stdout.contains(line), "{line}: {}", listed.story());
    }
    let listed = notes(&["--list", "--json", &database]);
    let all: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert!(all["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "add_note"));
    assert!(all["tools"][0]["inputSchema"].is_object(), "{all}");
    let checked = notes(&[&database, "--check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.story());
    assert!(checked.stdout.starts_with("All checks passed: 4 tools, "), "{}", checked.story());
    // The readme of the current folder counts, or of the package if Cargo runs the program: it sets the variables.
    let folder = packages::scratch("cli-check-readme");
    fs::create_dir(folder.join("empty")).unwrap();
    fs::write(folder.join("README.md"), "<!-- -->\nmcp-name: io.github.me/notes\n").unwrap();
    let check = |package: &str| {
        let mut command = Command::new(server::example("notes"));
        command.args([&database, "--check"]).current_dir(folder.join("empty"));
        command.env("CARGO_PKG_NAME", package).env("CARGO_MANIFEST_DIR", &folder);
        let checked = run(command.env_remove("CARGO_PKG_README"));
        assert_eq!(checked.code, Some(0), "{}", checked.story());
        checked.stdout
    };
    let lacks =
        "To publish the server, add: a readme with the line `mcp-name: io.github.me/notes`.\n";
    let other = check("other");
    assert!(other.contains(lacks), "{other}");
    let own = check("notes");
    assert!(!own.contains("To publish"), "{own}");
    // The program itself validates its own argument.
    let checked = notes(&["/no/such/folder/notes.db", "--check"]);
    assert_eq!(checked.code, Some(1), "{}", checked.story());
    assert!(checked.stderr.contains("cannot open /no/such/folder/notes.db"), "{}", checked.story());
}

#[test]
fn tool_is_called() {
    let database = server::database("cli-call");
    let call = |tool: &str, arguments: &str| notes(&["--call", tool, arguments, &database]);
    let added = call("add_note", r#"{"text": "buy milk"}"#);
    assert_eq!(added.code, Some(0), "{}", added.story());
    let found = call("search_notes", r#"{"query": "milk"}"#);
    assert_eq!(found.stdout, "1: buy milk\n", "{}", found.story());
    let found = notes(&["--json", "--call", "search_notes", r#"{"query": "milk"}"#, &database]);
    let result: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(result["content"][0]["text"], "1: buy milk");
    for (tool, arguments, said) in [
        ("add_note", r#"{"text": " "}"#, "a note needs text"),
        ("add_note", "{}", "`text`"),
        ("ad_note", "{}", "Did you mean `add_note`?"),
        ("add_note", "[]", "not a JSON object"),
        ("add_note", "{", "not a JSON object"),
    ] {
        let ran = call(tool, arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.story());
        assert!(ran.stderr.contains(said), "{said}: {}", ran.story());
        assert_eq!(ran.stdout, "", "{}", ran.story());
    }
}

/// Servers behind a proxy are included, and end with it.
#[test]
fn proxy_lists_what_is_behind_it() {
    let scratch = packages::scratch("cli-proxy");
    let config = scratch.join("mcp.json");
    let notes = serde_json::json!({
        "command": server::example("notes"), "args": [scratch.join("notes.db")],
    });
    fs::write(&config, serde_json::json!({"mcpServers": {"notes": notes}}).to_string()).unwrap();
    let listed = run(Command::new(server::example("proxy")).arg(&config).arg("--list"));
    assert_eq!(listed.code, Some(0), "{}", listed.story());
    assert!(listed.stdout.contains("  notes__add_note(text, topic?)"), "{}", listed.story());
    // Tools that cannot be used are reported, and the others are usable.
    let fault = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/servers/fault.py");
    let odd = serde_json::json!({"command": "python3", "args": [fault, "odd", "-", "cli"]});
    fs::write(&config, serde_json::json!({"mcpServers": {"odd": odd}}).to_string()).unwrap();
    let checked = run(Command::new(server::example("proxy")).arg(&config).arg("--check"));
    assert_eq!(checked.code, Some(0), "{}", checked.story());
    for wanted in [
        "(`bad_schema`): `inputSchema` is not an object",
        "report the notice to the author of the server",
    ] {
        assert!(checked.stderr.contains(wanted), "`{wanted}`: {}", checked.story());
    }
    let omitted = "odd: omitted tool 9 (`bad_schema`): `inputSchema` is not an object";
    assert!(checked.stdout.contains(omitted), "{}", checked.story());
    let missing = run(&mut Command::new(server::example("proxy")));
    assert_eq!(missing.code, Some(2), "{}", missing.story());
}

/// The inspector is started for this program, in the version that the tests use.
#[cfg(unix)]
#[test]
fn inspector_is_started() {
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = packages::scratch("cli-inspect");
    let npx = scratch.join("npx");
    fs::write(&npx, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit $CODE\n").unwrap();
    fs::set_permissions(&npx, fs::Permissions::from_mode(0o755)).unwrap();
    let inspect = |code: &str| {
        let mut command = Command::new(server::example("notes"));
        command.args(["my notes.db", "--inspect"]).current_dir(&scratch);
        run(command.env("PATH", &scratch).env("CODE", code))
    };
    let ran = inspect("0");
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let folder = fs::canonicalize(&scratch).unwrap();
    let database = folder.join("my notes.db");
    let expected = [
        "--yes",
        "@modelcontextprotocol/inspector@2.12.0",
        "--web",
        "--transport",
        "stdio",
        "--cwd",
        folder.to_str().unwrap(),
        "--",
        server::example("notes").to_str().unwrap(),
        "--",
        database.to_str().unwrap(),
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    assert!(packages::NPM.contains(&expected[1]), "our tests know another version");
    let ran = inspect("7");
    assert_eq!(ran.code, Some(1), "{}", ran.story());
    assert!(ran.stderr.contains("exited with code 7"), "{}", ran.story());
    fs::remove_file(&npx).unwrap();
    let ran = inspect("0");
    assert!(ran.stderr.contains("`npx` cannot be started"), "{}", ran.story());
}

#[test]
fn every_example_answers_help_on_standard_output_and_ends() {
    let examples = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples")).unwrap();
    let mut tried = 0;
    for folder in examples.map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        if !folder.join("src/main.rs").exists() || name.starts_with("conformance") {
            continue; // no program, or one for a test suite only
        }
        let ran = run(Command::new(server::example(name)).arg("--help"));
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.story());
        assert!(ran.stdout.to_lowercase().contains("usage:"), "{name}: {}", ran.story());
        assert!(ran.stderr.is_empty(), "{name}: {}", ran.story());
        tried += 1;
    }
    assert!(tried >= 12, "only {tried} examples were tried");
}

#[test]
fn yes_approves_a_called_tool_and_errors_are_short() {
    let database = server::database("cli-yes");
    let call = |arguments: &[&str]| notes(&[&[database.as_str()], arguments].concat());
    let added = call(&["--call", "add_note", r#"{"text": "milk", "topic": "shop"}"#]);
    assert_eq!(added.code, Some(0), "{}", added.story());
    let refused = call(&["--call", "delete_note", r#"{"id": 1}"#]);
    assert_eq!(refused.code, Some(1), "{}", refused.story());
    assert!(refused.stderr.contains("--yes"), "{}", refused.story());
    let deleted = call(&["--call", "delete_note", r#"{"id": 1}"#, "--yes"]);
    assert_eq!(deleted.code, Some(0), "{}", deleted.story());
    let wrong = call(&["--call", "delete_note", r#"{"id": "x"}"#]);
    assert!(wrong.stderr.contains("InvalidArgument"), "{}", wrong.story());
    assert!(!wrong.stderr.contains("\"properties\""), "{}", wrong.story());
}
