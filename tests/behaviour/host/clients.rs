//! Clients of one server, created with their builder.

use std::sync::{Arc, Mutex};

use genkit::mcp::host::{ElicitRequest, McpClient, McpEvent};
use genkit::{Context, Elicited, Result, prompt, prompts, tool, tools};
use serde_json::json;

use super::{ERAS, registry, server};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Size {
    size: u32,
}

/// Describes the client.
#[tool]
async fn who(ctx: &Context) -> Result<String> {
    let client = ctx.client().map(|client| format!("{} {}", client.name, client.version));
    let size = ctx.elicit::<Size>("Which size?").await?.accepted()?.size;
    let roots = ctx.roots().await?;
    Ok(format!("{} size {size} root {}", client.unwrap_or_default(), roots[0].uri))
}

/// Greets.
#[prompt]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Pays at the bank.
#[tool]
async fn pay(ctx: &Context) -> Result<String> {
    ctx.elicit_url("https://bank.example.com/pay", "Confirm.").id("bill-7").await?.accepted()?;
    ctx.url_completed("bill-7").await;
    Ok("paid".to_owned())
}

#[tokio::test]
async fn client_learns_when_the_user_is_done_with_a_page() {
    for era in ERAS {
        let registry = registry(tools![pay]);
        let (seen, ids) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (events, asked) = (Arc::clone(&seen), Arc::clone(&ids));
        let client = McpClient::builder("bank")
            .on_elicit(move |question: ElicitRequest| {
                assert_eq!(question.url.as_deref(), Some("https://bank.example.com/pay"));
                asked.lock().unwrap().extend(question.id);
                async { Elicited::Accepted(json!({})) }
            })
            .on_event(move |event| {
                if let McpEvent::UrlCompleted { server, id, .. } = event {
                    events.lock().unwrap().push(format!("{server} {id}"));
                }
            })
            .connect(server(&registry).protocol(era))
            .await
            .unwrap();
        assert_eq!(client.call_tool("pay", json!({})).await.unwrap(), "paid");
        assert_eq!(*ids.lock().unwrap(), ["bill-7"]);
        // The stateless protocol has no such notification.
        let expected: &[&str] = if era == ERAS[0] { &["bank bill-7"] } else { &[] };
        assert_eq!(*seen.lock().unwrap(), expected);
        client.close().await;
    }
}

#[tokio::test]
async fn client_reports_its_name_answers_questions_and_prefixes_names() {
    for era in ERAS {
        let registry = registry(tools![who]).add(prompts![greet]);
        let client = McpClient::builder("shop")
            .name("editor")
            .version("2.1.0")
            .roots(["file:///srv"])
            .on_elicit(|_: ElicitRequest| async { Elicited::Accepted(json!({"size": 7})) })
            .namespaced(true)
            .connect(server(&registry).protocol(era))
            .await
            .unwrap();
        assert_eq!(client.tools().await.unwrap()[0].name(), "shop/who");
        assert_eq!(client.prompts().await.unwrap()[0].name(), "shop/greet");
        let said = "editor 2.1.0 size 7 root file:///srv";
        for name in ["shop/who", "who"] {
            assert_eq!(client.call_tool(name, json!({})).await.unwrap(), said);
        }
        let greeting = client.get_prompt("shop/greet", json!({"name": "Ada"})).await.unwrap();
        assert_eq!(greeting.messages()[0].text(), "Hello, Ada!");
        client.close().await;
    }
}
