//! Attacks on the port of each kind of server, in its own process: framing, hosts, and the memory of hostile JSON.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use genkit::flows::api_key;
use genkit::sessions::{Agent, serve_agents};
use genkit::testing::ScriptedModel;
use genkit::{Genkit, Registry, flow, flows, tool, tools};
use serde_json::Value;

use crate::raw::Usage;

/// The time limit of each step.
const LIMIT: Duration = Duration::from_secs(60);

/// The kinds of servers, each with the path of a request.
const KINDS: [(&str, &str); 6] = [
    ("mcp", "/mcp"),
    ("flows", "/echo"),
    ("guarded", "/echo"),
    ("agui", "/agui"),
    ("agents", "/guide"),
    ("dev", "/api/runAction"),
];

/// The variables with the kind and the port of the process.
const VARIABLES: [&str; 2] = ["GENKIT_TEST_KIND", "GENKIT_REFLECTION_PORT"];

/// The size of a hostile body, in bytes.
const BODY: usize = 4_000_000;

/// Returns its input.
#[flow]
async fn echo(#[input] data: Value) -> Value {
    data
}

/// Returns its argument.
#[tool]
async fn say(data: Value) -> Value {
    data
}

/// Not a test: the process of a server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn served_program() {
    let [Ok(kind), Ok(port)] = VARIABLES.map(std::env::var) else { return };
    let address = format!("127.0.0.1:{port}");
    let registry = Registry::new().add(flows![echo]).add(tools![say]);
    let genkit = Genkit::builder().registry(registry).build().expect("a program");
    let model = ScriptedModel::texts(["hi"]);
    let served = match &*kind {
        "mcp" => genkit.serve_mcp().http(address).run().await,
        "flows" => genkit.serve_flows().http(address).run().await,
        "guarded" => genkit.serve_flows().context_provider(api_key("k")).http(address).run().await,
        "agui" => genkit::serve_agui(genkit.generate(()).model(model)).http(address).run().await,
        "agents" => {
            let agent = Agent::builder("guide").model(model).build().expect("an agent");
            serve_agents([agent]).http(address).run().await
        }
        _ => {
            genkit::dev::start(&genkit);
            tokio::time::sleep(Duration::from_secs(600)).await;
            Ok(())
        }
    };
    served.expect("it serves");
}

struct Port {
    child: Child,
    folder: std::path::PathBuf,
    address: SocketAddr,
    path: &'static str,
}

impl Port {
    fn open((kind, path): (&str, &'static str)) -> Self {
        let address = free_address();
        // The developer tools write a file there.
        let folder = std::env::temp_dir().join(format!("genkit-port-{}", address.port()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "attacks::ports::served_program"]).current_dir(&folder);
        command.env(VARIABLES[0], kind).env(VARIABLES[1], address.port().to_string());
        if kind == "dev" {
            command.env("GENKIT_ENV", "dev");
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a child");
        let since = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(since.elapsed() < LIMIT, "{kind} does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, folder, address, path }
    }

    /// Sends bytes, and returns the statuses of all responses until the connection ends.
    fn send(&self, bytes: &[u8]) -> Vec<u16> {
        let mut connection = TcpStream::connect(self.address).expect("a connection");
        connection.set_read_timeout(Some(LIMIT)).expect("a timeout");
        // The server may respond and close before it has read everything.
        let _ = connection.write_all(bytes);
        let mut read = Vec::new();
        let _ = connection.read_to_end(&mut read);
        let read = String::from_utf8_lossy(&read).into_owned();
        let heads = read.split("HTTP/1.").skip(1);
        heads.filter_map(|head| head.get(2..5)?.parse().ok()).collect()
    }

    /// Returns the peak of memory during a request, in bytes.
    fn peak_of(&self, body: &str) -> u64 {
        let process = self.child.id();
        std::fs::write(format!("/proc/{process}/clear_refs"), "5").expect("the peak is reset");
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\naccept: \
             application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: \
             tools/call\r\nmcp-name: say\r\ncontent-length: {}\r\n\r\n",
            self.path,
            body.len()
        );
        let statuses = self.send(&[head.as_bytes(), body.as_bytes()].concat());
        assert_eq!(statuses.len(), 1, "{statuses:?}");
        Usage::of(process).peak * 1024
    }
}

/// Returns an address that no other test uses: the system assigns only ports above 32,768.
fn free_address() -> SocketAddr {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let at = std::process::id().wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000;
        let port = 20_000 + u16::try_from(at).expect("below 10,000");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn ambiguous_requests_are_rejected_by_every_server() {
    for kind in KINDS {
        let port = Port::open(kind);
        let request = |head: &str, body: &str| {
            let path = port.path;
            port.send(format!("POST {path} HTTP/1.1\r\n{head}\r\n{body}").as_bytes())
        };
        let fine = request("host: localhost\r\nconnection: close\r\ncontent-length: 2\r\n", "{}");
        assert!(!fine.is_empty() && !fine.contains(&400) || kind.0 != "flows", "{kind:?} {fine:?}");
        // The hidden text must not be read as a request.
        let hidden = "0\r\n\r\nGET /hidden HTTP/1.1\r\nhost: localhost\r\n\r\n";
        for head in [
            "",
            "host: localhost\r\nhost: localhost\r\n",
            "host: localhost\r\norigin: http://localhost\r\norigin: http://localhost\r\n",
            "host: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n",
            "host: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n",
            "host: localhost\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n",
            "host: localhost\r\ntransfer-encoding: chunked, identity\r\n",
            "host: localhost\r\ntransfer-encoding: identity, chunked\r\n",
            "host: localhost\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
            "host: localhost\r\ncontent-length : 5\r\n",
            "host: localhost\r\nx: a\rb: c\r\n",
            "host: localhost\nx: y\r\n",
            "host: localhost\r\nx: y\r\n z\r\n",
        ] {
            assert_eq!(request(head, hidden), [400], "{kind:?}: {head:?}");
        }
        for (head, target) in [
            ("host: localhost:99999\r\n", ""),
            ("host: [::1\r\n", ""),
            ("host: a@localhost\r\n", ""),
            ("host: localhost\r\n", "http://evil.example"),
            ("host: localhost:1\r\n", "http://localhost:2"),
        ] {
            let length = "connection: close\r\ncontent-length: 2\r\n";
            let sent = format!("POST {target}{} HTTP/1.1\r\n{head}{length}\r\n{{}}", port.path);
            let statuses = port.send(sent.as_bytes());
            assert!(
                matches!(statuses[..], [400 | 403]),
                "{kind:?}: {head:?} {target} {statuses:?}"
            );
        }
    }
}

/// Returns a JSON list of the size [`BODY`] that contains `piece` up to `most` times.
fn list(piece: &str, most: usize) -> String {
    let count = (BODY / (piece.len() + 1)).min(most);
    let text = format!("[{}]", vec![piece; count].join(","));
    // The rest is one text.
    let rest = BODY.saturating_sub(text.len());
    format!("[{text},\"{}\"]", "x".repeat(rest))
}

#[test]
fn hostile_json_takes_bounded_memory() {
    let shapes = [
        ("numbers", list("0", usize::MAX)),
        ("numbers within the limit", list("0", 199_000)),
        ("lists", list("[0]", 49_000)),
        ("nested lists", list("[[[[]]]]", 16_500)),
        ("empty objects", list("{}", 66_000)),
        ("objects", list("{\"a\":0}", 33_000)),
        ("nested objects", list("{\"a\":{\"a\":{}}}", 15_000)),
        ("texts", list("\"a\"", 99_000)),
        ("text", format!("\"{}\"", "x".repeat(BODY))),
    ];
    let mut worst = Vec::new();
    for kind in KINDS {
        let bodies = |hostile: &str| match kind.0 {
            "mcp" => format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"say","arguments":{{"data":{hostile}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"a","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
            ),
            "agui" => format!(
                r#"{{"threadId":"t","runId":"r","messages":[{{"id":"1","role":"user","content":"hi"}}],"state":{hostile}}}"#
            ),
            "dev" => format!(r#"{{"key":"/flow/echo","input":{hostile}}}"#),
            _ => format!(r#"{{"data":{hostile}}}"#),
        };
        for (shape, hostile) in &shapes {
            // Starts a new process each time, because an allocator keeps freed memory.
            let port = Port::open(kind);
            let usual = port.peak_of(&bodies("0"));
            let cost = port.peak_of(&bodies(hostile)).saturating_sub(usual);
            let times = cost as f64 / BODY as f64;
            eprintln!("{:8} {shape:26} {times:.1} times its size", kind.0);
            worst.push(times);
        }
    }
    // Ten times, and a margin for the memory that the allocators of other threads keep.
    assert!(worst.iter().all(|times| *times <= 13.0), "{worst:.1?}");
}
