//! Tests with the files that the documentation of each program shows.

use super::*;

#[test]
fn programs_are_read_from_the_files_of_all() {
    for (client, text, key, command, args, env) in [
        (
            "Claude Desktop",
            r#"{"globalShortcut": "", "mcpServers": {"filesystem": {"command": "npx", "args": ["-y",
                "@modelcontextprotocol/server-filesystem", "/Users/username/Desktop"]}}}"#,
            "filesystem",
            "npx",
            &["-y", "@modelcontextprotocol/server-filesystem", "/Users/username/Desktop"][..],
            &[][..],
        ),
        (
            "Claude Code",
            r#"{"mcpServers": {"db": {"type": "stdio", "command": "${HOME}/bin/db",
                "args": ["--dsn", "${DSN:-sqlite:}"], "env": {"KEY": "${TOKEN}"}, "timeout": 600000}}}"#,
            "db",
            "/home/me/bin/db",
            &["--dsn", "sqlite:"],
            &[("KEY", "t0p-secret")],
        ),
        (
            "Cursor",
            r#"{"mcpServers": {"server-name": {"type": "stdio", "command": "python",
                "args": ["${workspaceFolder}/mcp-server.py"], "env": {"API_KEY": "${env:TOKEN}"}}}}"#,
            "server-name",
            "python",
            &["/srv/mcp-server.py"],
            &[("API_KEY", "t0p-secret")],
        ),
        (
            "VS Code",
            "{\n  // A comment\n  \"inputs\": [],\n  \"servers\": {\"playwright\": {\"command\": \"npx\",\n\
             \"args\": [\"-y\", \"@playwright/mcp@latest\",], /* \" */ \"dev\": {\"watch\": \"**\"},},},\n}",
            "playwright",
            "npx",
            &["-y", "@playwright/mcp@latest"],
            &[],
        ),
        (
            "settings of VS Code",
            r#"{"editor.tabSize": 4, "mcp": {"servers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}}"#,
            "time",
            "uvx",
            &["mcp-server-time"],
            &[],
        ),
        (
            "Cline",
            r#"{"mcpServers": {"local-server": {"command": "node", "args": ["/path/to/server.js"],
                "env": {"API_KEY": "your_api_key"}, "alwaysAllow": ["tool1"], "disabled": false, "timeout": 60}}}"#,
            "local-server",
            "node",
            &["/path/to/server.js"],
            &[("API_KEY", "your_api_key")],
        ),
        (
            "Copilot",
            r#"{"mcpServers": {"w": {"type": "local", "command": "w", "args": [], "tools": ["*"]}}}"#,
            "w",
            "w",
            &[],
            &[],
        ),
    ] {
        let found = server(text);
        assert_eq!(found.key, key, "{client}");
        let options = &found.options;
        assert!(!options.disabled && options.except.is_empty(), "{client}");
        assert!(options.only.is_empty() || options.only == ["*"], "{client}");
        let found = program(found);
        assert_eq!(found.command, command, "{client}");
        assert_eq!(found.args, args, "{client}");
        let found: Vec<_> = found.env.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, env, "{client}");
    }
}

#[test]
fn servers_over_http_are_read_from_the_files_of_all() {
    for (text, expected) in [
        (
            r#"{"mcpServers": {"a": {"type": "http", "url": "https://e.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#,
            &[("Authorization", "Bearer t0p-secret")][..],
        ),
        (
            r#"{"mcpServers": {"a": {"url": "https://e.com/mcp", "headers": {"B": "${env:TOKEN}", "A": "1"}}}}"#,
            &[("B", "t0p-secret"), ("A", "1")],
        ),
        (r#"{"servers": {"a": {"type": "http", "url": "https://e.com/mcp"}}}"#, &[]),
        (
            r#"{"mcpServers": {"a": {"type": "streamableHttp", "url": "https://e.com/mcp", "disabled": false}}}"#,
            &[],
        ),
        (r#"{"mcpServers": {"a": {"type": "streamable-http", "url": "https://e.com/mcp"}}}"#, &[]),
        (r#"{"mcpServers": {"a": {"httpUrl": "https://e.com/mcp", "timeout": 5000}}}"#, &[]),
        (r#"{"mcpServers": {"a": {"serverUrl": "https://e.com/mcp"}}}"#, &[]),
    ] {
        let ServerTransport::Http { url, headers } = server(text).transport.unwrap() else {
            panic!("{text}");
        };
        assert_eq!(url, "https://e.com/mcp", "{text}");
        let headers: Vec<_> = headers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(headers, expected, "{text}");
    }
}

#[test]
fn options_are_read() {
    let found = options(r#""command": "x", "disabled": true, "disabledTools": ["a", "b_*"]"#);
    assert!(found.disabled && found.only.is_empty());
    assert_eq!(found.except, ["a", "b_*"]);
    let found = options(r#""command": "x", "includeTools": ["a", "b"], "excludeTools": ["b"]"#);
    assert_eq!((found.only, found.except), (vec!["a".into(), "b".into()], vec!["b".into()]));
    assert_eq!(options(r#""command": "x", "tools": []"#).except, ["*"]);
    let none = options(r#""command": "x", "enabledTools": []"#);
    assert_eq!(none, options(r#""command": "x""#));
    assert!(options(r#""command": "x", "enabled": false"#).disabled);
    for (limit, seconds) in [("60", 60.0), ("30000", 30.0), ("600000", 600.0), ("0.5", 0.5)] {
        let found = options(&format!(r#""command": "x", "timeout": {limit}"#));
        assert_eq!(found.timeout, Some(Duration::from_secs_f64(seconds)), "{limit}");
    }
    assert_eq!(options(r#""command": "x", "timeout": 1e300"#).timeout, Some(Duration::MAX));
}

#[test]
fn what_is_not_used_is_in_the_notices() {
    let found = file(
        r#"{"mcpServers": {
            "fs": {"comand": "x", "command": "x", "alwaysAllow": ["t"], "//": "c", "_note": 1, "oauth": {}, "description": "d"},
            "cline": {"command": "x", "timeout": 60, "autoApprove": []},
            "odd": {"command": "x", "timeout": 3600},
            "//": "a comment", "//": "another"
        }, "inputs": [], "numStartups": 3}"#,
    );
    assert_eq!(found.servers.len(), 3);
    let notices: Vec<&str> = found.notices.iter().map(String::as_str).collect();
    assert_eq!(
        notices,
        [
            "mcpServers.fs.comand in mcp.json: unknown key; did you mean `command`?",
            "mcpServers.fs.alwaysAllow in mcp.json: not used; set which tools need approval with `.needs_approval(..)`",
            "mcpServers.fs.oauth in mcp.json: not used",
            "mcpServers.cline.autoApprove in mcp.json: not used; set which tools need approval with `.needs_approval(..)`",
            "mcpServers.cline.timeout in mcp.json: interpreted as seconds; expected milliseconds",
            "mcpServers.odd.timeout in mcp.json: interpreted as milliseconds; expected milliseconds",
        ]
    );
}

#[test]
fn names_that_are_no_keys_become_keys() {
    let long = "x".repeat(70);
    let text = format!(
        r#"{{"servers": {{"io.github.github/github-mcp-server": {{"command": "a"}}, "a/b": {{"command": "b"}},
            "a*b": {{"command": "c"}}, "a-b": {{"command": "d"}}, "{long}": {{"command": "e"}},
            "{long}y": {{"command": "f"}}, "": {{"command": "g"}}}}}}"#
    );
    let found = file(&text);
    let keys: Vec<&str> = found.servers.iter().map(|server| server.key.as_str()).collect();
    let (cut, second) = ("x".repeat(64), format!("{}-2", "x".repeat(62)));
    assert_eq!(
        keys,
        ["io.github.github-github-mcp-server", "a-b-2", "a-b-3", "a-b", &cut, &second, "server"]
    );
    assert_eq!(found.notices.len(), 6);
    assert!(found.notices[0].contains("is renamed to `io.github.github-github-mcp-server`"));
}

#[test]
fn numbers_and_truth_are_variables_as_they_stand() {
    let found = entry(r#""command": "x", "env": {"PORT": 80, "DEBUG": true, "RATE": 0.5}"#);
    let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let env = [of("DEBUG", "true"), of("PORT", "80"), of("RATE", "0.5")];
    assert_eq!(program(found).env, BTreeMap::from(env));
}
