//! The listener: a port that the server chooses, or a listener that it is given.

use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use genkit::ErrorKind;
use serde_json::json;
use tokio::runtime::Runtime;

use super::super::here::calculator;
use super::super::wire::Wire;

fn adds(url: &str) {
    let answer = Wire::to(url).call_alone("add", &json!({ "a": 2, "b": 40 }));
    assert_eq!(answer.message()["result"]["content"][0]["text"], "42", "{answer:?}");
}

#[test]
fn chosen_port_is_reported() {
    let (told, address) = mpsc::channel();
    let server = calculator().http("127.0.0.1:0").on_listening(move |address| {
        told.send(address).expect("a test that waits");
    });
    let runtime = Runtime::new().expect("a runtime");
    let serving = runtime.spawn(server.run());
    let address = address.recv_timeout(Duration::from_secs(20)).expect("an address");
    assert_ne!(address.port(), 0);
    adds(&format!("http://{address}/mcp"));
    assert!(!serving.is_finished());
}

#[test]
fn listener_of_the_program_is_served() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let runtime = Runtime::new().expect("a runtime");
    runtime.spawn(calculator().listener(listener).run());
    // The connection waits in the listener until it is served.
    adds(&url);
}

#[test]
fn port_that_is_taken_is_an_error_that_names_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let server = calculator().http(&address);
    let error = Runtime::new().expect("a runtime").block_on(server.run()).unwrap_err();
    assert!(error.to_string().contains(&address), "{error}");
}

#[test]
fn invalid_listen_address_error_shows_an_example() {
    for address in ["nonsense", "127.0.0.1", "8000", "127.0.0.1:99999", "unix:"] {
        let server = calculator().http(address);
        let error = Runtime::new().expect("a runtime").block_on(server.run()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        let said = error.to_string();
        assert!(
            said.contains(&format!("`{address}`")) && said.contains("127.0.0.1:8000"),
            "{said}"
        );
    }
}
