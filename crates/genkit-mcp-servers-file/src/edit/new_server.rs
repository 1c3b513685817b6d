//! A stdio server to add to a file.

use std::fmt;

use serde_json::{Map, Value, json};

use super::ClientApp;

/// The maximum length of a name that every client accepts, in bytes.
const MAX_NAME: usize = 64;

/// A program that a client should start as a stdio server.
///
/// ```
/// use genkit_mcp_servers_file::{ClientApp, NewServer};
///
/// let server = NewServer::new("notes", "/opt/notes").arg("/home/me/notes.db").env("TOKEN", "secret");
/// assert_eq!(
///     server.entry(ClientApp::VsCode).to_string(),
///     r#"{"type":"stdio","command":"/opt/notes","args":["/home/me/notes.db"],"env":{"TOKEN":"secret"}}"#,
/// );
/// assert!(!format!("{server:?}").contains("secret"));
/// ```
#[derive(Clone)]
pub struct NewServer {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl NewServer {
    /// Creates a server with this name, started by `command`. Use an absolute path, because each client chooses the
    /// working directory.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self { name: name.into(), command: command.into(), args: Vec::new(), env: Vec::new() }
    }

    /// Returns whether every client accepts a name: 1 to 64 ASCII letters, digits, `-` and `_`.
    pub fn accepts_name(name: &str) -> bool {
        (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_name_character)
    }

    /// Converts any text into a name that every client accepts.
    ///
    /// ```
    /// use genkit_mcp_servers_file::NewServer;
    ///
    /// assert_eq!(NewServer::name_from("The Bank"), "The-Bank");
    /// assert_eq!(NewServer::name_from("日本"), "server");
    /// assert!(!NewServer::accepts_name("The Bank"));
    /// ```
    pub fn name_from(text: &str) -> String {
        let characters = text.chars().take(MAX_NAME);
        let name: String = characters.map(|c| if is_name_character(c) { c } else { '-' }).collect();
        let name = name.trim_matches('-');
        if name.is_empty() { "server".to_owned() } else { name.to_owned() }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds an environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Returns the server's entry for the configuration file of `app`, including the values of environment variables.
    pub fn entry(&self, app: ClientApp) -> Value {
        let mut entry = Map::new();
        if app.writes_type() {
            entry.insert("type".to_owned(), json!("stdio"));
        }
        entry.insert("command".to_owned(), json!(self.command));
        entry.insert("args".to_owned(), json!(self.args));
        if !self.env.is_empty() {
            let env = self.env.iter().map(|(name, value)| (name.clone(), json!(value)));
            entry.insert("env".to_owned(), Value::Object(env.collect()));
        }
        Value::Object(entry)
    }
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

impl fmt::Debug for NewServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments and variables may be secrets.
        let mut shown = f.debug_struct("NewServer");
        shown.field("name", &self.name).field("command", &self.command).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_names_match_clients() {
        for (server, name) in
            [("notes", "notes"), ("The Bank", "The-Bank"), ("日本", "server"), ("", "server")]
        {
            assert_eq!(NewServer::name_from(server), name);
        }
        assert!(NewServer::name_from(&"a".repeat(100)).len() == MAX_NAME);
        assert!(NewServer::accepts_name("a-B_9") && !NewServer::accepts_name("a b"));
        assert!(!NewServer::accepts_name("") && !NewServer::accepts_name("a/b"));
    }
}
