//! Redaction: removes keys and tokens, in any common encoding, from text of a server before it is repeated.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, RwLock};

use genkit_child_process::ChildCommand;
use serde_json::Value;

use genkit_core::Error;
use genkit_core::internal::redact::{
    Secret, is_secret_name, redact_secrets, redact_secrets_in_json, secret_parts,
};
use genkit_core::internal::sync::{read, write};
use genkit_schema::internal::truncate::truncate;

/// The minimum length of a redacted value, in bytes: `1` and `true` are not secrets.
const SECRET_BYTES: usize = 8;

/// How much of a server's text is repeated, in bytes. Default is 64 KiB.
const MAX_REPEATED: usize = 64 * 1024;

/// How many values that change with each request are redacted. Default is the last 256.
const MAX_CHANGING: usize = 256;

/// Values that must not be repeated. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<RwLock<Secrets>>);

#[derive(Default)]
struct Secrets {
    /// Longest first, because one value may be part of another.
    fixed: Vec<Secret>,
    /// Newest last.
    changing: Vec<Secret>,
    /// The fixed values with the name of a secret. Other values, such as a folder, may be part of a result.
    in_results: HashSet<String>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secrets = read(&self.0);
        write!(f, "Redactor({})", secrets.fixed.len() + secrets.changing.len())
    }
}

impl Redactor {
    /// Creates a redactor for a command. Its environment variables, and arguments whose names suggest a secret, may
    /// contain a key or a token.
    pub(crate) fn for_command(command: &ChildCommand) -> Self {
        let redactor = Self::default();
        for (name, value) in &command.env {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                redactor.add_secret(name, value);
            }
        }
        let texts: Vec<&str> = command.args.iter().filter_map(argument_text).collect();
        for (at, arg) in texts.iter().enumerate() {
            for separator in ['=', ':'] {
                if let Some((name, value)) =
                    arg.split_once(separator).filter(|it| is_secret_name(it.0))
                {
                    redactor.add_secret(last_name(name), value.trim());
                }
            }
            let next = texts.get(at + 1).filter(|next| !next.starts_with('-'));
            if let Some(value) = next.filter(|_| arg.starts_with('-') && is_secret_name(arg)) {
                redactor.add_secret(last_name(arg), value);
            }
        }
        redactor
    }

    /// Redacts a value from now on, and each of its lines and words, because a server may print them separately.
    pub(crate) fn add_secret(&self, name: &str, value: &str) {
        let secrets = &mut *write(&self.0);
        for part in secret_parts(value, SECRET_BYTES) {
            if is_secret_name(name) {
                secrets.in_results.insert(part.clone());
            }
            if !secrets.fixed.iter().any(|known| known.value() == part) {
                secrets.fixed.push(Secret::new(&part, format!("${{{name}}}")));
            }
        }
        secrets.fixed.sort_by_key(|secret| std::cmp::Reverse(secret.value().len()));
    }

    /// Redacts a value that only some requests carry; only the latest such values are kept.
    #[cfg_attr(
        not(feature = "http"),
        expect(unused, reason = "only requests over HTTP have such values")
    )]
    pub(crate) fn hide_for_now(&self, name: &str, value: &str) {
        {
            let secrets = read(&self.0);
            let known = |part: &String| {
                let mut all = secrets.fixed.iter().chain(&secrets.changing);
                all.any(|secret| secret.value() == part)
            };
            if secret_parts(value, SECRET_BYTES).iter().all(known) {
                return;
            }
        }
        let secrets = &mut write(&self.0).changing;
        for part in secret_parts(value, SECRET_BYTES) {
            secrets.retain(|known| known.value() != part);
            secrets.push(Secret::new(&part, format!("${{{name}}}")));
        }
        let over = secrets.len().saturating_sub(MAX_CHANGING);
        secrets.drain(..over);
    }

    /// Returns the text without the secrets, truncated to the maximum length.
    pub(crate) fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = match truncate(text, MAX_REPEATED) {
            whole if whole.len() == text.len() => Cow::Borrowed(text),
            beginning => Cow::Owned(format!("{beginning}…")),
        };
        let secrets = read(&self.0);
        let all = secrets.fixed.iter().chain(&secrets.changing);
        if let Cow::Owned(redacted) = redact_secrets(&hidden, all) {
            hidden = Cow::Owned(redacted);
        }
        hidden
    }

    /// Returns the error without the secrets in its text, its causes and its details.
    pub(crate) fn redact_error(&self, error: Error) -> Error {
        let chain = error.chain();
        if let Cow::Borrowed(same) = self.redact_text(&chain)
            && same.len() == chain.len()
        {
            return error;
        }
        let hidden = self.redact_text(&chain).into_owned();
        error.without_causes(hidden)
    }

    /// Removes the credentials from a result, which is otherwise unchanged.
    pub(crate) fn redact_result(&self, result: Value) -> Value {
        let secrets = read(&self.0);
        let fixed = secrets.fixed.iter();
        let fixed = fixed.filter(|secret| secrets.in_results.contains(secret.value()));
        let all: Vec<&Secret> = fixed.chain(&secrets.changing).collect();
        match all.is_empty() {
            true => result,
            false => redact_secrets_in_json(result, all.into_iter()),
        }
    }

    /// Redacts all strings and member names of a JSON value.
    pub(crate) fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.redact_text(&text) {
                Cow::Borrowed(same) if same.len() == text.len() => Value::String(text),
                hidden => Value::String(hidden.into_owned()),
            },
            Value::Array(items) => items.into_iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                let hidden = |(name, value): (String, _)| {
                    (self.redact_text(&name).into_owned(), self.redact_json(value))
                };
                Value::Object(members.map(hidden).collect())
            }
            other => other,
        }
    }
}

fn argument_text(arg: &OsString) -> Option<&str> {
    arg.to_str()
}

/// Returns the bare name: `api-key` of `--api-key`, and in a URL the name before the value.
fn last_name(name: &str) -> &str {
    let name = name.rsplit(['?', '&', ' ', '/']).next().unwrap_or(name);
    name.trim_start_matches('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ServerConfig, StdioTransport};

    fn redactor(server: StdioTransport) -> Redactor {
        Redactor::for_command(&server.command.child)
    }

    #[test]
    fn configured_secrets_are_hidden_line_by_line_and_in_arguments() {
        let server = ServerConfig::stdio("x")
            .env("PEM", "-----BEGIN-----\nMIIabcdefgh\n-----END-----")
            .env("MODE", "dev")
            .args(["--api-key", "argument-1", "--token=argument-2", "-e", "MY_SECRET=argument-3"])
            .args(["--header", "Authorization: Bearer argument-4", "--password", "--verbose-mode"])
            .args(["https://e.com/mcp?apiKey=argument-5", "plain-value"]);
        let redactor = redactor(server);
        for (said, shown) in [
            ("bad MIIabcdefgh!", "bad ${PEM}!"),
            ("got argument-1, argument-2", "got ${api-key}, ${token}"),
            ("argument-3 argument-4", "${MY_SECRET} ${Authorization}"),
            ("argument-5", "${apiKey}"),
            ("dev --verbose-mode plain-value", "dev --verbose-mode plain-value"),
            ("it begins MIIabcdefg…", "it begins ${PEM}…"),
            ("… \"it begins MIIabcdefg…\": it …", "… \"it begins ${PEM}…\": it …"),
        ] {
            assert_eq!(redactor.redact_text(said), shown);
        }
        assert!(!format!("{redactor:?}").contains("argument"));
    }

    #[test]
    fn secret_is_hidden_in_json_and_behind_its_scheme() {
        let redactor = Redactor::default();
        let value = "s3cret/\"Token\"+é=";
        redactor.add_secret("authorization", &format!("Bearer {value}"));
        let nested = serde_json::json!({"headers": [{"authorization": value}], value: 1});
        let shown = redactor.redact_json(nested).to_string();
        assert!(!shown.contains("s3cret") && shown.contains("${authorization}"), "{shown}");
    }

    #[test]
    fn only_credentials_are_hidden_in_results() {
        let redactor = Redactor::default();
        redactor.add_secret("API_KEY", "sk-abc-12345");
        redactor.add_secret("ROOT", "/work/project1");
        redactor.hide_for_now("access_token", "token-of-this-hour");
        let long = "x".repeat(MAX_REPEATED + 1);
        let result =
            serde_json::json!({"text": "sk-abc-12345 in /work/project1", "n": 1.5, "long": long});
        let shown = redactor.redact_result(result);
        assert_eq!(shown["text"], "${API_KEY} in /work/project1");
        assert_eq!((&shown["n"], &shown["long"]), (&1.5.into(), &long.into()));
        let shown = redactor.redact_result("token-of-this-hour".into());
        assert_eq!(shown, "${access_token}");
    }

    #[test]
    fn values_that_change_are_hidden_as_long_as_there_is_room() {
        let redactor = Redactor::default();
        redactor.add_secret("x", "fixed-value");
        for number in 0..1000 {
            redactor.hide_for_now("authorization", &format!("token-number-{number:04}"));
        }
        assert_eq!(read(&redactor.0).changing.len(), MAX_CHANGING);
        assert_eq!(redactor.redact_text("token-number-0999 fixed-value"), "${authorization} ${x}");
    }
}
