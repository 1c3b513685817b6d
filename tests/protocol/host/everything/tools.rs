//! Each tool of `server-everything`, called with valid arguments.

use genkit::mcp::host::{McpHost, Sampling};
use genkit::testing::ScriptedModel;
use genkit::{Elicited, Part, Tool};
use serde_json::{Value, json};

use super::{Everything, TRANSPORTS, Told, as_a_model_sees, until};

/// The tools for a client with support for questions, a model and folders.
const TOOLS: [&str; 17] = [
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-roots-list",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
    "gzip-file-as-resource",
    "simulate-research-query",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
    "trigger-elicitation-request",
    "trigger-long-running-operation",
    "trigger-sampling-request",
    "trigger-url-elicitation",
];

async fn names(host: &McpHost) -> Vec<String> {
    let tools = host.tools().only(["e/*"]).await.unwrap();
    let mut names: Vec<_> = tools.iter().map(|tool| tool.name()[2..].to_owned()).collect();
    names.sort();
    names
}

/// The server registers some of its tools once it knows the capabilities of the client, so its list changes.
#[tokio::test]
async fn list_is_current() {
    for transport in TRANSPORTS {
        let server = Everything::start("list", transport);
        let told = Told::default();
        let host = McpHost::builder()
            .server("e", server.config(false))
            .roots(["file:///srv"])
            .sampling(Sampling::with(ScriptedModel::text("never asked")))
            .on_elicit(|_| async { Elicited::Declined })
            .on_event(told.listener())
            .build()
            .unwrap();
        until("the last of its tools", async || names(&host).await.len() == TOOLS.len()).await;
        assert_eq!(names(&host).await, TOOLS, "{transport:?}");
        let tools = host.client("e").unwrap().tools().await.unwrap();
        let echo = tools.iter().find(|tool| tool.name() == "echo").unwrap();
        assert_eq!(echo.title(), Some("Echo Tool"));
        assert_eq!(echo.description(), "Echoes back the input string");
        assert_eq!(echo.input_schema()["required"], json!(["message"]));
        let hints = echo.annotations();
        assert_eq!((hints.read_only, hints.destructive), (Some(true), Some(false)));
        let weather = tools.iter().find(|tool| tool.name() == "get-structured-content").unwrap();
        let required = json!(["temperature", "conditions", "humidity"]);
        assert_eq!(weather.output_schema().unwrap()["required"], required);
        assert!(!tools.iter().any(Tool::needs_approval));
        let status = &host.status()[0];
        assert_eq!(status.protocol_version.as_deref(), Some("2025-11-25"));
        assert!(status.server_name.as_ref().unwrap().contains("everything"), "{status:?}");
        assert!(status.instructions.as_ref().unwrap().starts_with("# Everything Server"));
        assert_eq!((status.last_error.as_ref(), status.notices.len()), (None, 0), "{status:?}");
        server.end(host).await;
    }
}

#[tokio::test]
async fn values() {
    for transport in TRANSPORTS {
        let server = Everything::start("values", transport);
        let host = server.host().await;
        let call = async |tool: &str, input: Value| host.call_tool(tool, input).await.unwrap();
        assert_eq!(call("e/echo", json!({"message": "héllo"})).await, "Echo: héllo");
        let sum = call("e/get-sum", json!({"a": 2, "b": 40})).await;
        assert_eq!(sum, "The sum of 2 and 40 is 42.");
        let weather = call("e/get-structured-content", json!({"location": "Chicago"})).await;
        let chicago =
            json!({"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82});
        assert_eq!(weather, chicago);
        let done = call("e/trigger-long-running-operation", json!({"duration": 0.1, "steps": 2}));
        let completed = "Long running operation completed. Duration: 0.1 seconds, Steps: 2.";
        assert_eq!(done.await, completed);
        // The server rejects arguments that do not match the schema of a tool, with a tool error.
        let error = host.call_tool("e/get-sum", json!({"a": "two"})).await.unwrap_err();
        assert!(error.to_string().contains("a"), "{error}");
        let error = host.call_tool("e/nope", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("nope"), "{error}");
        server.end(host).await;
    }
}

#[tokio::test]
async fn content() {
    for transport in TRANSPORTS {
        let server = Everything::start("content", transport);
        let host = server.host().await;
        let seen = as_a_model_sees(&host, "e/get-tiny-image", json!({})).await;
        let said = "Here's the image you requested:\nThe image above is the MCP logo.";
        assert_eq!(seen.output, said);
        assert_eq!(seen.content.len(), 1);
        png(&seen.content[0]);

        // A program receives all of it too, in order.
        let called = host.call_tool("e/get-tiny-image", json!({})).await.unwrap();
        let parts: Vec<Part> = serde_json::from_value(called).unwrap();
        let [before, image, after] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!(before.as_text(), Some("Here's the image you requested:"));
        assert_eq!(after.as_text(), Some("The image above is the MCP logo."));
        png(image);

        let input = json!({"messageType": "error", "includeImage": true});
        let seen = as_a_model_sees(&host, "e/get-annotated-message", input).await;
        assert_eq!(seen.output, "Error: Operation failed");
        png(&seen.content[0]);

        let seen = as_a_model_sees(&host, "e/get-resource-links", json!({"count": 2})).await;
        let said = "Here are 2 resource links to resources available in this server:";
        assert_eq!(seen.output, said);
        let links = ["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"];
        assert_eq!(seen.content.iter().map(link).collect::<Vec<_>>(), links);
        assert_eq!(seen.content[1].metadata()["name"], "Text Resource 2");

        let reference = json!({"resourceType": "Text", "resourceId": 3});
        let seen = as_a_model_sees(&host, "e/get-resource-reference", reference).await;
        let text = seen.content[0].as_text().unwrap();
        assert!(text.starts_with("Resource 3: This is a plaintext resource"), "{text}");
        let about = &seen.content[0].metadata()["resource"];
        assert_eq!(about["uri"], "demo://resource/dynamic/text/3");
        let reference = json!({"resourceType": "Blob", "resourceId": 4});
        let seen = as_a_model_sees(&host, "e/get-resource-reference", reference).await;
        assert_eq!(kind(&seen.content[0]), "text/plain");
        assert!(seen.output.as_str().unwrap().ends_with("demo://resource/dynamic/blob/4"));
        server.end(host).await;
    }
}

#[tokio::test]
async fn annotations_are_in_raw_results() {
    for transport in TRANSPORTS {
        let server = Everything::start("raw", transport);
        let host = McpHost::builder().server("e", server.config(true)).build().unwrap();
        let input = json!({"messageType": "success"});
        let raw = host.call_tool("e/get-annotated-message", input).await.unwrap();
        let annotations = &raw["content"][0]["annotations"];
        assert_eq!(annotations["audience"], json!(["user"]), "{raw}");
        // The SDK stores this number as `f32`.
        assert_eq!(annotations["priority"].as_f64().unwrap() as f32, 0.7);
        server.end(host).await;
    }
}

#[tokio::test]
async fn file_that_a_tool_makes_is_a_resource() {
    for transport in TRANSPORTS {
        let server = Everything::start("gzip", transport);
        let host = server.host().await;
        let input = |kind: &str| json!({"name": "a.gz", "data": "data:text/plain,hello", "outputType": kind});
        let seen = as_a_model_sees(&host, "e/gzip-file-as-resource", input("resource")).await;
        assert_eq!(kind(&seen.content[0]), "application/gzip");
        let seen = as_a_model_sees(&host, "e/gzip-file-as-resource", input("resourceLink")).await;
        let uri = "demo://resource/session/a.gz";
        assert_eq!(link(&seen.content[0]), uri);
        until("the resource", async || {
            host.resources().await.unwrap().iter().any(|resource| resource.uri() == uri)
        })
        .await;
        let read = host.read_resource(uri).await.unwrap();
        assert_eq!((read[0].mime_type(), read[0].uri()), (Some("application/gzip"), Some(uri)));
        // The header of gzip.
        assert_eq!(read[0].as_bytes()[..2], [0x1f, 0x8b]);
        server.end(host).await;
    }
}

fn png(part: &Part) {
    assert_eq!(kind(part), "image/png");
    let Part::Media { media, .. } = part else { unreachable!() };
    assert!(media.url.starts_with("data:image/png;base64,iVBORw0KGgo"), "{}", media.url);
}

fn kind(part: &Part) -> &str {
    let Part::Media { media, .. } = part else { panic!("no media: {part:?}") };
    media.content_type.as_deref().unwrap_or_default()
}

fn link(part: &Part) -> &str {
    let Part::Resource { resource, .. } = part else { panic!("no link: {part:?}") };
    &resource.uri
}
