//! The servers of the guide with three clients: both TypeScript SDKs, and the Python SDK.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::guide_programs::serving;
use crate::server::{Server, guide_program};
use crate::{packages, program};

/// The time limit of a client.
const PATIENCE: Duration = Duration::from_secs(180);

/// The program of a page, and the calls that clients make.
struct Page {
    program: &'static str,
    /// The token that its clients send, if the program serves over HTTP.
    http: Option<&'static str>,
    tools: &'static [&'static str],
    /// Calls of tools, each with a text that its result contains.
    calls: Vec<(&'static str, Value, &'static str)>,
}

fn pages() -> [Page; 8] {
    let page = |program, http, tools, calls| Page { program, http, tools, calls };
    [
        page(
            "first_server",
            None,
            &["get_weather", "to_celsius"],
            vec![
                ("get_weather", json!({"city": "Baltimore"}), "63°F and sunny in Baltimore"),
                ("to_celsius", json!({"fahrenheit": 212}), "100"),
                ("to_celsius", json!({"fahrenheit": -500}), "error: nothing is colder than"),
            ],
        ),
        page(
            "tool_arguments",
            None,
            &["create_task"],
            vec![(
                "create_task",
                json!({"title": "Buy milk", "place": {"city": "Bonn", "code": null}}),
                r#""priority":"normal""#,
            )],
        ),
        page(
            "shared_state",
            None,
            &["save_note"],
            vec![
                ("save_note", json!({"text": "a"}), "saved as 1"),
                ("save_note", json!({"text": "b"}), "saved as 2"),
            ],
        ),
        page(
            "middleware",
            None,
            &["delete_file"],
            vec![
                ("delete_file", json!({"path": "a"}), "a is gone"),
                ("delete_file", json!({"path": "../a"}), "path outside the folder"),
            ],
        ),
        page(
            "tasks",
            None,
            &["yearly_report"],
            vec![("yearly_report", json!({"year": 2026}), "318 pages")],
        ),
        page("serving", Some(""), &["count_to"], vec![("count_to", json!({"number": 3}), "3")]),
        page(
            "authentication",
            Some("writer-3d4c"),
            &["delete_note", "whoami"],
            vec![
                ("whoami", json!({}), "ada with notes:write"),
                ("delete_note", json!({"id": 7}), "ada deleted 7"),
            ],
        ),
        page(
            "deploying",
            Some("sesame"),
            &["order_pizza"],
            vec![("order_pizza", json!({"kind": "margherita"}), "margherita to Main Street 1")],
        ),
    ]
}

fn visit(page: &Page, client: &str) -> Value {
    let folder = packages::scratch(&format!("guide-{}-{client}", page.program));
    let server = page.http.map(|_| serving(page.program));
    let target = json!({
        "url": server.as_ref().map(Server::url),
        "token": page.http.filter(|token| !token.is_empty()),
        "command": guide_program(page.program),
        "calls": page.calls.iter().map(|(tool, input, _)| json!([tool, input])).collect::<Vec<_>>(),
        "answer": {"street": "Main Street 1"},
    });
    let mut command = match client {
        "python" => {
            let mut python = packages::tool(packages::python());
            python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/guide_clients/visit.py"));
            python
        }
        sdk => {
            let mut node = packages::tool(Path::new("node"));
            node.arg(packages::npm().join("visit.mjs")).arg(sdk);
            node
        }
    };
    command.current_dir(&folder).arg(target.to_string());
    let ran = program::run(&mut command, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "{} with {client}\n{}", page.program, ran.story());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{}", ran.story()))
}

#[test]
fn every_server_of_the_guide_works_with_every_client() {
    for page in pages() {
        for client in ["sdk", "client", "python"] {
            let seen = visit(&page, client);
            assert_eq!(seen["tools"], json!(page.tools), "{} with {client}", page.program);
            for (at, (tool, _, wanted)) in page.calls.iter().enumerate() {
                let told = seen["results"][at].as_str().expect("a text");
                assert!(told.contains(wanted), "{tool} with {client}: {told}");
            }
        }
    }
}
