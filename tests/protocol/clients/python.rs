//! The Python SDK's client with `notes`. It also validates results against their schemas.

use serde_json::{Value, json};

use super::notes::{self, Expected, MODERN};
use super::target::{Target, Transport, document};
use crate::packages;

fn visit(mode: &str, transport: Transport) -> Value {
    let python = packages::python();
    let target = Target::new(&format!("python-{mode}-{transport:?}"), transport);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/clients/notes.py");
    let seen = document(packages::tool(python).args([script, mode]), &target);
    let validated = json!(["add_note", "search_notes", "import_notes", "delete_note"]);
    assert_eq!(seen["validated"], validated);
    seen
}

#[test]
fn python_client_sees_everything_with_a_session() {
    for transport in [Transport::Stdio, Transport::Http] {
        let seen = visit("legacy", transport);
        notes::check(&seen, Expected::LEGACY);
        notes::identity(&seen);
    }
}

#[test]
fn client_negotiates_the_newer_protocol() {
    for transport in [Transport::Stdio, Transport::Http] {
        let seen = visit("auto", transport);
        notes::check(&seen, Expected::MODERN);
        notes::identity(&seen);
    }
}

#[test]
fn python_client_can_require_the_newer_era() {
    // The client then sends no handshake, so the server cannot identify itself.
    for transport in [Transport::Stdio, Transport::Http] {
        notes::check(&visit(MODERN, transport), Expected::MODERN);
    }
}
