//! Tests of adding a server to files of all shapes. Everything else in the file is preserved byte for byte.

use genkit_mcp_servers_file::{ClientApp, EditPlan, NewServer, add_server, parse};
use serde_json::{Value, json};

fn notes() -> NewServer {
    NewServer::new("notes", "/opt/notes").arg("/home/me/notes.db")
}

#[track_caller]
fn added(text: &str, app: ClientApp) -> String {
    let edited = add_server(text.as_bytes(), "mcp.json", app, &notes());
    let edited = edited.unwrap_or_else(|error| panic!("{error}: {text}"));
    String::from_utf8(edited).expect("the edited file is valid UTF-8")
}

#[track_caller]
fn refused(bytes: &[u8], app: ClientApp) -> String {
    add_server(bytes, "mcp.json", app, &notes()).expect_err("refused").to_string()
}

/// Compares each complete file after the edit.
#[test]
fn server_is_written_as_the_file_is_laid_out() {
    let desktop = ClientApp::ClaudeDesktop;
    let new = "{\n  \"mcpServers\": {\n    \"notes\": {\n      \"command\": \"/opt/notes\",\n      \
               \"args\": [\n        \"/home/me/notes.db\"\n      ]\n    }\n  }\n}\n";
    for empty in ["", "  \n"] {
        assert_eq!(added(empty, desktop), new);
    }
    assert_eq!(added("{}", desktop), new.trim_end());
    assert_eq!(added("// later\n", desktop), format!("// later\n{new}"));
    // Four spaces, a comment after the last value, and no trailing comma.
    let four = "{\n    \"mcpServers\": {\n        \"fs\": { \"command\": \"fs\" } // mine, {\n        \
                // the end\n    },\n    \"theme\": \"dark\"\n}\n";
    let expected = "{\n    \"mcpServers\": {\n        \"fs\": { \"command\": \"fs\" }, // mine, {\n        \
                    // the end\n        \"notes\": {\n            \"command\": \"/opt/notes\",\n            \
                    \"args\": [\n                \"/home/me/notes.db\"\n            ]\n        }\n    },\n    \
                    \"theme\": \"dark\"\n}\n";
    assert_eq!(added(four, desktop), expected);
    // Tabs, CRLF and trailing commas, as in files of VS Code.
    let tabs = "{\r\n\t\"inputs\": [],\r\n\t\"servers\": {\r\n\t\t\"fs\": {\"command\": \"fs\",},\r\n\t},\r\n}";
    let expected = "{\r\n\t\"inputs\": [],\r\n\t\"servers\": {\r\n\t\t\"fs\": {\"command\": \"fs\",},\r\n\t\t\
                    \"notes\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"/opt/notes\",\r\n\t\t\t\
                    \"args\": [\r\n\t\t\t\t\"/home/me/notes.db\"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}";
    assert_eq!(added(tabs, ClientApp::VsCode), expected);
    // Everything on one line.
    let line = r#"{"numStartups":3,"mcpServers":{"fs":{"command":"fs"}/* x */}}"#;
    let entry = r#""notes": {"type":"stdio","command":"/opt/notes","args":["/home/me/notes.db"]}"#;
    let expected =
        format!(r#"{{"numStartups":3,"mcpServers":{{"fs":{{"command":"fs"}},/* x */ {entry}}}}}"#);
    assert_eq!(added(line, ClientApp::ClaudeCode), expected);
    // An object that contains only a comment.
    let comment = "{\n  \"mcpServers\": { // none\n  }\n}";
    assert!(
        added(comment, desktop).starts_with("{\n  \"mcpServers\": { // none\n    \"notes\": {\n")
    );
    assert!(added("{\"mcpServers\": {/* none */}}", desktop).contains("{/* none */\n"));
}

/// Encodes a text.
type Encode<'a> = &'a dyn Fn(&str) -> Vec<u8>;

#[test]
fn encoding_is_preserved() {
    let text = "{\n  \"mcpServers\": {\"ü🦀\": {\"command\": \"x\"}}\n}\n";
    let edited = added(text, ClientApp::Cursor);
    assert!(edited.contains("ü🦀"));
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let le = |text: &str| -> Vec<u8> {
        "\u{feff}"
            .chars()
            .chain(text.chars())
            .collect::<String>()
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let be = |text: &str| -> Vec<u8> {
        "\u{feff}"
            .chars()
            .chain(text.chars())
            .collect::<String>()
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect()
    };
    let encoded: [Encode<'_>; 3] = [&marked, &le, &be];
    for encode in encoded {
        let written = add_server(&encode(text), "mcp.json", ClientApp::Cursor, &notes()).unwrap();
        assert_eq!(written, encode(&edited));
    }
}

#[test]
fn unsupported_file_is_not_edited() {
    for (bytes, said) in [
        (&b"{\"mcpServers\": {}"[..], "mcp.json: line 1, column"),
        (b"{\"mcpServers\": {} \"a\": 1}", "line 1, column 18"),
        (b"[]", "its content is not an object"),
        (b"{\"mcpServers\": null}", "`mcpServers` is not an object"),
        (b"{\"mcpServers\": {}, \"mcpServers\": {}}", "duplicate key"),
        (b"{\"a\": \"\xe9\"}", "neither UTF-8 nor UTF-16"),
        (b"\xff\xfe{", "neither UTF-8 nor UTF-16"),
        (b"\xff\xfe\x00\xd8", "neither UTF-8 nor UTF-16"),
        (
            b"{\"mcpServers\": {\"notes\": {\"command\": \"/usr/bin/other\"}}}",
            "starts a different program",
        ),
        (b"{\"mcpServers\": {\"notes\": {\"url\": \"http://x\"}}}", "starts a different program"),
        (b"{\"mcpServers\": {\"notes\": 7}}", "starts a different program"),
        (b"{\"mcpServers\": {\"notes\": {\"command\": \"notes\", \"env\": []}}}", ""),
    ] {
        if said.is_empty() {
            let server = notes().env("TOKEN", "t0p");
            let error =
                add_server(bytes, "mcp.json", ClientApp::Cursor, &server).unwrap_err().to_string();
            assert!(error.contains("`mcpServers.notes.env` is not an object"), "{error}");
            assert!(!error.contains("t0p"), "{error}");
            continue;
        }
        let error = refused(bytes, ClientApp::Cursor);
        assert!(error.contains(said), "{said}: {error}");
    }
    let deep = "[".repeat(100_000);
    refused(deep.as_bytes(), ClientApp::Cursor);
}

/// If the program was moved, the user's additions to its entry are kept.
#[test]
fn entry_is_updated() {
    let text = r#"{
  "mcpServers": {
    "notes": {
      "command": "/old/notes.exe", // built last week
      "args": ["--old"],
      "disabled": true,
      "env": { "TOKEN": "old", "THEIRS": "1" } /* keep */
    }
  }
}
"#;
    let server = notes().env("TOKEN", "new").env("MORE", "2");
    let edited = add_server(text.as_bytes(), "f", ClientApp::ClaudeDesktop, &server).unwrap();
    let edited = String::from_utf8(edited).unwrap();
    let expected = r#"{
  "mcpServers": {
    "notes": {
      "command": "/opt/notes", // built last week
      "args": [
        "/home/me/notes.db"
      ],
      "disabled": true,
      "env": { "TOKEN": "new", "THEIRS": "1", "MORE": "2" } /* keep */
    }
  }
}
"#;
    assert_eq!(edited, expected);
    // The file is then up to date.
    let again = add_server(edited.as_bytes(), "f", ClientApp::ClaudeDesktop, &server).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), edited);
}

proptest::proptest! {
    /// Everything in a file is still there after the edit, in the same order, with the server added.
    #[test]
    fn nothing_is_lost(
        before in proptest::collection::vec("[a-z/*{},\"]{0,6}", 0..3),
        servers in proptest::collection::btree_map("[a-m]{1,4}", "[ -~]{0,8}", 0..4),
        pretty: bool, comma: bool, comment in "( |\n|\t|// [a-z,}\"]{0,8}\n|/\\*[a-z\"{]{0,8}\\*/){0,3}",
    ) {
        let entries: serde_json::Map<String, Value> =
            servers.into_iter().map(|(key, command)| (key, json!({ "command": command }))).collect();
        let mut file = serde_json::Map::new();
        for key in before {
            file.insert(format!("x{key}"), json!([key, 1]));
        }
        file.insert("mcpServers".to_owned(), Value::Object(entries.clone()));
        let file = Value::Object(file);
        let text = if pretty { serde_json::to_string_pretty(&file).unwrap() } else { file.to_string() };
        // The last two braces are those of the servers and of the file.
        let end = text.rfind('}').unwrap();
        let end = text[..end].rfind('}').unwrap();
        let comma = if comma && !entries.is_empty() { "," } else { "" };
        let text = format!("{comment}{}{comment}{comma}{comment}{}{comment}", &text[..end], &text[end..]);

        let edited = added(&text, ClientApp::Cursor);
        let read = parse(&edited, "f", |name| Some(format!("${{{name}}}"))).unwrap();
        let keys: Vec<&str> = read.servers.iter().map(|server| server.key.as_str()).collect();
        let expected: Vec<&str> = entries.keys().map(String::as_str).chain(["notes"]).collect();
        proptest::prop_assert_eq!(keys, expected);
        // Everything except blanks is still there, in the same order.
        let mut rest = edited.as_str();
        for character in text.chars().filter(|character| !character.is_whitespace()) {
            let at = rest.find(character);
            proptest::prop_assert!(at.is_some(), "{:?} is lost:\n{}\n{}", character, text, edited);
            rest = &rest[at.unwrap() + character.len_utf8()..];
        }
    }
}

/// A path below a file cannot be read. The error is a read error, because nothing is written yet.
#[cfg(unix)]
#[test]
fn unreadable_file_is_reported_as_unreadable() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/mcp.json"));
    let error = EditPlan::new(path, ClientApp::Cursor, &notes()).expect_err("not readable");
    let text = error.to_string();
    assert!(text.starts_with(&format!("cannot read {}: ", path.display())), "{text}");
}
