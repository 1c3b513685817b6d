//! Redaction: configured keys and tokens are left out where text of a server is repeated.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use genkit_child_process::ChildCommand;

/// Values that are shorter are not redacted: `1` and `true` are no secrets.
const SECRET_BYTES: usize = 8;

/// What the name of an argument contains whose value is secret.
const SECRET_NAMES: [&str; 5] = ["key", "token", "secret", "password", "authorization"];

/// Values that must not be repeated, each with what is shown for it.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<[(String, String)]>);

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({})", self.0.len())
    }
}

impl Redactor {
    /// What was configured as variables, and as arguments that are named so, may be a key or a
    /// token.
    pub(crate) fn of(command: &ChildCommand) -> Self {
        let mut secrets = Vec::new();
        for (name, value) in &command.env {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                add(&mut secrets, name, value);
            }
        }
        let texts: Vec<&str> = command.args.iter().filter_map(text).collect();
        for (at, arg) in texts.iter().enumerate() {
            for separator in ['=', ':'] {
                if let Some((name, value)) = arg.split_once(separator).filter(|it| is_secret(it.0))
                {
                    add(&mut secrets, last_name(name), value.trim());
                    // `Authorization: Bearer TOKEN`
                    add(&mut secrets, last_name(name), value.rsplit(' ').next().unwrap_or(value));
                }
            }
            let next = texts.get(at + 1).filter(|next| !next.starts_with('-'));
            if let Some(value) = next.filter(|_| arg.starts_with('-') && is_secret(arg)) {
                add(&mut secrets, last_name(arg), value);
            }
        }
        // One may be a part of another.
        secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self(secrets.into())
    }

    /// The text without them.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for (value, name) in self.0.iter() {
            if hidden.contains(value) {
                hidden = Cow::Owned(hidden.replace(value, name));
            }
            if let Some(start) = cut_off(&hidden, value) {
                hidden = Cow::Owned(format!("{}{name}…", &hidden[..start]));
            }
        }
        hidden
    }
}

/// Where the beginning of a value starts that was cut off at the end of a text.
fn cut_off(text: &str, value: &str) -> Option<usize> {
    let text = text.strip_suffix('…')?;
    let ends = (SECRET_BYTES..value.len()).rev().filter_map(|end| value.get(..end));
    ends.map(|part| (part, text.ends_with(part))).find(|it| it.1).map(|it| text.len() - it.0.len())
}

/// The value, and each of its lines: a server may print them one by one.
fn add(secrets: &mut Vec<(String, String)>, name: &str, value: &str) {
    let lines = value.lines().map(str::trim);
    for part in std::iter::once(value).chain(lines).filter(|part| part.len() >= SECRET_BYTES) {
        if !secrets.iter().any(|(known, _)| known == part) {
            secrets.push((part.to_owned(), format!("${{{name}}}")));
        }
    }
}

fn text(arg: &OsString) -> Option<&str> {
    arg.to_str()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// The name alone: `api-key` of `--api-key`, and of an address what stands before the value.
fn last_name(name: &str) -> &str {
    let name = name.rsplit(['?', '&', ' ', '/']).next().unwrap_or(name);
    name.trim_start_matches('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::host::config::{ServerConfig, StdioTransport};

    fn redactor(server: StdioTransport) -> Redactor {
        Redactor::of(&server.command.child)
    }

    #[test]
    fn configured_secrets_are_hidden_line_by_line_and_in_arguments() {
        let server = ServerConfig::stdio("x")
            .env("PEM", "-----BEGIN-----\nMIIabcdefgh\n-----END-----")
            .env("MODE", "dev")
            .args(["--api-key", "argument-1", "--token=argument-2", "-e", "MY_SECRET=argument-3"])
            .args(["--header", "Authorization: Bearer argument-4", "--password", "--verbose-mode"])
            .args(["https://e.com/mcp?apiKey=argument-5", "plain-argument"]);
        let redactor = redactor(server);
        for (said, shown) in [
            ("bad MIIabcdefgh!", "bad ${PEM}!"),
            ("got argument-1, argument-2", "got ${api-key}, ${token}"),
            ("argument-3 argument-4", "${MY_SECRET} ${Authorization}"),
            ("argument-5", "${apiKey}"),
            ("dev --verbose-mode plain-argument", "dev --verbose-mode plain-argument"),
            ("it begins MIIabcdefg…", "it begins ${PEM}…"),
        ] {
            assert_eq!(redactor.redact(said), shown);
        }
        assert!(!format!("{redactor:?}").contains("argument"));
    }
}
