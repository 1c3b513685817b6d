//! The MCP Inspector's page over HTTP: with `notes` and a token, and with a server that requires a login.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::chromium::{drive, is_there};
use crate::oauth::provider::Provider;
use crate::oauth::resource::Resource;
use crate::packages;
use crate::program::Heard;
use crate::server::{self, Server};

/// The startup time limit of its server.
const START: Duration = Duration::from_secs(180);

/// The Inspector's own server, killed on drop.
struct Inspector {
    child: Child,
    said: Heard,
}

impl Inspector {
    fn on(url: &str, token: Option<&str>) -> Self {
        let mut node = packages::tool(Path::new("node"));
        node.current_dir(packages::npm())
            .arg("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
            .args(["--web", "--transport", "http", "--server-url", url])
            .args(
                token
                    .iter()
                    .flat_map(|it| ["--header".to_owned(), format!("Authorization: Bearer {it}")]),
            )
            // The Inspector does not accept a catalog in addition to a URL.
            .env_remove("MCP_CATALOG_PATH")
            .env("MCP_AUTO_OPEN_ENABLED", "false")
            .env("MCP_INSPECTOR_SECRET_STORE", "memory")
            .env("CLIENT_PORT", free_port())
            .env("MCP_SANDBOX_PORT", free_port());
        let mut child = node
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("node starts");
        let said = Heard::listen(child.stdout.take().expect("its output"));
        Self { child, said }
    }

    /// Returns the address of its page, including the token of the page.
    fn address(&self) -> String {
        let begun = Instant::now();
        loop {
            let said = self.said.so_far();
            let line = said.lines().find(|line| line.contains("?MCP_INSPECTOR_API_TOKEN="));
            if let (Some(line), true) = (line, said.contains("Secrets:")) {
                return line.trim().to_owned();
            }
            assert!(begun.elapsed() < START, "the Inspector does not start:\n{said}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port().to_string()
}

/// Runs a script in the Inspector's page, connected to `notes` over HTTP, and returns what it read.
fn drive_notes(test: &str, script: &str) -> Value {
    drive(test, script, || {
        let database = server::database(&format!("{test}-notes"));
        let mut notes = Command::new(server::example("notes"));
        notes.args([&database, "--http", "127.0.0.1:0"]).env("NOTES_TOKEN", "the token");
        let notes = Server::spawn(notes.env_remove("RUST_LOG"));
        let inspector = Inspector::on(notes.url(), Some("the token"));
        let address = inspector.address();
        ((notes, inspector), vec![address])
    })
}

#[test]
fn person_uses_notes_in_the_inspectors_page() {
    if !is_there() {
        return;
    }
    let seen = drive_notes("browser-inspector", "inspector.mjs");
    let read = |step: &str| seen[step].as_str().unwrap_or_else(|| panic!("{step}: {seen}"));
    for tool in ["add_note", "delete_note", "import_notes", "search_notes"] {
        assert!(read("tools").contains(tool), "{tool}: {}", read("tools"));
    }
    assert!(read("added").contains("\"topic\": \"shop\""), "{}", read("added"));
    assert!(read("resource").contains("notes://recent"), "{}", read("resource"));
    assert!(read("prompt").contains("[1] role: user"), "{}", read("prompt"));
    // The note exists until the user approves its deletion.
    assert!(read("declined").contains("the user did not approve"), "{}", read("declined"));
    assert!(read("approved").contains("\"text\": \"buy milk\""), "{}", read("approved"));
}

/// The page is an MCP App, whose rights allow it to load nothing from outside.
#[test]
fn person_saves_a_note_in_the_form_of_a_tool() {
    if !is_there() {
        return;
    }
    let seen = drive_notes("browser-app", "inspector_apps.mjs");
    assert_eq!(seen["form"], "buy milk|shop||", "the arguments of the call");
    let saved = seen["saved"].as_str().expect("a text");
    assert!(saved.starts_with("Saved note "), "{saved}");
    let blocked =
        ["connect-src https://foreign.example/data", "img-src https://foreign.example/image.png"];
    assert_eq!(seen["blocked"], serde_json::json!(blocked));
}

/// It finds the authorization server through the metadata, registers itself there, and returns with a code. The
/// provider knows only a non-interactive client, and does not accept a code without PKCE.
#[test]
fn person_logs_in_through_the_inspectors_page() {
    if !is_there() {
        return;
    }
    let provider = Provider::start();
    let seen = drive("browser-inspector-login", "inspector_login.mjs", || {
        let resource = Resource::serve(&provider);
        let inspector = Inspector::on(&resource.url(), None);
        let arguments = vec![inspector.address(), "ada".to_owned()];
        ((resource, inspector), arguments)
    });
    let read = |step: &str| seen[step].as_str().unwrap_or_else(|| panic!("{step}: {seen}"));
    let form = format!("{}/interaction/", provider.issuer());
    assert!(read("asked").starts_with(&form), "{}", read("asked"));
    // The Inspector requests the scope from the rejection, which is the minimum: `write` is missing.
    assert!(read("tools").contains("Tools (1)"), "{}", read("tools"));
    assert!(read("tools").contains("whoami"), "{}", read("tools"));
    let said = read("called").lines().find(|line| line.contains(" may "));
    assert_eq!(said, Some("ada may notes:read"), "{}", read("called"));
}
