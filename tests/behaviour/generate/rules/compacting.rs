//! Compaction of long conversations: what is removed, how tokens are counted, what stays.

use genkit::generate::UsageLimit;
use genkit::message::ToolRequest;
use genkit::middleware::{compact, retry};
use genkit::model::{ModelRequest, ModelResponse, Usage};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Error, ErrorKind, Message, Role, tool, tools};
use serde_json::json;

/// Reads a page.
#[tool]
async fn read(page: u32) -> String {
    format!("page {page}: {}", "words ".repeat(100))
}

/// Returns a text of about 100 tokens.
fn long(name: &str) -> String {
    format!("{name}: {}", "some text ".repeat(38))
}

/// Returns a conversation of `turns` questions and answers, of about 200 tokens each.
fn talk(turns: usize) -> Vec<Message> {
    let turn = |n: usize| {
        [
            Message::user(long(&format!("question {n}"))),
            Message::model(long(&format!("answer {n}"))),
        ]
    };
    (0..turns).flat_map(turn).collect()
}

fn texts(request: &ModelRequest) -> Vec<String> {
    let start = |message: &Message| message.text().chars().take(11).collect();
    request.messages.iter().map(start).collect()
}

/// Returns whether each call is directly followed by its result, and each result follows its call.
fn is_whole(request: &ModelRequest) -> bool {
    let mut open: Vec<String> = Vec::new();
    request.messages.iter().all(|message| {
        let answered = message.tool_responses().all(|answer| {
            let at = open.iter().position(|id| Some(id) == answer.id.as_ref());
            at.map(|at| open.remove(at)).is_some()
        });
        let was_open = message.role != Role::Tool && !open.is_empty();
        open.extend(message.tool_requests().filter_map(|call| call.id.clone()));
        answered && !was_open
    })
}

#[tokio::test]
async fn short_conversation_is_sent_unchanged() {
    let model =
        ScriptedModel::text("hi").with_token_counts(|_| panic!("the tokens need not be counted"));
    let run = genkit::generate("hello").messages(talk(2)).model(model.clone());
    run.middleware(compact(10_000)).await.unwrap();
    assert_eq!(model.requests()[0].messages.len(), 5);
}

#[tokio::test]
async fn oldest_messages_are_dropped_and_pinned_ones_are_kept() {
    let mut history = talk(10);
    history[3] = Message::model(long("a promise")).pinned();
    history.insert(0, Message::system("Be brief."));
    let model = ScriptedModel::text("hi");
    let run = genkit::generate("and now?").messages(history).model(model.clone());
    let response = run.middleware(compact(1_000).target_tokens(650)).await.unwrap();
    let sent = texts(&model.requests()[0]);
    assert_eq!(sent[..3], ["Be brief.", "[14 earlier", "a promise: "]);
    assert_eq!(
        sent[3..],
        ["answer 7: s", "question 8:", "answer 8: s", "question 9:", "answer 9: s", "and now?"]
    );
    assert_eq!(response.messages().len(), 23, "the history is whole");
}

#[tokio::test]
async fn rounds_of_tools_go_whole_and_the_question_stays() {
    let call = |page| {
        let calls = [0, 1].map(|n| ToolRequest::new("read", json!({"page": 2 * page + n})));
        ModelResponse::from_tool_requests(calls)
    };
    let script = (0..9).map(call).chain([ModelResponse::from_text("done")]);
    let model = ScriptedModel::new(script);
    let run = genkit::generate("Read all.").model(model.clone()).tools(tools![read]).max_turns(20);
    let response = run.middleware(compact(1_200)).await.unwrap();
    assert_eq!((response.messages().len(), response.text()), (20, "done".to_owned()));
    let requests = model.requests();
    assert!(requests.iter().all(is_whole));
    assert!(requests.iter().all(|request| request.messages[0].text() == "Read all."));
    assert!(requests.iter().all(|request| request.messages.len() <= 9));
    assert!(requests[9].messages[1].text().contains("earlier messages were left out"));
    let last = requests[9].messages.last().unwrap();
    assert_eq!(last.role, Role::Tool, "the last round is what the model reads now");
}

#[tokio::test]
async fn usage_of_the_last_answer_counts() {
    // The provider counts 10 tokens for each estimated one.
    let answer = |text: &str, tokens| {
        let usage = Usage::default().with_input_tokens(tokens);
        ModelResponse::from_text(text).with_usage(usage)
    };
    let model = ScriptedModel::new([
        answer("a", 900),
        answer("b", 1_100),
        answer("c", 400),
        answer("d", 410),
    ]);
    let mut chat = genkit::generate(()).model(model.clone()).middleware(compact(1_000)).chat();
    for question in ["one", "two", "three", "four"] {
        chat.send(question).await.unwrap();
    }
    let lengths: Vec<usize> =
        model.requests().iter().map(|request| request.messages.len()).collect();
    // Slightly above 900 is within the limit, but 1,100 is not: the third request is truncated, and so is the fourth.
    assert_eq!(lengths[..2], [1, 3]);
    assert_eq!(texts(&model.requests()[2])[0], "[4 earlier ");
    assert_eq!(texts(&model.requests()[3])[0], "[4 earlier ");
    assert_eq!(lengths[2..], [2, 4]);
    assert_eq!(chat.messages().len(), 8);
}

#[tokio::test]
async fn provider_that_counts_is_asked_before_the_first_answer() {
    let count = |request: &ModelRequest| 300 * request.messages.len() as u64;
    let model = ScriptedModel::text("hi").with_token_counts(count);
    let run = genkit::generate("now?").messages(talk(3)).model(model.clone());
    assert_eq!(run.clone().count_tokens().await.unwrap(), 2_100);
    run.middleware(compact(1_200).target_tokens(1_000)).await.unwrap();
    // With an estimate of 600 tokens nothing would have been removed.
    assert!(model.requests()[0].messages.len() <= 4, "{:?}", texts(&model.requests()[0]));
}

#[tokio::test]
async fn summary_replaces_dropped_messages_and_is_generated_once() {
    let small = ScriptedModel::texts(["first summary", "second summary"]);
    let answers = (0..6).map(|_| ModelResponse::from_text(long("answer")));
    let model = ScriptedModel::new(answers);
    let compaction = compact(1_000).summarize_with(small.clone()).instructions("In one line.");
    let run = genkit::generate(()).messages(talk(5)).model(model.clone()).middleware(compaction);
    let mut chat = run.chat();
    for _ in 0..4 {
        chat.send(long("more")).await.unwrap();
    }
    let asked = small.requests();
    assert_eq!(asked.len(), 2, "once for each cut");
    assert_eq!(asked[0].messages[0].text(), "In one line.");
    let first = asked[0].messages[1].text();
    assert!(first.starts_with("User: question 0") && first.contains("Model: answer 0"), "{first}");
    let second = asked[1].messages[1].text();
    assert!(second.starts_with("Summary of the earlier conversation:\nfirst summary"), "{second}");
    assert!(!second.contains("question 0"), "summarized messages are not summarized again");
    for request in model.requests() {
        assert_eq!(request.messages[0].role, Role::User);
        assert!(request.messages[0].text().starts_with("Summary of the "), "{:?}", texts(&request));
    }
    assert!(model.requests()[3].messages[0].text().ends_with("second summary"));
    assert_eq!(chat.messages().len(), 18);
}

#[tokio::test]
async fn summary_usage_counts_and_a_failed_summary_does_not_end_the_run() {
    let used = Usage::default().with_input_tokens(50);
    let small = ScriptedModel::new([ModelResponse::from_text("short").with_usage(used.clone())]);
    let ask = |model: &ScriptedModel, small| {
        let run = genkit::generate("now?").messages(talk(8)).model(model.clone());
        run.middleware(compact(1_000).summarize_with(small))
    };
    let model = ScriptedModel::new([ModelResponse::from_text("hi").with_usage(used)]);
    assert_eq!(ask(&model, small).await.unwrap().usage.input_tokens, Some(100));

    let failing = ScriptedModel::new([Err(Error::new(ErrorKind::Unavailable, "down"))]);
    let model = ScriptedModel::text("hi");
    ask(&model, failing).await.unwrap();
    assert!(model.requests()[0].messages[0].text().contains("were left out"));

    let model = ScriptedModel::text("hi");
    let limit = UsageLimit::default().requests(1);
    let error = ask(&model, ScriptedModel::text("short")).usage_limit(limit).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "the summary was the one call");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn call_that_is_made_again_is_not_summarized_again() {
    let small = ScriptedModel::text("short");
    let script: [Scripted; 2] = [
        Err(Error::new(ErrorKind::Unavailable, "down")).into(),
        ModelResponse::from_text("hi").into(),
    ];
    let model = ScriptedModel::new(script);
    let run = genkit::generate("now?").messages(talk(8)).model(model.clone());
    run.middleware(retry().initial_delay(std::time::Duration::ZERO))
        .middleware(compact(1_000).summarize_with(small.clone()))
        .await
        .unwrap();
    assert_eq!((small.requests().len(), model.requests().len()), (1, 2));
}

#[tokio::test]
async fn conversation_that_cannot_be_compacted_is_sent_unchanged() {
    let model = ScriptedModel::text("hi");
    let history = talk(3).into_iter().map(Message::pinned);
    let run = genkit::generate(long("now")).messages(history).model(model.clone());
    run.middleware(compact(100)).await.unwrap();
    assert_eq!(model.requests()[0].messages.len(), 7);
}
