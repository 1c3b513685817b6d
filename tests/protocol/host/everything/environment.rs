//! The environment variables that `server-everything` sees.

use std::process::Command;
use std::time::Duration;

use genkit::mcp::McpHost;
use serde_json::json;

use super::super::mark::{self, Mark};
use super::super::node;
use super::Everything;
use crate::clients::Transport;
use crate::program;

/// A variable of this process that a server must not see.
const CANARY: &str = "GENKIT_TEST_SECRET_KEY";

#[test]
fn it_is_what_programs_need_and_what_was_given() {
    if std::env::var_os(CANARY).is_some() {
        return look();
    }
    // A process cannot safely set its own variables, so the test runs itself with one more.
    let myself = std::env::current_exe().unwrap();
    let mut again = Command::new(myself);
    again.args([
        "--exact",
        "host::everything::environment::it_is_what_programs_need_and_what_was_given",
    ]);
    let ran = program::run(again.env(CANARY, "sk-123"), Duration::from_secs(300)).unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    assert!(ran.stdout.contains("1 passed"), "{}", ran.story());
}

#[tokio::main(flavor = "current_thread")]
async fn look() {
    let mark = Mark::new("everything-environment");
    let server = || node("server-everything", &mark).arg("stdio");
    let host = McpHost::builder()
        .server("e", server().env("GIVEN", "yes"))
        .server("all", server().inherit_env(true))
        .build()
        .unwrap();
    let seen = host.call_tool("e/get-env", json!({})).await.unwrap();
    assert_eq!(seen["GIVEN"], "yes");
    assert_eq!(seen[mark::VARIABLE], mark.name());
    assert_eq!(seen["PATH"], std::env::var("PATH").unwrap());
    assert!(!seen.to_string().contains("sk-123"), "{seen}");
    let all = host.call_tool("all/get-env", json!({})).await.unwrap();
    assert_eq!((&all[CANARY], all.get("GIVEN")), (&json!("sk-123"), None));
    mark.close(host).await;
}

#[tokio::test]
async fn over_http_it_is_the_servers_own() {
    let server = Everything::start("environment", Transport::Http);
    let host = server.host().await;
    let seen = host.call_tool("e/get-env", json!({})).await.unwrap();
    assert_eq!(seen["PORT"], server.web.as_ref().unwrap().port().to_string());
    server.end(host).await;
}
