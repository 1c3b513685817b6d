//! Lists that are invalid, endless or huge, or that change while they are read (rmcp.md 3.6).

use std::time::{Duration, Instant};

use genkit::Tool;
use genkit::mcp::McpHost;
use serde_json::json;

use super::{Faulty, mark, processes, server, within};

async fn names(server: &Faulty) -> Vec<String> {
    let tools = within(server.client.tools()).await.unwrap();
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

#[tokio::test]
async fn tool_without_a_schema_does_not_hide_other_tools() {
    let server = Faulty::new("no-schema");
    assert_eq!(names(&server).await, ["echo", "bare", "good"]);
    let bare = within(server.client.tools()).await.unwrap().remove(1);
    assert_eq!(bare.input_schema(), &json!({"type": "object"}));
    server.end().await;
}

#[tokio::test]
async fn invalid_tool_is_skipped_with_a_warning() {
    let server = Faulty::new("odd");
    let all = [
        "echo",
        "blocks",
        "lists",
        "kind",
        "shape",
        "odd_schema_type",
        "bad_description",
        "bad_annotations",
    ];
    assert_eq!(names(&server).await, all);
    let notices = server.client.status().notices.join("\n");
    for wanted in [
        "omitted tool 6 (``): `name` is not a string",
        "(`bad_schema`): `inputSchema` is not an object",
        "(`bad_schema_type`): `inputSchema` has the type \"string\"",
        "tool 12 (``)",
        "tool 13 (``)",
        "tool 14 (``)",
    ] {
        assert!(notices.contains(wanted), "`{wanted}` is not in:\n{notices}");
    }
    server.end().await;
}

#[tokio::test]
async fn first_of_two_tools_with_the_same_name_wins() {
    let server = Faulty::new("twice");
    assert_eq!(names(&server).await, ["echo", "other"]);
    let tools = within(server.client.tools()).await.unwrap();
    assert_eq!(tools[0].description(), "The tool echo.");
    let notices = server.client.status().notices;
    assert_eq!(notices, ["omitted tool 3 (`echo`): an earlier item has the same name"]);
    server.end().await;
}

#[tokio::test]
async fn ten_thousand_tools_in_pages_are_all_there() {
    let server = Faulty::new("many");
    let names = names(&server).await;
    assert_eq!(names.len(), 10_000);
    assert_eq!((names[0].as_str(), names[9999].as_str()), ("tool_0", "tool_9999"));
    assert_eq!(server.client.status().notices, [""; 0]);
    server.end().await;
}

#[tokio::test]
async fn pages_that_come_again_are_read_once() {
    let server = Faulty::new("cycle");
    assert_eq!(names(&server).await[..2], ["tool_a", "tool_b"]);
    let notices = server.client.status().notices.join("\n");
    assert!(notices.contains("a page refers back to an earlier one"), "{notices}");
    server.end().await;
}

#[tokio::test]
async fn pages_without_an_end_are_cut() {
    let server = Faulty::new("endless");
    assert_eq!(names(&server).await.len(), 1000);
    let notices = server.client.status().notices.join("\n");
    assert!(notices.contains("it is too long; kept 1000 items"), "{notices}");
    server.end().await;
}

#[tokio::test]
async fn list_that_changes_while_it_is_read_is_read_again() {
    let server = Faulty::new("changing");
    // The change arrived between the two pages.
    names(&server).await;
    assert_eq!(names(&server).await, ["echo", "change", "version_1"]);
    server.call("change", json!({})).await.unwrap();
    assert_eq!(names(&server).await, ["echo", "change", "version_2"]);
    server.end().await;
}

#[tokio::test]
async fn hung_list_delays_other_servers_once() {
    let (one, two) = (mark("hang-list"), mark("good"));
    let host = McpHost::builder()
        .server("hung", server("hang-list", &one))
        .server("good", server("good", &two))
        .startup_timeout(Duration::from_secs(3))
        .build()
        .unwrap();
    host.ready().await;
    let listed = async || -> Vec<String> {
        let tools = within(host.tools().into_future()).await.unwrap();
        tools.iter().map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(listed().await, ["good/echo"]);
    let again = Instant::now();
    for _ in 0..10 {
        assert_eq!(listed().await, ["good/echo"]);
    }
    // Otherwise it would take ten times three seconds.
    assert!(again.elapsed() < Duration::from_secs(20), "{:?}", again.elapsed());
    // The tools of the server can still be called.
    let echo = within(host.call_tool("hung/echo", json!({"text": "hi"}))).await.unwrap();
    assert_eq!(echo["text"], "hi");
    within(host.close()).await;
    assert_eq!([processes(&one), processes(&two)].concat(), [0_u32; 0]);
}

#[tokio::test]
async fn two_servers_may_have_the_same_names() {
    let (one, two) = (mark("good"), mark("good"));
    let host = McpHost::builder()
        .server("one", server("good", &one))
        .server("two", server("good", &two))
        .build()
        .unwrap();
    let tools = within(host.tools().into_future()).await.unwrap();
    assert_eq!(tools.iter().map(Tool::name).collect::<Vec<_>>(), ["one/echo", "two/echo"]);
    for name in ["one/echo", "two/echo"] {
        let echo = within(host.call_tool(name, json!({"text": name}))).await.unwrap();
        assert_eq!(echo["text"], name);
    }
    within(host.close()).await;
    assert_eq!([processes(&one), processes(&two)].concat(), [0_u32; 0]);
}
