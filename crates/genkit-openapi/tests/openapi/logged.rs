//! Logging: omitted parts are logged once, and secrets are never logged.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use genkit::serde_json::json;
use genkit_openapi::{reqwest, tools_from_openapi};
use tracing_subscriber::fmt;

use crate::documents::{call, document, shop, tool};
use crate::server::{Server, text_response};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

/// With only one subscriber in the process, events that another thread reaches first would not be recorded.
static SECOND: LazyLock<tracing::Dispatch> =
    LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::registry()));

impl Log {
    fn listening() -> (Self, tracing::subscriber::DefaultGuard) {
        LazyLock::force(&SECOND);
        let log = Self::default();
        let writer = log.clone();
        let subscriber = fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn skipped_or_renamed_operations_are_logged_once() {
    let (log, _guard) = Log::listening();
    shop("https://shop.example").build().unwrap();
    let text = log.text();
    let lines: Vec<_> = text.lines().filter(|line| line.contains("genkit_openapi")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].contains("POST /photos") || lines[0].contains("multipart/form-data"),
        "{text}"
    );
    assert!(lines[0].contains("write a tool by hand"), "{text}");
    assert!(
        lines[1].contains("operation_id=add pet!") && lines[1].contains("name=add_pet"),
        "{text}"
    );
}

#[test]
fn document_does_not_fill_the_log_and_forges_no_line() {
    let (log, _guard) = Log::listening();
    let paths = (0..300).map(|at| {
        (
            format!("/p{at}"),
            json!({"trace": {}, "get": {"operationId": format!("a\nERROR forged {at}")}}),
        )
    });
    let spec = document(paths.collect());
    let client = reqwest::Client::builder();
    tools_from_openapi(spec, client).base_url("https://a.example").build().unwrap();
    let text = log.text();
    let lines: Vec<_> = text.lines().filter(|line| line.contains("genkit_openapi")).collect();
    assert_eq!(lines.len(), 41, "{}", lines.len());
    assert!(lines[40].contains("left_out=280 renamed=280"), "{}", lines[40]);
    assert!(text.lines().all(|line| !line.starts_with("ERROR")), "{text}");
}

#[tokio::test]
async fn secrets_are_never_logged() {
    let server = Server::start(|_| text_response(500, "bad token secret-token")).await;
    let (log, _guard) = Log::listening();
    let api = |url: &str| shop(url).bearer("secret-token").query("api_key", "secret-key").build();
    for url in [server.url.as_str(), "http://127.0.0.1:9"] {
        let get = tool(api(url).unwrap(), "getPet");
        let told = call(&get, json!({"petId": "1"})).await.unwrap_err();
        assert!(!told.contains("secret"), "{told}");
    }
    let ours = log.text();
    let ours: Vec<_> = ours.lines().filter(|line| line.contains("genkit")).collect();
    assert!(ours.iter().all(|line| !line.contains("secret")), "{ours:?}");
}
