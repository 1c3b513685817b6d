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
fn unused_keys_are_in_the_notices() {
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
            "mcpServers.cline.timeout in mcp.json: small number interpreted as seconds; write milliseconds",
            "mcpServers.odd.timeout in mcp.json: small number interpreted as milliseconds; write milliseconds",
        ]
    );
}

#[test]
fn invalid_names_are_converted_to_keys() {
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
fn numbers_and_booleans_become_strings() {
    let found = entry(r#""command": "x", "env": {"PORT": 80, "DEBUG": true, "RATE": 0.5}"#);
    let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let env = [of("DEBUG", "true"), of("PORT", "80"), of("RATE", "0.5")];
    assert_eq!(program(found).env, BTreeMap::from(env));
}

#[test]
fn servers_are_found_in_all_sections() {
    let stdio = ["npx -y @acme/notes"];
    for (program, text) in [
        (
            "OpenCode",
            r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "@acme/notes"], "environment": {"K": "v"}}}}"#,
        ),
        (
            "Zed",
            r#"{"context_servers": {"a": {"source": "custom", "command": "npx", "args": ["-y", "@acme/notes"]}}}"#,
        ),
        (
            "Zed, older",
            r#"{"context_servers": {"a": {"command": {"path": "npx", "args": ["-y", "@acme/notes"], "env": {}}}}}"#,
        ),
        (
            "Jan",
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@acme/notes"], "active": true, "url": "", "type": "stdio"}}, "mcpSettings": {}}"#,
        ),
        (
            "Cherry Studio",
            r#"{"mcpServers": {"x1": {"name": "a", "isActive": true, "type": "stdio", "baseUrl": "", "command": "npx", "args": ["-y", "@acme/notes"]}}}"#,
        ),
        (
            "Cherry Studio, list",
            r#"{"mcp": {"servers": [{"id": "x1", "name": "a", "isActive": true, "command": "npx", "args": ["-y", "@acme/notes"]}]}}"#,
        ),
        (
            "Witsy",
            r#"{"mcp": {"servers": [{"uuid": "1", "state": "enabled", "type": "stdio", "command": "npx", "url": "-y @acme/notes"}]}}"#,
        ),
        (
            "VS Code",
            r#"{"mcp": {"servers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "@acme/notes"]}}}}"#,
        ),
        (
            "a development container",
            r#"{"customizations": {"vscode": {"mcp": {"servers": {"a": {"command": "npx", "args": ["-y", "@acme/notes"]}}}}}}"#,
        ),
        (
            "Cline",
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@acme/notes"], "disabled": false, "autoApprove": [], "timeout": 60}}}"#,
        ),
        ("Amp", r#"{"amp.mcpServers": {"a": {"command": "npx", "args": ["-y", "@acme/notes"]}}}"#),
        (
            "Continue",
            r#"{"mcpServers": [{"name": "a", "transport": {"type": "stdio", "command": "npx", "args": ["-y", "@acme/notes"]}}]}"#,
        ),
    ] {
        let file = file(text);
        let found: Vec<String> = file
            .servers
            .iter()
            .map(|server| {
                assert!(!server.options.disabled, "{program}: {:?}", file.notices);
                match server.transport.as_ref().unwrap() {
                    ServerTransport::Stdio { command, args, .. } => {
                        format!("{command} {}", args.join(" "))
                    }
                    other => panic!("{program}: {other:?}"),
                }
            })
            .collect();
        assert_eq!(found, stdio, "{program}");
    }
    for (program, text) in [
        (
            "OpenCode",
            r#"{"mcp": {"a": {"type": "remote", "url": "https://a.example/mcp", "enabled": true}}}"#,
        ),
        (
            "Cherry Studio",
            r#"{"mcpServers": {"a": {"type": "streamableHttp", "baseUrl": "https://a.example/mcp", "command": ""}}}"#,
        ),
        (
            "Witsy",
            r#"{"mcp": {"servers": [{"uuid": "1", "title": "a", "state": "enabled", "type": "http", "url": "https://a.example/mcp"}]}}"#,
        ),
        ("Zed", r#"{"context_servers": {"a": {"url": "https://a.example/mcp", "headers": {}}}}"#),
    ] {
        match file(text).servers.remove(0).transport.unwrap() {
            ServerTransport::Http { url, .. } => assert_eq!(url, "https://a.example/mcp"),
            other => panic!("{program}: {other:?}"),
        }
    }
}

#[test]
fn servers_that_are_disabled_elsewhere_in_the_file_are_disabled() {
    let claude_code = file(
        r#"{
            "mcpServers": {"a": {"command": "x"}},
            "projects": {
                "/": {"mcpServers": {"b": {"command": "x"}, "c": {"command": "x"}}, "disabledMcpServers": ["c"]},
                "/no/such/project": {"mcpServers": {"d": {"command": "x"}, "a": {"command": "y"}}}
            }
        }"#,
    );
    let disabled = |file: &ServersFile| -> Vec<(String, bool)> {
        file.servers.iter().map(|it| (it.key.clone(), it.options.disabled)).collect()
    };
    let expected = [("a", false), ("b", false), ("c", true), ("d", true)];
    let expected: Vec<_> = expected.into_iter().map(|(key, is)| (key.to_owned(), is)).collect();
    assert_eq!(disabled(&claude_code), expected);
    assert!(
        claude_code.notices.iter().any(|it| it.contains("for the project \"/no/such/project\""))
    );
    assert!(claude_code.notices.iter().any(|it| it.contains("another server has this name")));
    let witsy = r#"{"mcp": {"servers": [{"name": "a", "state": "deleted", "command": "x"}], "disabledMcpServers": ["b"]},
        "mcpServers": {"b": {"command": "x"}}}"#;
    assert!(disabled(&file(witsy)).iter().all(|(_, is_disabled)| *is_disabled));
}

#[test]
fn invalid_section_does_not_disable_the_others() {
    let file = file(r#"{"mcpServers": "none", "servers": {"a": {"command": "x"}}}"#);
    assert_eq!(file.servers.len(), 1);
    assert!(file.notices[0].contains("mcpServers in mcp.json: expected an object"));
}

#[test]
fn arguments_in_one_text_are_split_into_words() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "args": "-y  \"a b\" 'c d' e"}}}"#;
    match file(text).servers.remove(0).transport.unwrap() {
        ServerTransport::Stdio { args, .. } => assert_eq!(args, ["-y", "a b", "c d", "e"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_spelling_of_disabled_disables_a_server() {
    for (key, value, disables) in [
        ("disabled", r#""true""#, true),
        ("enabled", r#"0"#, true),
        ("isActive", r#"false"#, true),
        ("is_active", r#""no""#, true),
        ("state", r#""Disabled""#, true),
        ("status", r#""paused""#, true),
        ("disabled", r#"false"#, false),
        ("active", r#"true"#, false),
        ("state", r#""running""#, false),
        ("state", r#""dormant""#, true),
        ("enabled", r#""nope""#, true),
        ("enabled", r#""yes""#, false),
        ("serverEnabled", r#"false"#, true),
        ("paused", r#"true"#, true),
        ("disabled", r#""off""#, false),
        ("disabledTools", r#"["a"]"#, false),
        ("state", r#"null"#, false),
    ] {
        let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x", "{key}": {value}}}}}}}"#);
        assert_eq!(file(&text).servers[0].options.disabled, disables, "{key}: {value}");
    }
}
