//! The clients whose files can be edited: the path of their file, and the format of its entries.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// An MCP client that has its own configuration file.
///
/// ```
/// use genkit_mcp_servers_file::ClientApp;
///
/// assert_eq!(ClientApp::named("vscode"), Some(ClientApp::VsCode));
/// assert_eq!(ClientApp::VsCode.to_string(), "VS Code");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientApp {
    /// Claude Desktop: `claude_desktop_config.json`.
    ClaudeDesktop,
    /// Claude Code: the servers of the user in `~/.claude.json`.
    ClaudeCode,
    /// Cursor: `~/.cursor/mcp.json`.
    Cursor,
    /// Visual Studio Code: `mcp.json` of the user's default profile.
    VsCode,
}

impl ClientApp {
    /// All clients.
    pub const ALL: [Self; 4] = [Self::ClaudeDesktop, Self::ClaudeCode, Self::Cursor, Self::VsCode];

    /// Returns the client with this name: `claude-desktop`, `claude-code`, `cursor`, `vscode`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|app| app.name() == name)
    }

    /// Returns the name of the client on a command line.
    ///
    /// ```
    /// assert_eq!(genkit_mcp_servers_file::ClientApp::ClaudeCode.name(), "claude-code");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// Returns the file that the client reads for all projects of a user, based on these environment variables. Returns
    /// `None` if they do not contain the required folder: the user's home folder or, on Windows, `APPDATA`.
    ///
    /// ```
    /// use genkit_mcp_servers_file::ClientApp;
    ///
    /// let environment = |name: &str| (name == "HOME" || name == "USERPROFILE").then(|| "/home/me".into());
    /// let file = ClientApp::Cursor.config_file(environment);
    /// assert!(file.is_some_and(|file| file.ends_with(".cursor/mcp.json")));
    /// ```
    pub fn config_file(self, environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let folder = |name: &str| {
            let path = PathBuf::from(environment(name)?);
            path.is_absolute().then_some(path)
        };
        let home = || folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let programs = || {
            if cfg!(windows) {
                folder("APPDATA")
            } else if cfg!(target_os = "macos") {
                Some(home()?.join("Library/Application Support"))
            } else {
                folder("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
            }
        };
        Some(match self {
            Self::ClaudeDesktop => programs()?.join("Claude").join("claude_desktop_config.json"),
            Self::ClaudeCode => folder("CLAUDE_CONFIG_DIR").or_else(home)?.join(".claude.json"),
            Self::Cursor => home()?.join(".cursor").join("mcp.json"),
            Self::VsCode => programs()?.join("Code").join("User").join("mcp.json"),
        })
    }

    /// Returns the key of the servers in the client's file: `mcpServers` or `servers`.
    pub const fn section(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            _ => "mcpServers",
        }
    }

    /// Returns whether an entry specifies its transport: `"type": "stdio"`.
    pub(crate) const fn writes_type(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::VsCode)
    }
}

impl fmt::Display for ClientApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        })
    }
}
