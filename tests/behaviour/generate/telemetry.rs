//! Traces of a program that starts no telemetry itself: two environment variables are enough.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use genkit::testing::ScriptedModel;
use serde_json::Value;

const CHILD: &str = "GENKIT_TEST_TELEMETRY_CHILD";

/// Starts a server. Returns its URL, and the requests that it receives.
fn server() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let posts = Arc::<Mutex<Vec<Value>>>::default();
    let taken = Arc::clone(&posts);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let posts = Arc::clone(&taken);
            std::thread::spawn(move || {
                let mut read = Vec::new();
                let mut piece = [0; 65_536];
                while let Ok(length @ 1..) = stream.read(&mut piece) {
                    read.extend_from_slice(&piece[..length]);
                    let text = String::from_utf8_lossy(&read).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    if let Ok(post) = serde_json::from_str::<Value>(body) {
                        assert!(head.starts_with("POST /api/traces "), "{head}");
                        posts.lock().unwrap().push(post);
                        read.clear();
                        stream
                            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK")
                            .unwrap();
                    }
                }
            });
        }
    });
    (url, posts)
}

/// Runs this test as a separate program, which generates and exits.
fn run_child(variables: &[(&str, &str)]) -> Vec<Value> {
    let (url, posts) = server();
    let name = "generate::telemetry::plain_program_sends_its_traces_at_their_end";
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name]).env(CHILD, "1").env("GENKIT_TELEMETRY_SERVER", url);
    for name in ["GENKIT_ENV", "GENKIT_ENABLE_REALTIME_TELEMETRY"] {
        child.env_remove(name);
    }
    let ended = child.envs(variables.iter().copied()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let posts = posts.lock().unwrap();
    posts.clone()
}

fn spans(posts: &[Value]) -> Vec<&Value> {
    posts.iter().flat_map(|post| post["spans"].as_object().unwrap().values()).collect()
}

#[tokio::test]
async fn plain_program_sends_its_traces_at_their_end() {
    if std::env::var_os(CHILD).is_some() {
        let model = ScriptedModel::text("hi").with_name("lab/plain");
        assert_eq!(genkit::generate("go").model(model).await.unwrap().text(), "hi");
        return;
    }
    let sent = run_child(&[("GENKIT_ENV", "dev")]);
    let names: Vec<&str> =
        spans(&sent).iter().map(|span| span["displayName"].as_str().unwrap()).collect();
    assert_eq!(names, ["lab/plain", "generate"], "each once, when it ends");
    assert!(spans(&sent).iter().all(|span| span["endTime"] != 0.0), "{sent:?}");
    assert_eq!(spans(&sent)[0]["parentSpanId"], spans(&sent)[1]["spanId"]);

    let sent = run_child(&[("GENKIT_ENV", "dev"), ("GENKIT_ENABLE_REALTIME_TELEMETRY", "true")]);
    assert_eq!(spans(&sent).iter().filter(|span| span["endTime"] != 0.0).count(), 2, "{sent:?}");

    assert!(run_child(&[]).is_empty(), "only in development");
    assert!(run_child(&[("GENKIT_ENV", "prod")]).is_empty(), "only in development");
}
