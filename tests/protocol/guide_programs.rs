//! The programs of the guide, run as a reader runs them, with a stand-in for the model if one is called.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{self, Ran};
use crate::server::{Server, guide_program};
use crate::{packages, server};

const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a stand-in for Gemini, for as many requests as there are responses. Returns its address.
pub(crate) fn gemini(answers: Vec<(u16, Value)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (status, answer) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let streams = request(&mut stream).contains(":streamGenerateContent");
            let (kind, body) = match streams {
                true => ("text/event-stream", format!("data: {answer}\r\n\r\n")),
                false => ("application/json", answer.to_string()),
            };
            let head =
                format!("HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\nconnection: close");
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    address
}

/// Reads a whole request.
fn request(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&said).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_lowercase();
            let length = lower.split_once("content-length: ").map_or("0", |it| it.1);
            let length: usize = length.lines().next().unwrap().trim().parse().unwrap();
            if body.len() >= length {
                return text;
            }
        }
        match stream.read(&mut piece) {
            Ok(count @ 1..) => said.extend(&piece[..count]),
            _ => return text,
        }
    }
}

fn says(part: Value) -> (u16, Value) {
    let content = json!({"role": "model", "parts": [part]});
    let usage = json!({"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7});
    (
        200,
        json!({"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage}),
    )
}

pub(crate) fn text(text: &str) -> (u16, Value) {
    says(json!({"text": text}))
}

pub(crate) fn calls(name: &str, args: Value) -> (u16, Value) {
    says(json!({"functionCall": {"name": name, "args": args}}))
}

/// Runs a program to its end, in a separate folder.
fn run(name: &str, arguments: &[&str], answers: Vec<(u16, Value)>) -> Ran {
    let folder = packages::root().join("scratch").join(format!("guide-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(guide_program(name));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG")
        // A guide program that logs with colour would split the names of spans.
        .env("NO_COLOR", "1")
        .env("GEMINI_API_KEY", "AIza");
    command.env("GEMINI_BASE_URL", gemini(answers)).env_remove("GENKIT_ENV");
    program::run(&mut command, PATIENCE).unwrap()
}

/// Checks that a program succeeds and prints this.
fn shows(name: &str, arguments: &[&str], answers: Vec<(u16, Value)>, wanted: &[&str]) -> Ran {
    let ran = run(name, arguments, answers);
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    for said in wanted {
        assert!(ran.stdout.contains(said), "{said:?} is not in\n{}", ran.story());
    }
    ran
}

#[test]
fn servers_can_be_tried_without_a_client() {
    let city = r#"{"city": "Baltimore"}"#;
    let answer = "63°F and sunny in Baltimore";
    shows("first_server", &["--call", "get_weather", city], vec![], &[answer]);
    shows("first_server", &["--list"], vec![], &["get_weather(city)", "to_celsius(fahrenheit)"]);
    shows("tool_arguments", &["--list"], vec![], &["create_task(title, priority?, days?, place?)"]);
    let note = r#"{"text": "milk"}"#;
    shows("shared_state", &["--call", "save_note", note], vec![], &["saved as 1"]);
    let path = r#"{"path": "../secret"}"#;
    let ran = run("middleware", &["--call", "delete_file", path], vec![]);
    assert!(ran.stderr.contains("outside the folder"), "{}", ran.story());
    let path = r#"{"path": "a.txt"}"#;
    shows("middleware", &["--call", "delete_file", path], vec![], &["a.txt is gone"]);
}

#[test]
fn question_is_answered_from_a_file() {
    let folder = packages::root().join("scratch/guide-retrieval");
    std::fs::create_dir_all(&folder).unwrap();
    let sections = "# Shop\n\nTea and books.\n## Hours\nWe open at nine.\n";
    std::fs::write(folder.join("handbook.md"), sections).unwrap();
    let vectors = |vectors: &[[f64; 2]]| {
        let embeddings: Vec<_> = vectors.iter().map(|values| json!({"values": values})).collect();
        (200, json!({ "embeddings": embeddings }))
    };
    let answers =
        vec![vectors(&[[1.0, 0.0], [0.0, 1.0]]), vectors(&[[0.1, 0.9]]), text("At nine.")];
    shows("retrieval", &["handbook.md", "When do you open?"], answers, &["At nine."]);
}

#[test]
fn programs_ask_a_model() {
    let city = json!({"city": "Baltimore"});
    let answers = vec![calls("get_weather", city), text("It is sunny.")];
    shows(
        "generate_text",
        &[],
        answers,
        &[r#"[get_weather {"city":"Baltimore"}]"#, "It is sunny."],
    );
    let soup = r#"{"name": "Soup", "ingredients": ["water", "salt"], "minutes": 20}"#;
    shows(
        "structured_output",
        &[],
        vec![text(soup)],
        &["Soup: 2 ingredients", "Soup in 20 minutes"],
    );
    let price = calls("share_price", json!({"symbol": "ACME"}));
    let ran = shows("observability", &[], vec![price, text("42.5")], &["42.5 (Some("]);
    for span in ["chat{", "execute_tool{", "generate{", "looked up"] {
        assert!(ran.stderr.contains(span), "no {span} in\n{}", ran.story());
    }
    let denied = json!({"error": {"code": 401, "message": "no", "status": "UNAUTHENTICATED"}});
    let wanted = "the provider's API key is missing or invalid";
    shows("errors", &[], vec![(401, denied)], &[wanted]);
    let setting = calls("read_setting", json!({"name": "password"}));
    shows(
        "errors",
        &[],
        vec![setting],
        &["give up", "the setting is secret", "messages were exchanged"],
    );
    let wanted = ["Greet Ada formally, in one line.", "Good day, Ada.", "greeting", "translate"];
    shows("prompts", &["--list"], vec![text("Good day, Ada.")], &wanted);
}

#[test]
fn long_calls_and_skills_are_tried_like_any_other() {
    shows("tasks", &["--call", "yearly_report", r#"{"year": 2026}"#], vec![], &["318 pages"]);
    let folder = packages::root().join("scratch/guide-skills/skills/git-flow");
    std::fs::create_dir_all(&folder).unwrap();
    let skill = "---\nname: git-flow\ndescription: How we branch\n---\nBranch first.\n";
    std::fs::write(folder.join("SKILL.md"), skill).unwrap();
    let answers = vec![calls("use_skill", json!({"name": "git-flow"})), text("Branch first.")];
    shows("skills", &[], answers, &["Branch first."]);
}

#[test]
fn person_is_asked_and_a_run_survives() {
    // There is no user to approve.
    let pay = calls("pay_invoice", json!({"to": "Ada", "amount": 50.0}));
    let answers = vec![pay, text("Then I do not pay.")];
    shows("human_in_the_loop", &[], answers, &["pay_invoice", "ok? [y/n]", "Then I do not pay."]);

    let runs = packages::root().join("scratch/guide-long_work/runs");
    let _ = std::fs::remove_dir_all(runs);
    let book = calls("book_table", json!({"people": 2}));
    shows("long_work", &[], vec![book], &["waiting for book_table", "input_required"]);
    shows("long_work", &["yes"], vec![text("Booked.")], &["completed Booked."]);
}

#[test]
fn noninteractive_programs_exit() {
    shows("flows", &[], vec![], &["On rain", "as ada knows.", "= On rain"]);
    shows("embedding", &[], vec![], &["serving at Some(127.0.0.1:", "42"]);
    shows("developer_tools", &[], vec![], &["short"]);
    shows("providers", &[], vec![], &["Hello, house!"]);
}

/// Starts a server of the guide with the secrets and addresses that it reads from the environment.
pub(crate) fn serving(name: &str) -> Server {
    let mut command = Command::new(server::guide_program(name));
    command.env("TOKEN", "sesame").env("SEALING_KEYS", "ab".repeat(32));
    command.env("READER_KEY", "reader-1f2e").env("WRITER_KEY", "writer-3d4c");
    command.env("PUBLIC_HOST", "127.0.0.1");
    Server::spawn(command.env("LISTEN", "127.0.0.1:0").env_remove("RUST_LOG").env_remove("ISSUER"))
}

#[test]
fn programs_serve_over_http() {
    for name in ["serving", "authentication", "deploying"] {
        let server = serving(name);
        let origin = server.url().trim_end_matches("/mcp");
        let health = ureq::get(format!("{origin}/health")).call().unwrap();
        assert_eq!(health.status(), 200, "{name}");
    }
    let server = serving("authentication");
    let ask = |token: Option<&str>| {
        let mut request =
            ureq::post(server.url()).header("accept", "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
        let request = request.header("content-type", "application/json");
        let request = request.config().http_status_as_error(false).build();
        let mut answer = request.send(body).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    assert_eq!(ask(None).0, 401);
    assert_eq!(ask(Some("nobodys")).0, 401);
    // The output shows the reason to the user.
    let mut told = server.stderr();
    for why in ["a bearer token is required", "unknown API key"] {
        let begun = Instant::now();
        while !told.contains(&format!("denial=\"Unauthorized: {why}\"")) {
            assert!(begun.elapsed() < PATIENCE, "{why}:\n{told}");
            std::thread::sleep(Duration::from_millis(10));
            told = server.stderr();
        }
    }
    let (status, reader) = ask(Some("reader-1f2e"));
    assert!(
        status == 200 && reader.contains("whoami") && !reader.contains("delete_note"),
        "{reader}"
    );
    let (_, writer) = ask(Some("writer-3d4c"));
    assert!(writer.contains("whoami") && writer.contains("delete_note"), "{writer}");
}

/// A client of the TypeScript SDK that calls the only tool.
const WHISPERS: &str = r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const [url, token] = process.argv.slice(1);
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const client = new Client({ name: 'whispers', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
const result = await client.callTool({ name: 'whisper', arguments: {} });
console.log(result.content[0].text);
await client.close();
";

#[test]
fn program_serves_tls() {
    let folder = packages::scratch("guide-tls");
    let program = || {
        let mut command = Command::new(guide_program("tls"));
        command.current_dir(&folder).env("LISTEN", "127.0.0.1:0").env("TOKEN", "sesame");
        for name in ["RUST_LOG", "TLS_CERT", "TLS_KEY", "PUBLIC_HOST"] {
            command.env_remove(name);
        }
        command
    };
    let ran = program::run(&mut program(), PATIENCE).unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.story());
    assert!(ran.stderr.contains("cert.pem: "), "it names what is missing: {}", ran.story());

    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let server = Server::spawn(&mut program());
    let (_, port) = server.url().trim_end_matches("/mcp").rsplit_once(':').unwrap();
    let ask = |scheme: &str, token: &str, trusted: bool| {
        let mut node = packages::tool(Path::new("node"));
        node.current_dir(packages::npm()).args(["--input-type=module", "-e", WHISPERS]);
        node.args([&format!("{scheme}://localhost:{port}/mcp"), token]);
        if trusted {
            node.env("NODE_EXTRA_CA_CERTS", folder.join("cert.pem"));
        }
        program::run(&mut node, PATIENCE).unwrap()
    };
    let ran = ask("https", "sesame", true);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "between us"), "{}", ran.story());
    for (scheme, token, trusted, why) in [
        ("https", "sesame", false, "self-signed certificate"),
        ("https", "please", true, "401"),
        ("http", "sesame", true, "fetch failed"),
    ] {
        let ran = ask(scheme, token, trusted);
        assert!(ran.code == Some(1) && ran.stderr.contains(why), "{why}: {}", ran.story());
    }
    let ran = ask("https", "sesame", true);
    assert_eq!(ran.code, Some(0), "a rejected client ended another connection: {}", ran.story());
}
