//! Conversion of other programs' configuration files (`mcpServers`) into servers of a host.

use genkit_mcp_servers_file::{MAX_KEY_BYTES, ServerEntry, ServerTransport};

use super::{Controls, ServerConfig};
use crate::error::Error;
use crate::limits::MAX_KEY;

const _: () = assert!(MAX_KEY_BYTES <= MAX_KEY, "the keys of a file are keys of a host");

/// Returns the key and configuration of one server; an invalid entry becomes a broken server.
pub(crate) fn server_from_entry(entry: ServerEntry) -> (String, ServerConfig) {
    let options = entry.options;
    let controls = Controls {
        disabled: options.disabled,
        timeout: options.timeout,
        only: options.only,
        except: options.except,
        ..Controls::default()
    };
    let server = match entry.transport {
        Ok(ServerTransport::Stdio { command, args, env, cwd }) => {
            let mut server = ServerConfig::stdio(command).args(args).envs(env);
            server.command.child.cwd = cwd;
            ServerConfig { controls, ..server.into() }
        }
        Ok(ServerTransport::Http { url, headers }) => {
            super::http::configure_entry(entry.place, url, headers, controls)
        }
        Err(error) => ServerConfig::from_error(Error::File(error).into(), controls),
    };
    (entry.key, server)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::{Launch, check_keys};
    use crate::mcp_host::McpHost;
    use genkit_core::ErrorKind;

    #[track_caller]
    fn servers(text: &str) -> Vec<(String, ServerConfig)> {
        let vars = |name: &str| (name == "TOKEN").then(|| "hunter2-token".to_owned());
        let file = genkit_mcp_servers_file::parse(text, "mcp.json", vars).unwrap();
        file.servers.into_iter().map(server_from_entry).collect()
    }

    /// Parses the fields of a single entry into its server.
    #[track_caller]
    fn only(entry: &str) -> ServerConfig {
        servers(&format!(r#"{{"mcpServers": {{"fs": {{{entry}}}}}}}"#)).remove(0).1
    }

    #[test]
    fn program_is_read_with_all_that_it_gets() {
        let config = only(
            r#""command": "x", "args": ["a", "b"], "env": {"K": "${TOKEN}"}, "cwd": "sub",
                "timeout": 30000"#,
        );
        let expected =
            ServerConfig::stdio("x").args(["a", "b"]).env("K", "hunter2-token").cwd("sub");
        assert_eq!(config, expected.timeout(Duration::from_secs(30)).into());
        assert_eq!(only(r#""command": "x""#), ServerConfig::stdio("x").into());
    }

    #[test]
    fn server_over_http_is_read_where_http_is_built() {
        let config = only(r#""url": "https://e.com/mcp", "headers": {"A": "b"}, "disabled": true"#);
        assert!(config.controls.disabled);
        #[cfg(feature = "http")]
        {
            let expected = ServerConfig::http("https://e.com/mcp").header("A", "b");
            assert_eq!(config, expected.disabled(true).into());
        }
        #[cfg(not(feature = "http"))]
        {
            let Launch::Broken(error) = config.launch else { panic!("{config:?}") };
            assert_eq!(error.kind(), ErrorKind::Unimplemented);
            assert_eq!(
                error.to_string(),
                "mcpServers.fs in mcp.json: HTTP servers require genkit's `mcp-host-http` feature"
            );
        }
    }

    #[test]
    fn lists_of_tools_are_controls() {
        let controls = |entry: &str| only(&format!(r#""command": "x", {entry}"#)).controls;
        let found = controls(r#""disabledTools": ["a", "b_*"]"#);
        assert!(!found.is_offered("a") && !found.is_offered("b_1") && found.is_offered("c"));
        let found = controls(r#""includeTools": ["a", "b"], "excludeTools": ["b"]"#);
        assert!(found.is_offered("a") && !found.is_offered("b") && !found.is_offered("c"));
        assert!(!controls(r#""tools": []"#).is_offered("a"));
        assert!(controls(r#""tools": ["*"]"#).is_offered("a"));
        assert!(controls(r#""enabledTools": []"#).is_offered("a"));
    }

    #[test]
    fn entry_that_is_written_wrongly_is_a_broken_server() {
        let config = only(r#""disabled": true, "timeout": 5, "command": "${NO_SUCH}""#);
        assert!(config.controls.disabled && config.controls.timeout.is_some());
        let Launch::Broken(error) = config.launch else { panic!("{config:?}") };
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(
            error.to_string(),
            "mcpServers.fs.command in mcp.json: the variable `NO_SUCH` is not set; set it, or \
             write `${NO_SUCH:-default}`"
        );
    }

    #[test]
    fn file_that_is_missing_is_not_found() {
        let error = McpHost::builder().config_file("/no/such/mcp.json").map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().starts_with("cannot read /no/such/mcp.json: "), "{error}");
    }

    #[test]
    fn keys_of_a_file_are_keys_of_a_host() {
        let long = "x".repeat(70);
        let text = format!(
            r#"{{"servers": {{"io.github.a/b": {{"command": "a"}}, "a*b": {{"command": "b"}},
                "a-b": {{"command": "c"}}, "{long}": {{"command": "d"}}, "{long}y": {{"command": "e"}},
                "": {{"command": "f"}}}}}}"#
        );
        check_keys(&servers(&text)).unwrap();
    }

    /// `Debug` does not print the values of variables and headers.
    #[test]
    fn secrets_are_not_shown() {
        let found = servers(
            r#"{"mcpServers": {
                "a": {"command": "x", "env": {"K": "hunter2-a"}, "args": ["hunter2-b"]},
                "b": {"url": "https://e.com/?k=hunter2-c", "headers": {"A": "hunter2-d"}},
                "c": {"command": "x", "env": {"K": "${TOKEN}"}, "args": ["hunter2-e", 5]}
            }}"#,
        );
        assert_eq!(found.len(), 3);
        let shown = format!("{found:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
