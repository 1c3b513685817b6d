//! A history that began with one provider continues with every other: each request follows the rules of its provider.

use genkit::message::ToolResponse;
use genkit::model::{ChunkSink, ModelRequest, ToolDefinition};
use genkit::{Message, Part, Role};
use serde_json::{Value, json};

use crate::cases::BUILT;
use crate::mock::{Asked, Mock, Piece, Said, Who, dialect};
use crate::rules::refused;

/// Ids of calls as providers create them; some calls have none, some the same id twice.
const IDS: [[Option<&str>; 3]; 8] = [
    [Some("call_1"), Some("call_2"), Some("call_3")],
    [Some("toolu_01A09q90qw90lq917835lq9"), Some("toolu_02"), Some("toolu_03")],
    [None, None, None],
    [Some("functions.add:0"), Some("functions.now:1"), Some("functions.add:0")],
    [
        Some(LONG),
        Some("call_that_is_very_long_but_not_the_same_as_the_other_one_which_is_longer_still"),
        Some("a"),
    ],
    [Some("grüße/1"), Some("a b|c"), Some("a+b=c")],
    [Some("0"), Some("1"), Some("0")],
    [Some("9c1c2b0e-7f0a-4b5e-9a4f-0d5b2f1f7d11"), Some("_"), Some("-")],
];

const LONG: &str =
    "call_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn signature(provider: &str, number: usize) -> String {
    // Base64, like that of every provider.
    let plain = format!("signature {number} of {provider}");
    match Part::image("image/png", plain) {
        Part::Media { media, .. } => media.url.split_once(";base64,").unwrap().1.to_owned(),
        _ => unreachable!(),
    }
}

/// Returns the request for each provider, with tools, one of which has a name that no API accepts.
fn request(messages: Vec<Message>) -> ModelRequest {
    let object = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let tools = ["add", "now", "fs/read file"];
    let tools =
        tools.map(|name| ToolDefinition::new(name, "A tool.").with_input_schema(object.clone()));
    ModelRequest::new(messages).with_tools(tools)
}

async fn says(provider: &str, messages: &[Message], said: Said) -> Message {
    let mock = Mock::says(dialect(provider), [said]);
    let request = request(messages.to_vec());
    mock.model(provider).generate(&request, &ChunkSink::none()).await.unwrap().message.unwrap()
}

fn answer(message: &Message, number: usize, output: Value) -> Part {
    let call = message.tool_requests().nth(number).unwrap();
    let mut response = ToolResponse::new(call.name.clone(), output);
    response.id.clone_from(&call.id);
    Part::tool_response(response)
}

/// A conversation with `provider`: signed thoughts, text, two calls at once and another one, results with an image and
/// with an error, provider-specific content, and cache breakpoints.
async fn begun(provider: &str, ids: [Option<&str>; 3]) -> Vec<Message> {
    let marked = |part: Part| part.with_metadata("cache_control", json!({"type": "ephemeral"}));
    let mut messages = vec![
        Message::new(Role::System, [marked(Part::text("Be brief."))]),
        Message::user("Look:")
            .with(marked(Part::image("image/png", b"picture")))
            .with(Part::resource_text("notes://1", "text/plain", "the note"))
            .with(Part::data(json!({"n": 1})))
            .with(Part::text("")),
    ];
    let said = Said { own: true, ..Said::text("First I add.") }
        .thought("I should add.", &signature(provider, 1))
        .calls(ids[0], "add", json!({"a": 1}))
        .calls(ids[1], "fs__read_file", json!({}));
    let first = says(provider, &messages, said).await;
    let mut picture = ToolResponse::new("fs/read file", "the file");
    picture.content = vec![Part::image("image/png", b"picture")];
    picture.id.clone_from(&first.tool_requests().nth(1).unwrap().id);
    let answers = [answer(&first, 0, json!({"sum": 2})), Part::tool_response(picture)];
    messages.extend([first, Message::new(Role::Tool, answers)]);
    let said = Said::default().thought("And the time.", &signature(provider, 2)).calls(
        ids[2],
        "now",
        json!({}),
    );
    let second = says(provider, &messages, said).await;
    let failed = answer(&second, 0, json!({"error": "the clock is broken"}));
    messages.extend([second, Message::new(Role::Tool, [failed])]);
    messages
}

/// Returns the conversation after the model's last message and the user's next one.
async fn ended(provider: &str, mut messages: Vec<Message>) -> Vec<Message> {
    let said = Said::text("It is two.").thought("Done.", &signature(provider, 3));
    let last = says(provider, &messages, said).await;
    messages.extend([last, Message::model(Part::text("")), Message::user("And now?")]);
    messages
}

/// Sends a history to `provider`. Returns the body.
async fn sent(provider: &str, messages: &[Message], config: &[(&str, Value)]) -> Value {
    let mock = Mock::says(dialect(provider), [Said::text("ok")]);
    let mut request = request(messages.to_vec());
    request.config.extend(config.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    mock.model(provider).generate(&request, &ChunkSink::none()).await.unwrap();
    mock.last()
}

/// Returns the errors in the request to `to` with a history of `from`.
fn faults(from: &str, to: &str, body: &Value) -> Vec<String> {
    let own: Vec<String> = (1..=3).map(|number| signature(to, number)).collect();
    let mut found = refused(to, body, &own);
    let text = body.to_string();
    if from != to && (1..=3).any(|number| text.contains(&signature(from, number))) {
        found.push(format!("a signature of {from} is sent"));
    }
    for secret in ["signedBy", "generatedRef"] {
        if text.contains(secret) {
            found.push(format!("`{secret}` is sent"));
        }
    }
    let asked = dialect(to).asked(body);
    if !["Be brief.", "Look:", "the note", "First I add."]
        .iter()
        .all(|text| asked.text().contains(text))
    {
        found.push(format!("text is lost: {}", asked.text()));
    }
    let pieces = |wanted: fn(&Piece) -> bool| asked.pieces().filter(|piece| wanted(piece)).count();
    let calls = pieces(|piece| matches!(piece, Piece::Call { .. }));
    let answers = pieces(|piece| matches!(piece, Piece::Answer { .. }));
    let images = pieces(|piece| matches!(piece, Piece::Media(_, data) if data == "cGljdHVyZQ=="));
    if (calls, answers, images) != (3, 3, 2) {
        found.push(format!("{calls} calls, {answers} answers, {images} images"));
    }
    for what in ["the file", "the clock is broken"] {
        if !text.contains(what) {
            found.push(format!("{what:?} is lost"));
        }
    }
    found.extend(unlike(&asked));
    found
}

/// Returns the calls and results that do not match by id, or by order if there are no ids.
fn unlike(asked: &Asked) -> Vec<String> {
    let mut open: Vec<Option<String>> = Vec::new();
    let mut found = Vec::new();
    for (who, pieces) in &asked.turns {
        for piece in pieces {
            match (who, piece) {
                (Who::Model, Piece::Call { id, .. }) => open.push(id.clone()),
                (Who::User, Piece::Answer { id, .. }) => {
                    match open.iter().position(|call| call == id) {
                        Some(at) => drop(open.remove(at)),
                        None => found.push(format!("{id:?} answers no call")),
                    }
                }
                _ => {}
            }
        }
    }
    found.extend(open.iter().map(|id| format!("{id:?} is not answered")));
    found
}

#[tokio::test]
async fn history_can_be_continued_with_every_provider() {
    let (mut wrong, mut sent_count) = (Vec::new(), 0);
    for from in BUILT {
        for ids in IDS {
            let open = begun(from, ids).await;
            let whole = ended(from, open.clone()).await;
            // Stored and loaded again, as in a program that continues elsewhere.
            let stored = |messages: &[Message]| -> Vec<Message> {
                serde_json::from_str(&serde_json::to_string(messages).unwrap()).unwrap()
            };
            for (what, messages) in
                [("within a round", stored(&open)), ("after a turn", stored(&whole))]
            {
                for to in BUILT {
                    for config in [&[][..], &[("reasoningEffort", json!("high"))][..]] {
                        let body = sent(to, &messages, config).await;
                        sent_count += 1;
                        let found = faults(from, to, &body);
                        let effort = if config.is_empty() { "" } else { " with effort" };
                        let one = |fault| {
                            format!("{from} → {to} {what}{effort}, ids {:?}: {fault}", ids[0])
                        };
                        wrong.extend(found.into_iter().map(one));
                    }
                }
            }
        }
    }
    wrong.dedup();
    genkit_tests::print_uncaptured(&format!(
        "histories: {sent_count} requests, {} faults\n",
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{} faults:\n  {}", wrong.len(), wrong.join("\n  "));
}

/// Histories that the loop does not produce, but that programs may store. Each is sent to every provider.
#[tokio::test]
async fn odd_histories_are_sent_as_each_provider_takes_them() {
    use genkit::message::ToolRequest;
    let call = |id: &str| Part::tool_request(ToolRequest::new("add", json!({"a": 1})).with_id(id));
    let answer = |id: &str| {
        let mut response = ToolResponse::new("add", 2);
        response.id = Some(id.to_owned());
        Part::tool_response(response)
    };
    let user = || Message::user("hi");
    let histories = [
        ("two of the user", vec![user(), user()]),
        ("two of the model", vec![user(), Message::model("a"), Message::model("b"), user()]),
        ("an empty answer", vec![user(), Message::new(Role::Model, []), user()]),
        ("an empty text", vec![user(), Message::model(""), user()]),
        ("a blank text", vec![user(), Message::model("  \n"), user()]),
        (
            "answers in two messages",
            vec![
                user(),
                Message::new(Role::Model, [call("x1"), call("x2")]),
                Message::new(Role::Tool, [answer("x1")]),
                Message::new(Role::Tool, [answer("x2")]),
            ],
        ),
        (
            "the same id in two turns",
            vec![
                user(),
                Message::new(Role::Model, [call("x")]),
                Message::new(Role::Tool, [answer("x")]),
                Message::new(Role::Model, [call("x")]),
                Message::new(Role::Tool, [answer("x")]),
            ],
        ),
        (
            "answers in another order",
            vec![
                user(),
                Message::new(Role::Model, [call("x1"), call("x2")]),
                Message::new(Role::Tool, [answer("x2"), answer("x1")]),
            ],
        ),
        (
            "a system message at the end",
            vec![user(), Message::model("a"), Message::system("be brief"), user()],
        ),
        (
            "thoughts of nobody",
            vec![user(), Message::model(Part::reasoning("hm")).with(Part::text("a")), user()],
        ),
        (
            "a call that was not answered",
            vec![user(), Message::new(Role::Model, [call("x")]), user()],
        ),
        (
            "text after the answers",
            vec![
                user(),
                Message::new(Role::Model, [call("x")]),
                Message::new(Role::Tool, [answer("x"), Part::text("and more")]),
                user(),
            ],
        ),
        ("the model begins", vec![Message::model("Hello!"), user()]),
        (
            "custom parts of others",
            vec![
                user(),
                Message::model("a").with(Part::custom(
                    json!({"redactedThinking": "x", "somebody": {"a": 1}})
                        .as_object()
                        .unwrap()
                        .clone(),
                )),
                user(),
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (what, messages) in histories {
        for to in BUILT {
            // A signature of unknown origin is assumed to be the provider's own; only the API can check it.
            let found = refused(to, &sent(to, &messages, &[]).await, &["x".to_owned()]);
            wrong.extend(found.into_iter().map(|fault| format!("{what} → {to}: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n  {}", wrong.len(), wrong.join("\n  "));
}
