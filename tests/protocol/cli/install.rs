//! `--install` into realistic files of the four clients: nothing is lost, and the entry starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use genkit_mcp_servers_file::{ClientApp, ServerTransport, read};
use serde_json::{Value, json};

use super::run;
use crate::pipe::Pipe;
use crate::program::Ran;
use crate::{packages, server};

/// A user with a separate home folder.
struct User(PathBuf);

impl User {
    fn new(test: &str) -> Self {
        Self(fs::canonicalize(packages::scratch(&format!("cli-install-{test}"))).unwrap())
    }

    /// Returns the path of a client's file on this system.
    fn file(&self, app: ClientApp) -> PathBuf {
        let home = self.0.clone().into_os_string();
        let known = ["HOME", "USERPROFILE", "APPDATA"];
        app.config_file(|name| known.contains(&name).then(|| home.clone())).unwrap()
    }

    /// Writes a client's file, as it was before.
    fn has(&self, app: ClientApp, bytes: &[u8]) -> PathBuf {
        let path = self.file(app);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn install(&self, arguments: &[&str]) -> Ran {
        self.install_with_token("", arguments)
    }

    fn install_with_token(&self, token: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(server::example("notes"));
        command.env("NOTES_TOKEN", token);
        command.current_dir(&self.0).args(arguments).arg("my notes.db");
        command.env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR");
        run(command.env("HOME", &self.0).env("USERPROFILE", &self.0).env("APPDATA", &self.0))
    }
}

/// Starts a server from a file as a client does, in a folder of the client, and calls it.
fn starts(file: &Path, name: &str, home: &Path) {
    let servers = read(file).unwrap();
    let server = servers.servers.into_iter().find(|server| server.key == name);
    let Ok(ServerTransport::Stdio { command, args, env, .. }) = server.unwrap().transport else {
        panic!("no program in {}", file.display());
    };
    assert!(Path::new(&command).is_absolute(), "{command}");
    assert_eq!(args, ["--".to_owned(), home.join("my notes.db").to_string_lossy().into_owned()]);
    let mut pipe = Pipe::spawn(Command::new(command).args(args).envs(env).current_dir("/"));
    pipe.hello();
    let added = pipe.call("add_note", &json!({"text": "buy milk"}));
    assert_eq!(added["structuredContent"]["text"], "buy milk", "{added}");
    pipe.hang_up();
    assert!(home.join("my notes.db").is_file());
}

const DESKTOP: &str = r#"{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
    }
  },
  "preferences": { "menuBarEnabled": true, "sidebarMode": "chat" }
}
"#;

const CODE: &str = r#"{
  "numStartups": 214,
  "tipsHistory": { "new-user-warmup": 3 },
  "projects": {
    "/home/me/work": {
      "allowedTools": [],
      "mcpServers": { "notes": { "type": "stdio", "command": "other", "args": [], "env": {} } },
      "hasTrustDialogAccepted": true
    }
  },
  "oauthAccount": { "accountUuid": "0000", "emailAddress": "me@example.com" },
  "userID": "abc"
}"#;

const CURSOR: &str = "{\r\n  \"mcpServers\": {\r\n    \"docs\": { \"url\": \"https://example.com/mcp\", \"headers\": {\"A\": \"b\"} }\r\n  }\r\n}\r\n";

const VSCODE: &str = "{\n\t// Asked for once.\n\t\"inputs\": [\n\t\t{ \"type\": \"promptString\", \"id\": \"key\", \
    \"password\": true },\n\t],\n\t\"servers\": {\n\t\t\"web\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \
    \"https://example.com/mcp\", /* ours */\n\t\t},\n\t},\n}\n";

/// Afterwards the file contains every line in its order, except for a comma, and there is a backup.
#[test]
fn installed_entry_starts_in_four_clients() {
    for (app, before) in [
        (ClientApp::ClaudeDesktop, DESKTOP),
        (ClientApp::ClaudeCode, CODE),
        (ClientApp::Cursor, CURSOR),
        (ClientApp::VsCode, VSCODE),
    ] {
        let user = User::new(app.name());
        let path = user.has(app, before.as_bytes());
        let ran = user.install(&["--install", app.name()]);
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        assert!(
            ran.stdout.contains(&format!("Added `notes` to {app}, in {}", path.display())),
            "{}",
            ran.story()
        );
        let after = fs::read_to_string(&path).unwrap();
        let mut lines = after.lines().map(|line| line.trim_end_matches(','));
        for line in before.lines().map(|line| line.trim_end_matches(',')) {
            assert!(lines.any(|kept| kept == line), "{line:?} is lost:\n{after}");
        }
        assert_eq!(after.contains('\r'), before.contains('\r'));
        let mut copy = path.clone().into_os_string();
        copy.push(".1.bak");
        assert_eq!(fs::read_to_string(copy).unwrap(), before);
        starts(&path, "notes", &user.0);
        // A second time changes nothing.
        let again = user.install(&["--install", app.name()]);
        assert!(again.stdout.contains("nothing was changed"), "{}", again.story());
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
    }
}

#[test]
fn client_without_a_file_gets_one_and_an_absent_client_does_not() {
    let user = User::new("missing");
    let ran = user.install(&["--install", "cursor"]);
    assert_eq!(ran.code, Some(1), "{}", ran.story());
    assert!(ran.stderr.contains("start Cursor once"), "{}", ran.story());
    assert!(!user.file(ClientApp::Cursor).exists());
    fs::create_dir_all(user.file(ClientApp::Cursor).parent().unwrap()).unwrap();
    let ran = user.install(&["--install", "cursor", "--name", "my-notes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    starts(&user.file(ClientApp::Cursor), "my-notes", &user.0);
}

#[test]
fn variable_of_the_server_is_written_if_it_has_a_value() {
    let user = User::new("variables");
    let file = user.0.join("mcp.json");
    for (token, written) in [("", json!(null)), ("t0p", json!({ "NOTES_TOKEN": "t0p" }))] {
        let config = file.to_str().unwrap();
        let ran = user.install_with_token(token, &["--install", "cursor", "--config", config]);
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        let servers: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(servers["mcpServers"]["notes"]["env"], written);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn options_say_what_is_written() {
    let user = User::new("options");
    let project = user.0.join("mcp.json");
    let file = project.to_str().unwrap();
    let dry = user.install(&[
        "--install",
        "vscode",
        "--config",
        file,
        "--dry-run",
        "--env",
        "TOKEN=t0p-secret",
    ]);
    assert_eq!(dry.code, Some(0), "{}", dry.story());
    assert!(
        dry.stdout.contains("\"TOKEN\": \"…\"") && dry.stdout.contains("nothing was written"),
        "{}",
        dry.story()
    );
    assert!(
        !dry.story().split_once("--- stdout").unwrap().1.contains("t0p-secret"),
        "{}",
        dry.story()
    );
    assert!(!project.exists());
    // The entry can be pasted into an empty file.
    let (entry, _) = dry.stdout.rsplit_once("This entry").unwrap();
    let entry: Value = serde_json::from_str(entry).unwrap();
    assert!(entry["servers"].as_object().unwrap().values().all(|one| one["command"].is_string()));
    let nowhere = user.0.join("no/such/folder/mcp.json");
    let dry = ["--install", "vscode", "--dry-run", "--config", nowhere.to_str().unwrap()];
    let dry = user.install(&dry);
    assert_eq!(dry.code, Some(0), "{}", dry.story());
    assert!(dry.stdout.contains("\"servers\": {"), "{}", dry.story());
    let ran = user.install(&[
        "--install",
        "vscode",
        "--config",
        file,
        "--env",
        "TOKEN=t0p-secret",
        "--env",
        "HOME",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let written: serde_json::Value = serde_json::from_slice(&fs::read(&project).unwrap()).unwrap();
    let entry = &written["servers"]["notes"];
    assert_eq!(entry["env"], json!({"TOKEN": "t0p-secret", "HOME": user.0}));
    for (arguments, said) in [
        (
            &["--install", "vscode", "--config", file, "--env", "GENKIT_NO_SUCH"][..],
            "`GENKIT_NO_SUCH` is not set",
        ),
        (
            &["--install", "vscode", "--config", file, "--name", "my notes"],
            "is not a valid server name",
        ),
    ] {
        let ran = user.install(arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.story());
        assert!(ran.stderr.contains(said), "{}", ran.story());
    }
}

/// The encoding of a client's file.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Utf8WithMark,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    fn encode(self, text: &str) -> Vec<u8> {
        let text = format!("\u{feff}{text}");
        match self {
            Self::Utf8WithMark => text.into_bytes(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }

    /// Decodes the text after the byte order mark, which is required.
    fn decode(self, bytes: &[u8]) -> String {
        let units = |unit: fn([u8; 2]) -> u16| {
            let units: Vec<u16> = bytes.chunks(2).map(|pair| unit([pair[0], pair[1]])).collect();
            String::from_utf16(&units).unwrap()
        };
        let text = match self {
            Self::Utf8WithMark => String::from_utf8(bytes.to_vec()).unwrap(),
            Self::Utf16Le => units(u16::from_le_bytes),
            Self::Utf16Be => units(u16::from_be_bytes),
        };
        text.strip_prefix('\u{feff}').unwrap().to_owned()
    }
}

/// On Windows, editors write a byte order mark before UTF-8, and the shell writes UTF-16. The file keeps its encoding
/// and all characters, the backup is identical to the original, and the entry starts.
#[test]
fn file_stays_in_its_encoding() {
    let before = DESKTOP.replace("/Users/me/Desktop", "C:/Übersicht 日本 😀");
    for encoding in [Encoding::Utf8WithMark, Encoding::Utf16Le, Encoding::Utf16Be] {
        let user = User::new(&format!("{encoding:?}"));
        let path = user.has(ClientApp::ClaudeDesktop, &encoding.encode(&before));
        let ran = user.install(&["--install", "claude-desktop"]);
        assert_eq!(ran.code, Some(0), "{encoding:?}: {}", ran.story());
        let after = encoding.decode(&fs::read(&path).unwrap());
        assert!(after.contains("Übersicht 日本 😀") && !after.contains('\u{feff}'), "{after}");
        let mut kept: serde_json::Value = serde_json::from_str(&after).unwrap();
        kept["mcpServers"].as_object_mut().unwrap().remove("notes").unwrap();
        assert_eq!(kept, serde_json::from_str::<serde_json::Value>(&before).unwrap());
        let mut copy = path.clone().into_os_string();
        copy.push(".1.bak");
        assert_eq!(fs::read(copy).unwrap(), encoding.encode(&before));
        starts(&path, "notes", &user.0);
        let again = user.install(&["--install", "claude-desktop"]);
        assert!(again.stdout.contains("nothing was changed"), "{}", again.story());
        assert_eq!(encoding.decode(&fs::read(&path).unwrap()), after);
    }
}

/// A file that cannot be edited is unchanged, and no other file is created.
#[test]
fn invalid_config_files_are_unchanged() {
    let user = User::new("broken");
    for (bytes, said) in [
        (&b"{\"mcpServers\": {\"a\": {}"[..], "line 1, column"),
        (b"{\"mcpServers\": {\"notes\": {\"command\": \"/bin/other\"}}}", "choose another name"),
        (b"{\"mcpServers\": []}", "`mcpServers` is not an object"),
        (b"\xff\xfe{\x00}", "neither UTF-8 nor UTF-16"),
    ] {
        let path = user.has(ClientApp::ClaudeDesktop, bytes);
        let ran = user.install(&["--install", "claude-desktop"]);
        assert_eq!(ran.code, Some(1), "{}", ran.story());
        assert!(ran.stderr.contains(said), "{said}: {}", ran.story());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
