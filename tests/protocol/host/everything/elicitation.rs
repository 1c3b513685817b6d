//! The questions of `server-everything`: to the user, to the model, and for folders.

use std::sync::{Arc, Mutex};

use genkit::mcp::host::{ElicitRequest, McpHost, Sampling};
use genkit::testing::ScriptedModel;
use genkit::{Elicited, GenerateResponse};
use serde_json::{Value, json};

use super::{Everything, TRANSPORTS, calling, until};

const FORM: &str = "Please provide inputs for the following fields:";

/// The tools for clients that support questions appear shortly after the connection.
async fn offered(host: &McpHost, tool: &str) {
    until(tool, async || host.tools().await.unwrap().iter().any(|t| t.name() == tool)).await;
}

#[tokio::test]
async fn sampling_is_answered_by_the_model() {
    for transport in TRANSPORTS {
        let server = Everything::start("sampling", transport);
        let model = ScriptedModel::text("Forty-two.");
        let host = McpHost::builder()
            .server("e", server.config(false))
            .sampling(Sampling::with(model.clone()).max_tokens(50).allow(|_| true))
            .build()
            .unwrap();
        offered(&host, "e/trigger-sampling-request").await;
        let input = json!({"prompt": "Why?", "maxTokens": 1000});
        let said = host.call_tool("e/trigger-sampling-request", input).await.unwrap();
        let said = said.as_str().unwrap();
        assert!(said.contains(r#""text": "Forty-two.""#), "{said}");
        let asked = &model.requests()[0];
        let texts: Vec<_> = asked.messages.iter().map(genkit::Message::text).collect();
        let question = "Resource trigger-sampling-request context: Why?";
        assert_eq!(texts, ["You are a helpful test server.", question]);
        assert_eq!(asked.config["maxOutputTokens"], 50);
        server.end(host).await;
    }
}

#[tokio::test]
async fn sampling_that_is_not_allowed_is_rejected() {
    for transport in TRANSPORTS {
        let server = Everything::start("refusal", transport);
        let model = ScriptedModel::text("never asked");
        let host = McpHost::builder()
            .server("e", server.config(false))
            .sampling(Sampling::with(model.clone()).allow(|_| false))
            .build()
            .unwrap();
        offered(&host, "e/trigger-sampling-request").await;
        let call = host.call_tool("e/trigger-sampling-request", json!({"prompt": "Why?"}));
        let error = call.await.unwrap_err().to_string();
        assert!(error.contains("does not allow sampling"), "{error}");
        assert_eq!(model.requests().len(), 0);
        server.end(host).await;
    }
}

#[tokio::test]
async fn elicitation_is_answered_by_the_handler() {
    for transport in TRANSPORTS {
        let server = Everything::start("handler", transport);
        let asked: Arc<Mutex<Vec<ElicitRequest>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let host = McpHost::builder()
            .server("e", server.config(false))
            .on_elicit(move |request| {
                seen.lock().unwrap().push(request);
                async { Elicited::Accepted(json!({"name": "Ada", "integer": 7})) }
            })
            .build()
            .unwrap();
        offered(&host, "e/trigger-elicitation-request").await;
        let said = host.call_tool("e/trigger-elicitation-request", json!({})).await.unwrap();
        let said = said.as_str().unwrap();
        assert!(said.contains("- Name: Ada\n") && said.contains("- Favorite Integer: 7"), "{said}");
        let asked = asked.lock().unwrap().remove(0);
        assert_eq!((asked.server.as_str(), asked.message.as_str()), ("e", FORM));
        let schema = asked.schema.as_ref().unwrap();
        assert_eq!(schema["required"], json!(["name"]));
        // Every kind of field of the protocol is passed on as the server wrote it.
        let fields = &schema["properties"];
        assert_eq!(fields.as_object().unwrap().len(), 13);
        assert_eq!(fields["integer"]["maximum"], 100);
        assert_eq!(fields["titledSingleSelectEnum"]["oneOf"][1]["title"], "Green Lantern");
        assert_eq!(fields["titledMultipleSelectEnum"]["items"]["anyOf"][0]["const"], "fish-1");
        assert_eq!(fields["legacyTitledEnum"]["enumNames"][4], "Reptiles");
        server.end(host).await;
    }
}

#[tokio::test]
async fn declined_or_cancelled_elicitation_is_reported_to_the_server() {
    for (answer, said) in
        [(Elicited::Declined, "User declined"), (Elicited::Cancelled, "User cancelled")]
    {
        let server = Everything::start("decline", TRANSPORTS[0]);
        let host = McpHost::builder()
            .server("e", server.config(false))
            .on_elicit(move |_| std::future::ready(answer.clone()))
            .build()
            .unwrap();
        offered(&host, "e/trigger-elicitation-request").await;
        let told = host.call_tool("e/trigger-elicitation-request", json!({})).await.unwrap();
        assert!(told.as_str().unwrap().contains(said), "{told}");
        server.end(host).await;
    }
}

/// A page to visit, requested as a question, and as an error that lists what is missing.
#[tokio::test]
async fn page_to_visit_is_a_question_or_an_error() {
    for transport in TRANSPORTS {
        let server = Everything::start("page", transport);
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let host = McpHost::builder()
            .server("e", server.config(false))
            .on_elicit(move |request: ElicitRequest| {
                assert_eq!(request.schema, None);
                seen.lock().unwrap().push(request.url.unwrap());
                async { Elicited::Accepted(Value::Null) }
            })
            .build()
            .unwrap();
        offered(&host, "e/trigger-url-elicitation").await;
        let url = "https://example.com/sign-in";
        let call = host.call_tool("e/trigger-url-elicitation", json!({"url": url}));
        let said = call.await.unwrap();
        assert!(said.as_str().unwrap().contains("User completed the URL elicitation flow"));
        assert_eq!(*asked.lock().unwrap(), [url]);
        let input = json!({"url": url, "errorPath": true});
        let error = host.call_tool("e/trigger-url-elicitation", input).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains("requires browser-based authorization"), "{said}");
        // The address is in the details.
        let details = serde_json::to_string(&error.details()).unwrap();
        assert!(details.contains("https://modelcontextprotocol.io"), "{details}");
        server.end(host).await;
    }
}

/// Without a handler the loop is interrupted, and resumed in another process.
#[tokio::test]
async fn interrupted_loop_is_resumed_in_another_process() {
    for transport in TRANSPORTS {
        let server = Everything::start("loop", transport);
        let first = server.host().await;
        let tool = "e/trigger-elicitation-request";
        offered(&first, tool).await;
        let model = calling(tool, json!({}));
        let asked = genkit::generate("Ask.").model(model.clone()).tools(first.tools());
        let asked = asked.await.unwrap();
        let questions = asked.interrupts();
        assert_eq!(questions.len(), 1, "{asked:?}");
        let message = questions[0].message().unwrap();
        assert!(message.contains("e: ") && message.contains(FORM), "{message}");
        assert_eq!(questions[0].schema().unwrap()["required"], json!(["name"]));
        let stored = serde_json::to_string(&asked).unwrap();
        server.end(first).await;

        let second = server.host().await;
        offered(&second, tool).await;
        let asked: GenerateResponse = serde_json::from_str(&stored).unwrap();
        let answer = asked.interrupts()[0].accept(json!({"name": "Eve", "check": true}));
        let done = genkit::resume_with_answers(asked, [answer])
            .model(model.clone())
            .tools(second.tools())
            .await
            .unwrap();
        assert_eq!(done.text(), "Done.");
        let said = model.tool_outputs(tool).remove(0);
        let said = said.as_str().unwrap();
        assert!(said.contains("- Name: Eve\n- Agreed to terms: true"), "{said}");
        server.end(second).await;
    }
}

#[tokio::test]
async fn folders() {
    for transport in TRANSPORTS {
        let server = Everything::start("roots", transport);
        let host = McpHost::builder()
            .server("e", server.config(false))
            .roots(["file:///srv/one"])
            .build()
            .unwrap();
        offered(&host, "e/get-roots-list").await;
        let says = async |folder: &str| {
            let said = host.call_tool("e/get-roots-list", json!({})).await.unwrap();
            said.as_str().unwrap().contains(&format!("URI: {folder}"))
        };
        assert!(says("file:///srv/one").await);
        host.set_roots(["file:///srv/two"]).await;
        until("the other folder", async || says("file:///srv/two").await).await;
        assert!(!says("file:///srv/one").await);
        server.end(host).await;
    }
}
