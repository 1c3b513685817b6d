//! Tests of a server's settings and their errors.

use super::connector;
use crate::config::{HttpTransport, ServerConfig};
use crate::transport::http::Connector;
use crate::transport::oauth::OAuth;
use genkit_core::Context;
use genkit_core::TraceContext;

fn refusal(server: &HttpTransport) -> String {
    Connector::new(
        "docs",
        &server.endpoint,
        tokio::sync::watch::Sender::default(),
        server.endpoint.build_redactor(),
    )
    .map(drop)
    .unwrap_err()
    .to_string()
}

#[test]
fn invalid_address_error_states_the_reason() {
    for (url, why) in [
        ("docs.example.com/mcp", "is not a URL (relative URL without a base)"),
        ("ftp://example.com", "instead of `ftp`"),
        ("https://", "is not a URL"),
        ("https://u:hidden@[x/?key=hidden", "is not a URL"),
    ] {
        let text = refusal(&ServerConfig::http(url));
        assert!(text.starts_with("server `docs`: ") && text.contains(why), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
}

#[test]
fn invalid_header_error_omits_the_value() {
    let server = || ServerConfig::http("https://example.com/mcp");
    for (server, why) in [
        (server().header("x key", "hidden"), "`x key` is not a valid header name"),
        (server().header("x-key", "hidden\r\nx: y"), "`x-key` contains line breaks"),
        (server().header("Accept", "hidden"), "`Accept` is set by the protocol"),
        (server().header("mcp-session-id", "hidden"), "set by the protocol"),
        (server().header("last-event-id", "hidden"), "set by the protocol"),
        (server().header("Mcp-Param-Region", "hidden"), "set by the protocol"),
        (server().bearer_token("hidden\n"), "the token of `.bearer_token(..)`"),
        (server().bearer_token("hidden").oauth(OAuth::new()), "conflicting credentials"),
        (
            server().bearer_token("hidden").header("Authorization", "hidden"),
            "conflicting credentials",
        ),
        (server().max_message(0), "max_message"),
        (server().oauth(OAuth::new().client_secret("hidden")), "is set without `.client_id(..)`"),
        (server().oauth(OAuth::new().redirect_uri("https://a.example/b")), "127.0.0.1:PORT"),
        (server().oauth(OAuth::new().client_metadata_url("http://a.example/b")), "`https`"),
    ] {
        let text = refusal(&server);
        assert!(text.contains("`docs`") && text.contains(why), "{why}: {text}");
        assert!(!text.contains("hidden"), "{text}");
    }
}

#[test]
fn debug_output_contains_no_secrets() {
    let server = ServerConfig::http("https://me:hidden@example.com/mcp?key=hidden#hidden")
        .header("x-key", "hidden")
        .oauth(OAuth::new().client_id("me").client_secret("hidden"));
    let shown = format!("{server:?}");
    assert!(shown.contains("https://example.com/mcp") && shown.contains("x-key"), "{shown}");
    assert!(!shown.contains("hidden"), "{shown}");
    assert!(!format!("{:?}", ServerConfig::http("x").bearer_token("hidden")).contains("hidden"));
}

#[test]
fn equal_settings_are_equal() {
    let server = |url: &str| ServerConfig::http(url).header("a", "b").oauth(OAuth::new());
    assert_eq!(server("http://a").endpoint, server("http://a").endpoint);
    assert_ne!(server("http://a").endpoint, server("http://b").endpoint);
    let made = server("http://a").headers_from(|_| None);
    assert_eq!(made.endpoint, made.clone().endpoint);
    assert_ne!(made.endpoint, server("http://a").headers_from(|_| None).endpoint);
    let asks = |oauth: OAuth| ServerConfig::http("http://a").oauth(oauth).endpoint;
    let oauth = OAuth::new().on_authorize(|url| async { Ok(url) });
    assert_eq!(asks(oauth.clone()), asks(oauth.clone()));
    assert_ne!(asks(oauth), asks(OAuth::new().on_authorize(|url| async { Ok(url) })));
}

#[test]
fn headers_are_made_from_the_context_of_the_caller() {
    let server = ServerConfig::http("http://a");
    assert!(server.endpoint.headers_for(&Context::detached(), None).is_none());
    let server = server.headers_from(|ctx| [("x-user".to_owned(), ctx.meta().len().to_string())]);
    let headers = server.endpoint.headers_for(&Context::detached(), None).unwrap().0.unwrap();
    assert_eq!(headers["x-user"], "0");
    let server = server.headers_from(|_| [("accept".to_owned(), "hidden".to_owned())]);
    let fault = server.endpoint.headers_for(&Context::detached(), None).unwrap().0.unwrap_err();
    assert!(fault.contains("returned an invalid header: the header `accept`"), "{fault}");
}

#[test]
fn trace_headers_yield_to_the_programs_own() {
    let ours = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let trace = TraceContext::parse(ours).unwrap().with_state("a=1");
    let of = |server: HttpTransport| {
        server.endpoint.headers_for(&Context::detached(), Some(&trace)).unwrap().0.unwrap()
    };
    let headers = of(ServerConfig::http("http://a"));
    assert_eq!(headers["traceparent"], ours);
    assert_eq!(headers["tracestate"], "a=1");
    let made = of(ServerConfig::http("http://a")
        .headers_from(|_| [("traceparent".to_owned(), "mine".to_owned())]));
    assert_eq!(made["traceparent"], "mine");
    let fixed = of(ServerConfig::http("http://a").header("TraceParent", "mine"));
    assert!(!fixed.contains_key("traceparent"), "{fixed:?}");
}

#[tokio::test]
async fn noninteractive_server_never_waits_for_the_user() {
    assert!(!*connector(&ServerConfig::http("http://a")).busy_state().borrow());
    let oauth = OAuth::client_credentials("a", "b");
    let mut busy = connector(&ServerConfig::http("http://a").oauth(oauth)).busy_state();
    assert!(!*busy.borrow_and_update());
}
