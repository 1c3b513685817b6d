//! Tools that request user input, sampling and roots from the client.

use genkit::schemars::JsonSchema;
use genkit::serde::{Deserialize, Serialize};
use genkit::serde_json::{Value, json};
use genkit::{Context, Elicited, Result, tool};

/// Calls the client's model.
#[tool]
async fn test_sampling(
    ctx: &Context,
    /// The prompt for the model.
    prompt: String,
) -> Result<String> {
    let answer = ctx.sample(prompt).max_tokens(100).await?;
    Ok(format!("LLM response: {}", answer.text()))
}

/// The identity of the user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Account {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// Asks the user who they are.
#[tool]
async fn test_elicitation(
    ctx: &Context,
    /// The message for the user.
    message: String,
) -> Result<String> {
    Ok(match ctx.elicit::<Account>(message).await? {
        Elicited::Accepted(Account { username, email }) => {
            format!("User response: action=accept, username={username}, email={email}")
        }
        Elicited::Declined => "User response: action=decline".to_owned(),
        Elicited::Cancelled => "User response: action=cancel".to_owned(),
    })
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde", rename_all = "lowercase")]
#[schemars(crate = "genkit::schemars")]
enum Status {
    Active,
    Inactive,
    Pending,
}

/// A form with a default in every field.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde", default)]
#[schemars(crate = "genkit::schemars")]
struct Profile {
    name: String,
    age: i64,
    score: f64,
    status: Status,
    verified: bool,
}

impl Default for Profile {
    fn default() -> Self {
        let name = "John Doe".to_owned();
        Self { name, age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

/// Asks with defaults.
#[tool]
async fn test_elicitation_sep1034_defaults(ctx: &Context) -> Result<String> {
    let answer = ctx.elicit::<Profile>("Please check your profile").await?;
    Ok(match answer {
        Elicited::Accepted(profile) => {
            let content = genkit::serde_json::to_string(&profile)?;
            format!("Elicitation completed: action=accept, content={content}")
        }
        other => format!("Elicitation completed: {other:?}"),
    })
}

/// Asks with every kind of enumeration.
#[tool]
async fn test_elicitation_sep1330_enums(ctx: &Context) -> Result<String> {
    let form = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
            "titledSingle": { "type": "string", "oneOf": [
                { "const": "value1", "title": "First Option" },
                { "const": "value2", "title": "Second Option" },
                { "const": "value3", "title": "Third Option" }
            ]},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            },
            "untitledMulti": {
                "type": "array",
                "items": { "type": "string", "enum": ["option1", "option2", "option3"] }
            },
            "titledMulti": { "type": "array", "items": { "anyOf": [
                { "const": "value1", "title": "First Choice" },
                { "const": "value2", "title": "Second Choice" },
                { "const": "value3", "title": "Third Choice" }
            ]}}
        }
    });
    let answer = ctx.elicit_form("Please choose", form).await?;
    Ok(format!("Elicitation completed: {answer:?}"))
}

/// A name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Name {
    name: String,
}

/// Asks for a name. The suite also sends the answer in advance.
#[tool]
async fn test_input_required_result_elicitation(ctx: &Context) -> Result<String> {
    let asks = ctx.elicit::<Name>("What is your name?").key("user_name").allow_unasked(true);
    let answer = asks.await?.accepted()?;
    Ok(format!("Hello, {}!", answer.name))
}

/// Asks in the middle of a stream.
#[tool]
async fn test_streaming_elicitation(ctx: &Context) -> Result<String> {
    ctx.progress(1.0).await;
    let answer = ctx.elicit::<Name>("What is your name?").key("user_name").await?.accepted()?;
    Ok(format!("Hello, {}!", answer.name))
}

/// Asks the client's model.
#[tool]
async fn test_input_required_result_sampling(ctx: &Context) -> Result<String> {
    let question = "What is the capital of France?";
    Ok(ctx.sample(question).max_tokens(100).key("capital_question").await?.text())
}

/// Needs a client that supports sampling.
#[tool]
async fn test_missing_capability(ctx: &Context) -> Result<String> {
    Ok(ctx.sample("Say hello.").max_tokens(10).await?.text())
}

/// Asks for the client's folders.
#[tool]
async fn test_input_required_result_list_roots(ctx: &Context) -> Result<String> {
    let roots = ctx.roots().key("client_roots").await?;
    let uris: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
    Ok(format!("Roots: {}", uris.join(", ")))
}

async fn confirm(ctx: &Context) -> Result<bool> {
    let form = json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean" } },
        "required": ["ok"]
    });
    let answer: Value = ctx.elicit_form("Please confirm", form).key("confirm").await?.accepted()?;
    Ok(answer["ok"] == true)
}

/// Asks for a confirmation; the earlier state is returned with the answer.
#[tool]
async fn test_input_required_result_request_state(ctx: &Context) -> Result<String> {
    let before =
        ctx.once("before", async { Ok::<_, genkit::Error>("state-ok".to_owned()) }).await?;
    let confirmed = confirm(ctx).await?;
    Ok(format!("{before}, confirmed: {confirmed}"))
}

/// Asks for a confirmation with tamper-proof state.
#[tool]
async fn test_input_required_result_tampered_state(ctx: &Context) -> Result<String> {
    let confirmed = confirm(ctx).await?;
    Ok(format!("state-ok, confirmed: {confirmed}"))
}

/// Asks three questions at once.
#[tool]
async fn test_input_required_result_multiple_inputs(ctx: &Context) -> Result<String> {
    let (name, greeting, roots) = tokio::join!(
        ctx.elicit::<Name>("What is your name?").key("user_name").into_future(),
        ctx.sample("Generate a greeting").max_tokens(50).key("greeting").into_future(),
        ctx.roots().key("client_roots").into_future(),
    );
    let (name, greeting, roots) = (name?.accepted()?.name, greeting?.text(), roots?.len());
    Ok(format!("{greeting} {name}, you work in {roots} folders."))
}

/// A colour.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Color {
    color: String,
}

/// Asks two questions, one after another.
#[tool]
async fn test_input_required_result_multi_round(ctx: &Context) -> Result<String> {
    let first = ctx.elicit::<Name>("Step 1: What is your name?").key("step1").await?.accepted()?;
    let second = ctx
        .elicit::<Color>("Step 2: What is your favorite color?")
        .key("step2")
        .await?
        .accepted()?;
    Ok(format!("{} likes {}.", first.name, second.color))
}

/// Asks only for what the client supports.
#[tool]
async fn test_input_required_result_capabilities(ctx: &Context) -> Result<String> {
    let mut said = Vec::new();
    if ctx.can_sample() {
        said.push(ctx.sample("Say hello.").max_tokens(50).key("greeting").await?.text());
    }
    if ctx.can_elicit() {
        let name = ctx.elicit::<Name>("What is your name?").key("user_name").await?.accepted()?;
        said.push(name.name);
    }
    Ok(format!("Said: {}", said.join(", ")))
}
