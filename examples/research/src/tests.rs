use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::serde_json::json;
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Error, ErrorKind, Result};

use crate::view::{Times, View};
use crate::{parse_options, research};

async fn run(
    model: &ScriptedModel,
    question: &str,
    turns: usize,
    terminal: bool,
) -> (String, Result<()>) {
    let times = Times::default();
    let mut view = View::new(Vec::new(), terminal, times.clone());
    let ended = research(question, model.clone(), turns, times, &mut view).await;
    (String::from_utf8(view.out).unwrap(), ended)
}

fn search() -> ModelResponse {
    let query = "rings ".repeat(40);
    ModelResponse::from_tool_requests([
        ToolRequest::new("search", json!({"query": query})),
        ToolRequest::new("read", json!({"planet": "pluto"})),
    ])
}

#[tokio::test]
async fn run_is_shown_line_by_line() {
    let mut last = ModelResponse::from_text("Four planets have rings.\nSee saturn.");
    last.usage.input_tokens = Some(30);
    last.usage.output_tokens = Some(8);
    let model = ScriptedModel::new([search(), last]);
    let (shown, ended) = run(&model, "Rings?", 8, false).await;
    ended.unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("call    search {\"query\":\"rings rings"), "{shown}");
    assert!(lines[0].ends_with('…') && lines[0].chars().count() < 120, "{shown}");
    assert_eq!(lines[1], r#"call    read {"planet":"pluto"}"#);
    assert!(lines[2].starts_with("        search: 4 items in "), "{shown}");
    let failed = "read: failed: Invalid arguments for `read`: at `planet`: unknown variant `pluto`";
    assert!(lines[3].contains(failed), "{shown}");
    assert_eq!(lines[4..7], ["answer", "Four planets have rings.", "See saturn."]);
    assert_eq!(lines[7..], ["(2 turns, 2 tool calls, 30 tokens in, 8 out)"]);
}

#[tokio::test]
async fn terminal_sees_progress_that_goes_away() {
    let model = ScriptedModel::new([search(), ModelResponse::from_text("Four.")]);
    let (shown, _) = run(&model, "Rings?", 8, true).await;
    assert!(shown.contains("search: 1 of 8 Mercury\r\x1b[2K"), "{shown:?}");
    assert!(shown.contains("\r\x1b[2K        search: 4 items"), "{shown:?}");
}

#[tokio::test]
async fn limit_shows_what_was_found() {
    let model = ScriptedModel::new([search(), search()]);
    let (shown, ended) = run(&model, "Rings?", 1, false).await;
    ended.unwrap();
    assert!(shown.contains("\nfound so far\n        search: [{\"planet\":\"jupiter\""), "{shown}");
    assert!(shown.contains("(stopped at the limit of 1 round of tool calls"), "{shown}");
    assert!(shown.ends_with("(2 turns, 2 tool calls, tokens unknown)\n"), "{shown}");
}

#[tokio::test]
async fn failure_shows_what_was_found() {
    let down = Scripted::from(Err(Error::new(ErrorKind::Unavailable, "overloaded")));
    let model = ScriptedModel::new([search().into(), down]);
    let (shown, ended) = run(&model, "Rings?", 8, false).await;
    assert_eq!(ended.unwrap_err().to_string(), "overloaded");
    assert!(shown.contains("found so far"), "{shown}");
}

#[tokio::test]
async fn document_is_attached_by_its_address() {
    let model = ScriptedModel::text("Yes.");
    run(&model, "Was planet://mars, once, wet?", 8, false).await.1.unwrap();
    let asked = model.requests()[0].messages.last().unwrap().text();
    assert!(asked.starts_with("Was planet://mars, once, wet?"), "{asked}");
    assert!(asked.contains("Olympus Mons is the tallest volcano"), "{asked}");
    let (_, ended) = run(&model, "And planet://pluto?", 8, false).await;
    assert!(ended.unwrap_err().chain().contains("pluto"));
}

#[test]
fn command_line_is_read() {
    let read = |line: &str| parse_options(line.split_whitespace().map(str::to_owned));
    let wanted = read("--turns 3 --model m why?").unwrap();
    assert_eq!((wanted.turns, wanted.model.as_deref()), (3, Some("m")));
    assert_eq!(wanted.question.as_deref(), Some("why?"));
    for (line, said) in [
        ("--turn 3", "unknown option --turn"),
        ("--turns x", "`--turns x` is not a number"),
        ("--turns", "--turns needs a value"),
        ("a b", "put quotes around it"),
    ] {
        let error = read(line).err().unwrap().to_string();
        assert!(error.contains(said) && error.contains("usage: "), "{error}");
    }
}
