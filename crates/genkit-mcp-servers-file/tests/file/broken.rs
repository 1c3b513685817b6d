//! Tests of the errors of files and of single servers.

use std::io;

use genkit_mcp_servers_file::read;

use super::*;

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = parse(text, "mcp.json", variables).expect_err(text);
    assert_eq!(error.to_string(), format!("mcp.json{expected}"));
}

#[test]
fn invalid_json_error_has_a_position() {
    refused(
        "{\"mcpServers\": {\n  \"fs\": {\"command\" \"x\"}}}",
        ": line 2, column 20: Expected colon after the string or word in object property",
    );
    refused("", ": line 1, column 1: expected a value");
    refused(
        "{\n/* one\n two */ \"mcpServers\": {\"a\": }}",
        ": line 3, column 29: Unexpected close brace",
    );
    refused(
        "{\"mcpServers\": {\"a\": {}} /* no end",
        ": line 1, column 26: Unterminated comment block",
    );
}

#[test]
fn duplicate_name_is_ignored_with_a_notice() {
    for (text, command, notice) in [
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}, \"b\": {\"command\": \"z\"}}}",
            "y",
            "mcp.json: line 2, column 1: duplicate key `a`; the last value is used",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}, "b": {"command": "z"}}}"#,
            "x",
            "servers.a in mcp.json: not used, because another server has this name",
        ),
    ] {
        let file = parse(text, "mcp.json", |_| None).expect("usable");
        let commands = file.servers.iter().map(|server| match &server.transport {
            Ok(ServerTransport::Stdio { command, .. }) => command.as_str(),
            other => panic!("{other:?}"),
        });
        assert_eq!(commands.collect::<Vec<_>>(), [command, "z"]);
        assert_eq!(file.notices, [notice]);
    }
}

#[test]
fn values_of_other_types_are_read_with_a_notice_or_ignored() {
    let text = r#"{"mcpServers": {
        "a": {"command": "x", "args": ["--port", 5, true], "timeout": "1m"},
        "b": {"command": "x", "disabled": {}}, "c": {"command": "x", "enabled": []},
        "d": {"command": "x"}, "e": {"command": "x"}},
        "disabledMcpServers": {"d": true, "e": false}}"#;
    let file = parse(text, "mcp.json", |_| None).expect("usable");
    let Ok(ServerTransport::Stdio { args, .. }) = &file.servers[0].transport else { panic!() };
    assert_eq!(args, &["--port", "5", "true"]);
    assert_eq!(file.servers[0].options.timeout, None);
    let disabled = file.servers.iter().map(|server| server.options.disabled);
    assert_eq!(disabled.collect::<Vec<_>>(), [false, true, true, true, false]);
    assert_eq!(
        file.notices[0],
        "mcpServers.a.timeout in mcp.json: expected a number, found a string; the default is used"
    );
}

#[test]
fn missing_servers_error_names_the_expected_key() {
    let stand = "no servers found; expected `mcpServers`, or `servers` as in VS Code";
    refused("{}", &format!(": {stand}"));
    refused(r#"{"mcp_servers": {}}"#, &format!(": {stand}, instead of `mcp_servers`"));
    refused(r#"{"mcpServer": {}}"#, &format!(": {stand}, instead of `mcpServer`"));
    refused("[]", ": expected an object with `mcpServers`, found an array");
    let error = parse(r#"{"mcpServers": 5}"#, "f", variables).unwrap_err();
    assert!(error.to_string().starts_with("mcpServers in f: expected an object"), "{error}");
    assert!(file(r#"{"mcpServers": {}}"#).servers.is_empty());
}

#[test]
fn wrong_types_break_their_server_only() {
    for (entry, expected) in [
        (r#""command": 5"#, ".command in mcp.json: expected a string, found a number"),
        (
            r#""command": "x", "args": 5"#,
            ".args in mcp.json: expected an array of strings, found a number",
        ),
        (
            r#""command": "x", "args": ["y", [1]]"#,
            ".args[1] in mcp.json: expected a string, found an array",
        ),
        (
            r#""command": "x", "env": ["A=b"]"#,
            ".env in mcp.json: expected an object of strings, found an array",
        ),
        (
            r#""command": "x", "env": {"PORT": [80]}"#,
            ".env.PORT in mcp.json: expected a string, found an array",
        ),
        (
            r#""command": "x", "disabledTools": {}"#,
            ".disabledTools in mcp.json: expected an array of strings, found an object",
        ),
        (
            r#""url": "u", "headers": {"A": [1]}"#,
            ".headers.A in mcp.json: expected a string, found an array",
        ),
        ("", " in mcp.json: `command` (a program) or `url` (a server on the network) is missing"),
        (
            r#""command": "x", "url": "y""#,
            " in mcp.json: `command` and `url` are both set; keep only one",
        ),
        (r#""type": "stdio", "url": "y""#, " in mcp.json: `command` is missing"),
        (r#""type": "http", "command": "y""#, " in mcp.json: `url` is missing"),
        (r#""type": "ws", "url": "y""#, r#".type in mcp.json: expected "stdio" or "http""#),
    ] {
        assert_eq!(fault(entry), format!("mcpServers.fs{expected}"));
    }
    assert!(fault(r#""type": "sse", "url": "https://e.com/sse""#).contains("streamable HTTP"));
    let found = file(r#"{"mcpServers": {"bad": 5, "good": {"command": "x"}}}"#).servers;
    let error = found[0].transport.as_ref().unwrap_err().to_string();
    assert!(error.starts_with("mcpServers.bad in mcp.json: expected an object"), "{error}");
    assert!(matches!(found[1].transport, Ok(ServerTransport::Stdio { .. })));
}

#[test]
fn disabled_broken_server_stays_disabled() {
    let found = entry(r#""disabled": true, "command": "${NO_SUCH}""#);
    assert!(found.transport.is_err() && found.options.disabled);
}

#[test]
fn variable_that_is_not_set_is_named() {
    let error = fault(r#""command": "x", "env": {"KEY": "${TOKEN}-${NO_SUCH}"}"#);
    assert_eq!(
        error,
        "mcpServers.fs.env.KEY in mcp.json: the variable `NO_SUCH` is not set; set it, or write \
         `${NO_SUCH:-default}`"
    );
    assert!(
        fault(r#""command": "x", "args": ["${input:key}"]"#)
            .contains("only be resolved by VS Code")
    );
}

/// Errors and notices do not contain the values of variables and headers.
#[test]
fn secrets_are_not_shown() {
    let text = r#"{"mcpServers": {
        "a": {"command": "x", "env": {"K": "hunter2-a", "B": "hunter2-b${NONE}"}, "args": ["hunter2-c", 5]},
        "b": {"url": "https://e.com/?k=hunter2-d", "headers": {"A": "hunter2-e", "B": ["hunter2-f"]}, "hunter": "hunter2-g"},
        "c": "hunter2-h", "d": {"type": "hunter2-i"}, "e": {"command": "x", "timeout": "hunter2-j"}
    }}"#;
    let found = file(text);
    assert_eq!(found.servers.len(), 5);
    let shown = format!("{found:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn unreadable_file_error_states_the_reason() {
    let missing = read("/no/such/mcp.json".as_ref()).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(std::error::Error::source(&missing).is_some_and(|source| source.is::<io::Error>()));
    assert!(
        missing.to_string().contains("/no/such/mcp.json")
            && missing.to_string().contains(".cursor/mcp.json")
    );
    let folder =
        std::env::temp_dir().join(format!("genkit-mcp-servers-file-{}", std::process::id()));
    std::fs::create_dir_all(folder.join(".vscode")).unwrap();
    let path = folder.join(".vscode/mcp.json");
    std::fs::write(&path, " ".repeat((32 << 20) + 1)).unwrap();
    let large = read(&path).unwrap_err();
    assert_eq!(large.kind(), io::ErrorKind::InvalidData);
    assert!(large.to_string().contains("larger than 33554432 bytes"), "{large}");
    std::fs::write(&path, b"\xFF").unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("neither UTF-8 nor UTF-16"));
    // Paths in a file are relative to its project folder.
    std::fs::write(folder.join("my.env"), "A=1\nB='two'\n").unwrap();
    let text = r#"{"servers": {"a": {"command": "${workspaceFolder}/run", "cwd": "sub", "envFile": "my.env",
        "env": {"B": "mine"}}, "b": {"command": "x", "envFile": "${workspaceFolder}/none"},
        "c": {"command": "x"}}}"#;
    std::fs::write(&path, text).unwrap();
    let [a, b, c] = <[ServerEntry; 3]>::try_from(read(&path).unwrap().servers).unwrap();
    let a = program(a);
    assert_eq!(a.command, format!("{}/run", folder.display()));
    assert_eq!(a.cwd, Some(folder.join("sub")));
    let env = [("A", "1"), ("B", "mine")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(a.env, BTreeMap::from(env));
    let error = b.transport.unwrap_err();
    assert!(error.to_string().starts_with("servers.b.envFile in "), "{error}");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    // A server without a `cwd` runs in the folder of the project.
    assert_eq!(program(c).cwd.as_ref(), Some(&folder));
    let beside = folder.join("mcp.json");
    std::fs::write(&beside, r#"{"mcpServers": {"c": {"command": "x"}}}"#).unwrap();
    let c = read(&beside).unwrap().servers.remove(0);
    assert_eq!(program(c).cwd, None);
    std::fs::remove_dir_all(folder).unwrap();
}
