//! The machine of the loop, fed by hand: no runtime, no model, no tools.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::interrupt::{Answer, Interrupt, Suspended};
use super::response::GenerateResponse;
use super::resume::{Resume, resume};
use super::turn::{Call, GENERATED_REF, Rules, Settled, Step, Turns};
use crate::error::ErrorKind;
use crate::message::{Message, Part, Role, ToolRequest};
use crate::model::{FinishReason, ModelRequest, ModelResponse};

const RULES: Rules = Rules { max_turns: 5, strict: false, return_tool_requests: false };

fn turns() -> Turns {
    Turns::new(ModelRequest::new([Message::user("go")]), RULES)
}

fn asks(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ModelResponse {
    let requests = calls.into_iter().map(|(name, input)| ToolRequest::new(name, input));
    ModelResponse::tool_requests(requests)
}

fn calls(turns: &mut Turns) -> Vec<Call> {
    match turns.next() {
        Step::Tools(calls) => calls,
        other => panic!("{other:?}"),
    }
}

fn done(turns: &mut Turns) -> GenerateResponse {
    match turns.next() {
        Step::Done(response) => *response,
        other => panic!("{other:?}"),
    }
}

fn answered(call: &Call, output: Value) -> Settled {
    Settled::Answered(Box::new(call.request.respond(output).into()))
}

#[test]
fn asking_again_gives_the_same_step() {
    let mut turns = turns();
    assert!(matches!(turns.next(), Step::Model));
    assert!(matches!(turns.next(), Step::Model));
    turns.accept(asks([("a", json!(1)), ("b", json!(2))])).expect("it goes on");
    let first = calls(&mut turns);
    assert_eq!(first, calls(&mut turns));
    assert_eq!(first.len(), 2);
}

#[test]
fn a_round_makes_two_messages_and_moves_the_index_by_two() {
    let mut turns = turns();
    turns.accept(asks([("a", json!(1))])).expect("it goes on");
    assert_eq!((turns.index(), turns.tool_index(), turns.rounds()), (0, 1, 0));
    let settled = calls(&mut turns).iter().map(|call| answered(call, json!("x"))).collect();
    let role = turns.settle(settled).map(|answers| answers.role);
    assert_eq!(role, Some(Role::Tool));
    assert_eq!((turns.index(), turns.rounds()), (2, 1));
    assert_eq!(turns.request().messages.len(), 3);
    turns.accept(ModelResponse::text("bye")).expect("it ends");
    assert_eq!(done(&mut turns).text(), "bye");
}

#[test]
fn invented_references_are_marked_and_nine_characters() {
    let mut turns = turns();
    turns.accept(asks([("a", json!(1)), ("a", json!(1))])).expect("it goes on");
    let made = calls(&mut turns);
    let references: Vec<&str> = made.iter().filter_map(|c| c.request.r#ref.as_deref()).collect();
    assert_ne!(references[0], references[1]);
    for reference in &references {
        assert_eq!(reference.len(), 9);
        assert!(reference.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
    }
    let settled = made.iter().map(|call| answered(call, json!(1))).collect();
    turns.settle(settled);
    let message = &turns.request().messages[1];
    assert!(message.content.iter().all(|part| part.metadata()[GENERATED_REF] == true));
}

#[test]
fn a_failure_takes_the_open_calls_along() {
    let mut turns = turns();
    turns.accept(asks([("a", json!(1))])).expect("it goes on");
    let error = turns.fail(crate::Error::new(ErrorKind::Cancelled, "stop"));
    let partial = error.partial().expect("what was done");
    assert_eq!(partial.tool_requests().len(), 1);
    assert_eq!(partial.finish_reason, Some(FinishReason::Aborted));
    assert_eq!(partial.messages().len(), 2);
    // A driver that goes on all the same is told that it is over, not answered with a panic.
    assert!(turns.settle(Vec::new()).is_none());
    assert!(matches!(turns.next(), Step::Done(_)));
}

#[test]
fn tool_requests_are_returned_where_that_is_wanted() {
    let rules = Rules { return_tool_requests: true, ..RULES };
    let mut turns = Turns::new(ModelRequest::new([Message::user("go")]), rules);
    turns.accept(asks([("a", json!(1))])).expect("it ends");
    assert_eq!(done(&mut turns).tool_requests().len(), 1);
}

/// What a tool does when it is run the nth time: it asks so many times, then answers.
fn settle(call: &Call, asks: usize) -> Settled {
    let given = call.suspended.as_ref().map_or(0, |suspended| suspended.recording.answers.len());
    if given < asks {
        let mut open = Suspended::plain(json!({ "round": given }));
        open.questions[0].key = format!("q{given}");
        if let Some(before) = &call.suspended {
            open.recording = before.recording.clone();
        }
        return Settled::Asked(Box::new(open));
    }
    let said = call.suspended.as_ref().map(|suspended| json!(suspended.recording.answers));
    answered(call, json!({ "input": call.request.input, "said": said }))
}

/// Runs a script to its end; `store` is what happens to each interrupted response.
fn play(
    script: &[Vec<usize>],
    store: impl Fn(GenerateResponse) -> GenerateResponse,
) -> (GenerateResponse, usize) {
    let mut turns = turns();
    let mut left = script.iter();
    let mut interrupted = 0;
    loop {
        match turns.next() {
            Step::Model => {
                let answer = match left.next() {
                    Some(round) if !round.is_empty() => {
                        asks(round.iter().map(|count| ("t", json!(count))))
                    }
                    _ => ModelResponse::text("done"),
                };
                turns.accept(answer).expect("it goes on");
            }
            Step::Tools(calls) => {
                let run = |call: &Call| {
                    let asks = call.request.input.as_u64().unwrap_or_default();
                    settle(call, usize::try_from(asks).unwrap_or_default())
                };
                let settled = calls.iter().map(run).collect();
                turns.settle(settled);
            }
            Step::Done(response) if response.is_interrupted() => {
                interrupted += 1;
                let response = store(*response);
                let mut given = Resume::default();
                let answers = response.interrupts();
                let answer = |question: &Interrupt| -> Answer { question.restart(json!("ok")) };
                answers.iter().map(answer).for_each(|answer| given.push(answer));
                let mut request = ModelRequest::new(response.into_messages());
                let resumed = resume(&mut request.messages, &given).expect("it is answered");
                turns = Turns::resumed(request, RULES, resumed);
            }
            Step::Done(response) => return (*response, interrupted),
        }
    }
}

/// Without what is invented for each run.
fn comparable(response: &GenerateResponse) -> Value {
    let mut messages = response.messages();
    for part in messages.iter_mut().flat_map(|message| &mut message.content) {
        match part {
            Part::ToolRequest { tool_request, .. } => tool_request.r#ref = None,
            Part::ToolResponse { tool_response, .. } => tool_response.r#ref = None,
            _ => {}
        }
    }
    json!(messages)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_run_that_was_stored_at_each_question_ends_as_one_that_was_not(
        script in proptest::collection::vec(proptest::collection::vec(0_usize..4, 0..4), 0..4)
    ) {
        let (kept, asked) = play(&script, |response| response);
        let (stored, asked_too) = play(&script, |response| {
            let text = serde_json::to_string(&response).expect("it is data");
            serde_json::from_str(&text).expect("and reads back")
        });
        prop_assert_eq!(asked, asked_too);
        prop_assert_eq!(comparable(&kept), comparable(&stored));
        prop_assert_eq!(kept.text(), "done");
        let rounds = script.iter().take_while(|round| !round.is_empty());
        let most: usize = rounds.map(|round| round.iter().max().copied().unwrap_or(0)).sum();
        prop_assert_eq!(asked, most, "parallel questions are asked together");
    }
}
