//! The notifications of `server-everything`: progress, log messages, changes.

use genkit::context::{LogLevel, Progress};
use genkit::mcp::host::{McpEvent, McpHost};
use serde_json::json;

use super::super::is_update_of;
use super::{Everything, TRANSPORTS, Told, calling};

async fn listening(server: &Everything, least: Option<LogLevel>) -> (McpHost, Told) {
    let told = Told::default();
    let builder = McpHost::builder().server("e", server.config(false)).on_event(told.listener());
    let builder = match least {
        Some(least) => builder.log_level(least),
        None => builder,
    };
    let host = builder.build().unwrap();
    host.client("e").unwrap().ready().await.unwrap();
    (host, told)
}

#[tokio::test]
async fn progress() {
    for transport in TRANSPORTS {
        let server = Everything::start("progress", transport);
        let (host, told) = listening(&server, None).await;
        let tool = "trigger-long-running-operation";
        let input = json!({"duration": 0.3, "steps": 3});
        host.client("e").unwrap().call_tool(tool, input.clone()).await.unwrap();
        let step =
            |done: f64| ("e".to_owned(), tool.to_owned(), Progress::new(done).with_total(3.0));
        assert_eq!(told.steps(), [step(1.0), step(2.0), step(3.0)], "{transport:?}");

        // In a run it is in the stream as well.
        let model = calling(&format!("e/{tool}"), input);
        let mut stream = genkit::generate("Go.").model(model).tools(host.tools()).stream();
        let mut in_stream = Vec::new();
        while let Some(chunk) = stream.next().await {
            in_stream.extend(chunk.unwrap().tool_progress().map(|progress| progress.progress));
        }
        assert_eq!(in_stream, [1.0, 2.0, 3.0], "{transport:?}");
        server.end(host).await;
    }
}

fn is_simulated(event: &McpEvent) -> bool {
    matches!(event, McpEvent::Log { server, data, .. }
        if server == "e" && data.as_str().is_some_and(|data| data.contains("level")))
}

#[tokio::test]
async fn logs() {
    for transport in TRANSPORTS {
        let server = Everything::start("logs", transport);
        let (host, told) = listening(&server, None).await;
        let said = host.call_tool("e/toggle-simulated-logging", json!({})).await.unwrap();
        assert!(said.as_str().unwrap().starts_with("Started simulated"), "{said}");
        told.wait("a log message", is_simulated).await;
        // The level matches the text: `Debug-level message`.
        let logs = told.all().into_iter().filter(is_simulated);
        for event in logs {
            let McpEvent::Log { level, data, .. } = event else { unreachable!() };
            let named = data.as_str().unwrap().split([' ', '-']).next().unwrap().to_lowercase();
            assert_eq!(format!("{level:?}").to_lowercase(), named);
        }
        let said = host.call_tool("e/toggle-simulated-logging", json!({})).await.unwrap();
        assert!(said.as_str().unwrap().starts_with("Stopped simulated"), "{said}");
        server.end(host).await;
    }
}

#[tokio::test]
async fn level_is_kept_to() {
    for transport in TRANSPORTS {
        let server = Everything::start("level", transport);
        let (host, told) = listening(&server, Some(LogLevel::Error)).await;
        // It reports this request at level `info`.
        let client = host.client("e").unwrap();
        until_quiet(&client, &told).await;
        server.end(host).await;
    }
}

/// The level is set concurrently with the first requests, so messages stop only after some time.
async fn until_quiet(client: &genkit::mcp::McpClient, told: &Told) {
    super::until("silence", async || {
        told.clear();
        client.subscribe("demo://resource/dynamic/text/1").await.unwrap();
        client.unsubscribe("demo://resource/dynamic/text/1").await.unwrap();
        !told.all().iter().any(|event| matches!(event, McpEvent::Log { .. }))
    })
    .await;
}

#[tokio::test]
async fn updates() {
    for transport in TRANSPORTS {
        let server = Everything::start("updates", transport);
        let (host, told) = listening(&server, None).await;
        let client = host.client("e").unwrap();
        let uri = "demo://resource/dynamic/text/7";
        client.subscribe(uri).await.unwrap();
        let acknowledged = |event: &McpEvent| {
            matches!(event, McpEvent::Log { level: LogLevel::Info, data, .. }
                if data.as_str().is_some_and(|data| data.contains(uri)))
        };
        told.wait("the acknowledgement", acknowledged).await;
        client.call_tool("toggle-subscriber-updates", json!({})).await.unwrap();
        told.wait("an update", is_update_of(uri)).await;
        client.call_tool("toggle-subscriber-updates", json!({})).await.unwrap();

        // Without a subscription there are no notifications.
        client.unsubscribe(uri).await.unwrap();
        client.subscribe("demo://resource/dynamic/text/8").await.unwrap();
        told.clear();
        client.call_tool("toggle-subscriber-updates", json!({})).await.unwrap();
        told.wait("the other update", is_update_of("demo://resource/dynamic/text/8")).await;
        assert!(!told.all().iter().any(is_update_of(uri)), "{:?}", told.all());
        server.end(host).await;
    }
}
