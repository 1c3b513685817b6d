//! The prompts of `server-everything`, and the suggestions for their arguments.

use genkit::model::ModelResponse;
use genkit::testing::{Client, ScriptedModel};
use genkit::{Genkit, Registry, Role};
use serde_json::{Value, json};

use super::{Everything, TRANSPORTS};

#[tokio::test]
async fn prompts_of_server_everything_are_rendered() {
    for transport in TRANSPORTS {
        let server = Everything::start("prompts", transport);
        let host = server.host().await;
        let prompts = host.prompts().await.unwrap();
        let mut names: Vec<_> = prompts.iter().map(|prompt| prompt.name()).collect();
        names.sort_unstable();
        let all = ["e/args-prompt", "e/completable-prompt", "e/resource-prompt", "e/simple-prompt"];
        assert_eq!(names, all);
        let of = |name: &str| prompts.iter().find(|prompt| prompt.name() == name).unwrap();
        let arguments = of("e/args-prompt").arguments();
        let required: Vec<_> = arguments.iter().map(|a| (a.name.as_str(), a.required)).collect();
        assert_eq!(required, [("city", true), ("state", false)]);

        let get = async |name: &str, arguments: Value| {
            host.get_prompt(&format!("e/{name}"), arguments).await
        };
        let simple = get("simple-prompt", json!({})).await.unwrap();
        assert_eq!(simple.messages()[0].text(), "This is a simple prompt without arguments.");
        assert_eq!(simple.messages()[0].role, Role::User);
        let args = get("args-prompt", json!({"city": "Oslo"})).await.unwrap();
        assert_eq!(args.messages()[0].text(), "What's weather in Oslo?");
        let args = json!({"city": "Austin", "state": "Texas"});
        let args = get("args-prompt", args).await.unwrap();
        assert_eq!(args.messages()[0].text(), "What's weather in Austin, Texas?");
        let team = json!({"department": "Sales", "name": "Eve"});
        let team = get("completable-prompt", team).await.unwrap();
        let promoted = "Please promote Eve to the head of the Sales team.";
        assert_eq!(team.messages()[0].text(), promoted);
        let with = json!({"resourceType": "Text", "resourceId": 5});
        let with = get("resource-prompt", with).await.unwrap();
        let [question, resource] = with.messages() else { panic!("{with:?}") };
        assert!(question.text().contains("the Text resource with id: 5"));
        assert!(resource.text().starts_with("Resource 5: This is a plaintext resource"));

        let error = get("args-prompt", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("city"), "{error}");
        let error = get("no-prompt", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("no-prompt"), "{error}");
        server.end(host).await;
    }
}

/// A run begins with a prompt by name, with the options of every run.
#[tokio::test]
async fn run_of_a_prompt_has_input_options_and_a_stream() {
    for transport in TRANSPORTS {
        let server = Everything::start("prompt-runs", transport);
        let host = server.host().await;
        let model = ScriptedModel::new([
            ModelResponse::from_text("Sunny."),
            ModelResponse::from_text("Rainy."),
            ModelResponse::from_text("A resource."),
        ]);
        let asked = |at: usize| model.requests()[at].messages.last().unwrap().text();
        let run = host.prompt("e/args-prompt").input(json!({"city": "Oslo"})).model(model.clone());
        assert_eq!(run.system("Be brief.").temperature(0.5).await.unwrap().text(), "Sunny.");
        assert_eq!(asked(0), "What's weather in Oslo?");
        let request = model.requests()[0].clone();
        assert_eq!(request.messages[0].text(), "Be brief.");
        assert_eq!(request.config["temperature"], 0.5);

        let client = host.client("e").unwrap();
        let given = json!({"city": "Austin", "state": "Texas"});
        let run = client.prompt("args-prompt").input(given).model(model.clone());
        let mut stream = run.tools(host.tools().only(["e/echo"])).stream();
        let mut text = String::new();
        while let Some(chunk) = stream.next().await {
            text.push_str(&chunk.unwrap().text());
        }
        assert_eq!(text, "Rainy.");
        assert_eq!(asked(1), "What's weather in Austin, Texas?");
        assert_eq!(model.requests()[1].tools[0].name, "e/echo");

        let with = json!({"resourceType": "Text", "resourceId": 5});
        host.prompt("e/resource-prompt").input(with).model(model.clone()).await.unwrap();
        assert!(asked(2).contains("Resource 5: This is a plaintext resource"), "{}", asked(2));

        for (run, expected) in [
            (host.prompt("e/args-prompt"), "city"),
            (host.prompt("e/no-prompt"), "no-prompt"),
            (host.prompt("nowhere/x"), "nowhere"),
            (host.prompt("no-key"), "no-key"),
        ] {
            let error = run.model(ScriptedModel::text("")).await.unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        drop(client);
        server.end(host).await;
    }
}

/// Suggestions pass through a proxy, together with the other values of the form.
#[tokio::test]
async fn suggestions() {
    for transport in TRANSPORTS {
        let server = Everything::start("suggestions", transport);
        let host = server.host().await;
        let front = Genkit::builder().registry(Registry::new()).build().unwrap();
        host.register_in(front.registry()).await;
        let client = Client::connect(front.serve_mcp().host(&host)).await.unwrap();
        let names: Vec<_> =
            client.prompts().await.unwrap().iter().map(|prompt| prompt.name().to_owned()).collect();
        let name = names.iter().find(|name| name.ends_with("completable-prompt")).unwrap();
        let departments = client.complete(name, "department", "S").await.unwrap();
        assert_eq!(departments, ["Sales", "Support"]);
        let template = "demo://resource/dynamic/text/{resourceId}";
        assert_eq!(client.complete_uri(template, "resourceId", "12").await.unwrap(), ["12"]);
        let none: [&str; 0] = [];
        assert_eq!(client.complete_uri(template, "resourceId", "x").await.unwrap(), none);

        // The same without a proxy, with the other values of the form.
        let given =
            host.complete("e/completable-prompt", "name", "").argument("department", "Sales");
        assert_eq!(given.await.unwrap(), ["David", "Eve", "Frank"]);
        let own = host.client("e").unwrap();
        let found = own.complete("completable-prompt", "department", "Su").await.unwrap();
        assert_eq!(found, ["Support"]);

        // The same with the SDK's handle, where the department narrows the names.
        use genkit::mcp::rmcp::RawClient as _;
        use genkit::mcp::rmcp::model::{
            ArgumentInfo, CompleteRequestParams, CompletionContext, Reference,
        };
        let typed = |argument: &str, value: &str| {
            let of = Reference::for_prompt(name.as_str());
            let mut params = CompleteRequestParams::new(of, ArgumentInfo::new(argument, value));
            let others = [("department".to_owned(), "Engineering".to_owned())].into();
            params.context = Some(CompletionContext::with_arguments(others));
            params
        };
        let said = client.peer().complete(typed("name", "")).await.unwrap();
        assert_eq!(said.completion.values, ["Alice", "Bob", "Charlie"]);
        drop(client);
        server.end(host).await;
    }
}
