//! Tests of the turn state machine, without a runtime, a model or tools.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::middleware::CallOutcome;
use crate::run::round::PendingCall;
use crate::run::turn::{TurnMachine, TurnRules, TurnStep};
use genkit_core::ErrorKind;
use genkit_core::GenerateResponse;
use genkit_core::internal::generate::interrupt::{Suspended, resume};
use genkit_core::{Answer, Interrupt, Resume};
use genkit_core::{FinishReason, ModelRequest, ModelResponse, ToolChoice};
use genkit_core::{Message, Part, Role, ToolRequest};

const RULES: TurnRules = TurnRules {
    max_turns: 5,
    fail_on_max_turns: false,
    return_tool_requests: false,
    stop_on_tools: Vec::new(),
    output_retries: None,
};

fn machine_with(rules: TurnRules) -> TurnMachine {
    TurnMachine::new(ModelRequest::new([Message::user("go")]), rules, None)
}

fn machine() -> TurnMachine {
    machine_with(RULES)
}

/// Creates a model response with tool requests.
fn asks(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ModelResponse {
    let requests = calls
        .into_iter()
        .enumerate()
        .map(|(at, (name, input))| ToolRequest::new(name, input).with_id(format!("r{at}")));
    ModelResponse::from_tool_requests(requests)
}

fn calls(machine: &mut TurnMachine) -> Vec<PendingCall> {
    match machine.next() {
        TurnStep::Tools(calls) => calls,
        other => panic!("{other:?}"),
    }
}

fn done(machine: &mut TurnMachine) -> GenerateResponse {
    match machine.next() {
        TurnStep::Done | TurnStep::Asks => *machine.take_response(),
        other => panic!("{other:?}"),
    }
}

fn answered(call: &PendingCall, output: Value) -> CallOutcome {
    CallOutcome::Answered(Box::new(call.request.respond(output).into()))
}

fn interrupted() -> CallOutcome {
    CallOutcome::Interrupted(Box::new(Suspended::from_metadata(json!("Which?"))))
}

/// Finishes all calls of the round.
fn finish(machine: &mut TurnMachine, outcome: impl Fn(&PendingCall) -> CallOutcome) {
    for call in calls(machine) {
        machine.finish_call(call.place, outcome(&call));
    }
}

/// The state machine in each of its states.
mod state {
    use super::*;

    pub(super) fn tools() -> TurnMachine {
        let mut machine = machine();
        machine.accept_response(asks([("a", json!(1)), ("b", json!(2))])).expect("continues");
        machine
    }

    /// Creates a run that is resumed at the calls of a suspended message: one has a response, one is interrupted.
    pub(super) fn resumed() -> TurnMachine {
        let mut machine = tools();
        let outcome = |call: &PendingCall| match call.place {
            0 => answered(call, json!("x")),
            _ => interrupted(),
        };
        finish(&mut machine, outcome);
        machine.settle_round();
        let response = done(&mut machine);
        let mut answers = Resume::default();
        answers.push_answer(response.interrupts()[0].restart(json!("this one"))).expect("valid");
        let mut request = ModelRequest::new(response.into_messages());
        let resumed = resume(&mut request.messages, &answers).expect("all answered");
        TurnMachine::new(request, RULES, Some(resumed))
    }

    /// Creates a run with a response to check and one retry left.
    pub(super) fn to_check() -> TurnMachine {
        let mut machine = machine_with(TurnRules { output_retries: Some(1), ..RULES });
        machine.accept_response(ModelResponse::from_text("five")).expect("the output is checked");
        machine
    }

    /// Creates a run with a second response to check, after its only retry.
    pub(super) fn to_check_again() -> TurnMachine {
        let mut machine = to_check();
        machine.accept_verdict(Err("no number".to_owned())).expect("a retry is left");
        machine.accept_response(ModelResponse::from_text("six")).expect("the output is checked");
        machine
    }

    /// Creates a run with a response to check that was cut off at the token limit.
    pub(super) fn cut_off() -> TurnMachine {
        let mut machine = machine_with(TurnRules { output_retries: Some(1), ..RULES });
        let answer = ModelResponse::from_text("fi").with_finish_reason(FinishReason::Length);
        machine.accept_response(answer).expect("the output is checked");
        machine
    }

    pub(super) fn ended() -> TurnMachine {
        let mut machine = machine();
        machine.accept_response(ModelResponse::from_text("bye")).expect("the run ends");
        machine
    }

    pub(super) fn over() -> TurnMachine {
        let mut machine = ended();
        machine.take_response();
        machine
    }
}

/// Returns the next step of the state machine, as a word.
fn step(machine: &mut TurnMachine) -> String {
    match machine.next() {
        TurnStep::Model => format!("model at {}", machine.index()),
        TurnStep::Tools(calls) => format!("{} tools at {}", calls.len(), machine.index()),
        TurnStep::Check => format!("check at {}", machine.index()),
        TurnStep::Done | TurnStep::Asks => {
            let response = machine.take_response();
            let reason = response.finish_reason.map(|reason| format!("{reason:?}"));
            let (messages, calls) = (response.messages().len(), response.tool_requests().len());
            let reason = reason.unwrap_or_default();
            format!("done {reason}, {messages} messages, {calls} calls")
        }
    }
}

/// Passes `input` to the state machine. Returns the error with its partial response, or the next step.
fn fed(mut machine: TurnMachine, input: &str) -> String {
    let failed = |error: genkit_core::Error| {
        let partial = error.partial().expect("a partial response");
        let reason = partial.finish_reason.map(|reason| format!("{reason:?}")).unwrap_or_default();
        format!("{:?} {reason}, {} messages", error.kind(), partial.messages().len())
    };
    let fed = match input {
        "nothing" => Ok(()),
        "text" => machine.accept_response(ModelResponse::from_text("hi")),
        "calls" => machine.accept_response(asks([("a", json!(1))])),
        "a written call" => {
            let mut answer = asks([("a", json!(1))]);
            if let Some(Part::ToolRequest { tool_request, .. }) =
                answer.message.as_mut().and_then(|message| message.content.first_mut())
            {
                tool_request.partial = true;
            }
            machine.accept_response(answer)
        }
        "blocked" => {
            let mut answer = ModelResponse::from_text("");
            answer.finish_reason = Some(FinishReason::Blocked);
            machine.accept_response(answer)
        }
        "no message" => machine.accept_response(ModelResponse::default()),
        "answers" => {
            if let TurnStep::Tools(calls) = machine.next() {
                calls.iter().for_each(|call| {
                    machine.finish_call(call.place, answered(call, json!("x")));
                });
            }
            machine.settle_round();
            Ok(())
        }
        "a question" => {
            if let TurnStep::Tools(calls) = machine.next() {
                calls.iter().for_each(|call| machine.finish_call(call.place, interrupted()));
            }
            machine.settle_round();
            Ok(())
        }
        "an answer to nothing" => {
            machine.finish_call(7, interrupted());
            Ok(())
        }
        "settle" => {
            machine.settle_round();
            Ok(())
        }
        "it fits" => machine.accept_verdict(Ok(())).map(drop),
        "it does not fit" => machine.accept_verdict(Err("no number".to_owned())).map(drop),
        "failure" => Err(machine.fail_run(genkit_core::Error::new(ErrorKind::Unavailable, "down"))),
        other => panic!("{other}"),
    };
    match fed {
        Ok(()) => step(&mut machine),
        Err(error) => failed(error),
    }
}

#[test]
fn each_input_in_each_state_leads_where_it_shall() {
    type State = fn() -> TurnMachine;
    type Rows = &'static [(&'static str, &'static str)];
    let table: [(&str, State, Rows); 8] = [
        (
            "ready",
            machine,
            &[
                ("nothing", "model at 0"),
                ("text", "done Stop, 2 messages, 0 calls"),
                ("calls", "1 tools at 1"),
                ("a written call", "done Stop, 2 messages, 0 calls"),
                ("blocked", "FailedPrecondition Blocked, 2 messages"),
                ("no message", "FailedPrecondition , 1 messages"),
                ("an answer to nothing", "model at 0"),
                ("settle", "model at 0"),
                ("it fits", "model at 0"),
                ("failure", "Unavailable Aborted, 1 messages"),
            ],
        ),
        (
            "tools",
            state::tools,
            &[
                ("nothing", "2 tools at 1"),
                ("answers", "model at 2"),
                ("a question", "done Interrupted, 2 messages, 2 calls"),
                ("an answer to nothing", "2 tools at 1"),
                ("failure", "Unavailable Aborted, 2 messages"),
            ],
        ),
        (
            "resumed",
            state::resumed,
            &[
                ("nothing", "1 tools at 0"),
                ("answers", "model at 1"),
                ("a question", "done Interrupted, 2 messages, 2 calls"),
                ("an answer to nothing", "1 tools at 0"),
                ("failure", "Unavailable Interrupted, 2 messages"),
            ],
        ),
        (
            "answered",
            state::to_check,
            &[
                ("nothing", "check at 0"),
                ("settle", "check at 0"),
                ("it fits", "done Stop, 2 messages, 0 calls"),
                ("it does not fit", "model at 2"),
                ("failure", "Unavailable Aborted, 2 messages"),
            ],
        ),
        (
            "answered again",
            state::to_check_again,
            &[
                ("nothing", "check at 2"),
                ("it fits", "done Stop, 4 messages, 0 calls"),
                ("it does not fit", "InvalidArgument Stop, 4 messages"),
                ("failure", "Unavailable Aborted, 4 messages"),
            ],
        ),
        (
            "cut off",
            state::cut_off,
            &[
                ("it fits", "done Length, 2 messages, 0 calls"),
                ("it does not fit", "InvalidArgument Length, 2 messages"),
            ],
        ),
        (
            "done",
            state::ended,
            &[
                ("nothing", "done Stop, 2 messages, 0 calls"),
                ("an answer to nothing", "done Stop, 2 messages, 0 calls"),
                ("settle", "done Stop, 2 messages, 0 calls"),
                ("failure", "Unavailable Aborted, 0 messages"),
            ],
        ),
        (
            "over",
            state::over,
            &[
                ("nothing", "done Other, 0 messages, 0 calls"),
                ("an answer to nothing", "done Other, 0 messages, 0 calls"),
                ("settle", "done Other, 0 messages, 0 calls"),
                ("failure", "Unavailable Aborted, 0 messages"),
            ],
        ),
    ];
    for (name, state, rows) in table {
        for (input, next) in rows {
            assert_eq!(fed(state(), input), *next, "{input} in {name}");
        }
    }
}

#[test]
fn policy_and_tool_choice_decide_each_call() {
    let strict = TurnRules { fail_on_max_turns: true, ..RULES };
    let table = [
        (RULES, None, "1 tools at 1"),
        (RULES, Some(ToolChoice::Auto), "1 tools at 1"),
        (RULES, Some(ToolChoice::Required), "1 tools at 1"),
        (RULES, Some(ToolChoice::None), "done Stop, 2 messages, 1 calls"),
        (TurnRules { return_tool_requests: true, ..RULES }, None, "done Stop, 2 messages, 1 calls"),
        (TurnRules { max_turns: 1, ..RULES }, None, "1 tools at 1"),
        (TurnRules { max_turns: 0, ..RULES }, None, "done Aborted, 2 messages, 1 calls"),
        (TurnRules { max_turns: 1, ..strict.clone() }, None, "1 tools at 1"),
        (TurnRules { max_turns: 0, ..strict }, None, "Aborted Aborted, 2 messages"),
    ];
    for (rules, choice, next) in table {
        let mut request = ModelRequest::new([Message::user("go")]);
        request.tool_choice = choice.clone();
        let machine = TurnMachine::new(request, rules.clone(), None);
        assert_eq!(fed(machine, "calls"), next, "{rules:?} {choice:?}");
    }
}

#[test]
fn answer_that_does_not_fit_goes_back_with_the_reason() {
    let mut machine = state::to_check();
    assert_eq!(machine.response_to_check().message.map(Message::text).as_deref(), Some("five"));
    let retry =
        machine.accept_verdict(Err("at `n`: no number.".to_owned())).expect("a retry is left");
    let retry = retry.expect("the retry for the stream");
    assert_eq!((retry.attempt, retry.index, retry.reason.as_str()), (1, 0, "at `n`: no number."));
    let told: Vec<_> = machine.request().messages.iter().map(|m| (m.role, m.text())).collect();
    let why =
        "The output was rejected: at `n`: no number. Send the complete output again.".to_owned();
    let user = |text: &str| (Role::User, text.to_owned());
    assert_eq!(told, [user("go"), (Role::Model, "five".to_owned()), user(&why)]);
    assert_eq!(machine.request().messages[2].metadata["outputRetry"], 1);
    // The chunk that marks the retry has no content.
    let chunk = retry.retry_chunk();
    assert_eq!((chunk.index, chunk.content.len()), (Some(1), 0));
    assert_eq!(chunk.output_retry(), Some(retry));
}

#[test]
fn rejected_parts_are_not_sent_back() {
    let rules = TurnRules { output_retries: Some(1), ..RULES };
    let mut machine = machine_with(rules.clone());
    machine
        .accept_response(ModelResponse::new(Message::new(Role::Model, [])))
        .expect("the output is checked");
    machine.accept_verdict(Err("nothing".to_owned())).expect("a retry is left");
    let roles = |machine: &TurnMachine| -> Vec<Role> {
        machine.request().messages.iter().map(|message| message.role).collect()
    };
    assert_eq!(roles(&machine), [Role::User, Role::User], "empty messages are omitted");

    let mut request = ModelRequest::new([Message::user("go")]);
    request.tool_choice = Some(ToolChoice::None);
    let mut machine = TurnMachine::new(request, rules, None);
    machine.accept_response(asks([("a", json!(1))])).expect("the output is checked");
    machine.accept_verdict(Err("a call".to_owned())).expect("a retry is left");
    let closed = [Role::User, Role::Model, Role::Tool, Role::User];
    assert_eq!(roles(&machine), closed, "each call has a response");
}

#[test]
fn returned_tool_requests_are_not_output() {
    let rules = TurnRules { output_retries: Some(1), return_tool_requests: true, ..RULES };
    assert_eq!(fed(machine_with(rules), "calls"), "done Stop, 2 messages, 1 calls");
}

#[test]
fn call_that_was_required_is_required_once() {
    for (before, after) in [
        (Some(ToolChoice::Required), Some(ToolChoice::Auto)),
        (Some(ToolChoice::tool("a")), Some(ToolChoice::Auto)),
        (Some(ToolChoice::Auto), Some(ToolChoice::Auto)),
        (None, None),
    ] {
        let mut request = ModelRequest::new([Message::user("go")]);
        request.tool_choice = before;
        let mut machine = TurnMachine::new(request, RULES, None);
        machine.accept_response(asks([("a", json!(1))])).expect("continues");
        finish(&mut machine, |call| answered(call, json!("x")));
        machine.settle_round();
        assert_eq!(machine.request().tool_choice, after);
    }
}

/// Creates the state machine of a run with the stop tools `a` and `b`, at a round of three calls.
fn stopping(choice: Option<ToolChoice>) -> TurnMachine {
    let mut request = ModelRequest::new([Message::user("go")]);
    request.tool_choice = choice;
    let stop_on_tools = vec!["a".to_owned(), "b".to_owned()];
    let mut machine = TurnMachine::new(request, TurnRules { stop_on_tools, ..RULES }, None);
    machine
        .accept_response(asks([("c", json!(1)), ("b", json!(2)), ("a", json!(3))]))
        .expect("continues");
    machine
}

#[test]
fn run_stops_on_the_first_answer_of_its_tools() {
    let mut machine = stopping(None);
    finish(&mut machine, |call| answered(call, json!({ "of": call.request.name })));
    assert_eq!(
        machine.settle_round().map(|answers| answers.content.len()),
        Some(3),
        "all are streamed"
    );
    let response = done(&mut machine);
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    assert_eq!(response.finish_message.as_deref(), Some("the tool `b` was called"));
    assert_eq!(response.messages().len(), 3, "each call has a response");
    assert_eq!(response.output_value().unwrap(), json!({"of": "b"}));
    assert_eq!(response.text(), r#"{"of":"b"}"#);
}

#[test]
fn call_that_failed_or_asks_does_not_stop_a_run() {
    let mut machine = stopping(Some(ToolChoice::Required));
    finish(&mut machine, |call| answered(call, json!({ "error": "no" })));
    assert_eq!(machine.settle_round().map(|answers| answers.role), Some(Role::Tool));
    assert_eq!(step(&mut machine), "model at 2");
    assert_eq!(
        machine.request().tool_choice,
        Some(ToolChoice::Required),
        "it can end all the same"
    );
    let mut machine = stopping(Some(ToolChoice::tool("c")));
    finish(&mut machine, |call| match call.request.name.as_str() {
        "c" => interrupted(),
        _ => answered(call, json!("x")),
    });
    assert!(machine.settle_round().is_none());
    assert!(done(&mut machine).is_interrupted(), "the partial response is returned");
}

#[test]
fn answer_over_the_budget_is_kept_with_its_calls() {
    let mut machine = machine();
    let mut answer = asks([("a", json!(1))]);
    answer.usage.input_tokens = Some(7);
    let error = machine
        .end_with_error(answer, genkit_core::Error::new(ErrorKind::ResourceExhausted, "enough"));
    let partial = machine.fail_run(error).into_partial().expect("a partial response");
    assert_eq!((partial.usage.input_tokens, partial.messages().len()), (Some(7), 2));
    assert_eq!(partial.finish_reason, Some(FinishReason::Aborted));
}

#[test]
fn finished_calls_of_a_failed_round_are_kept() {
    for (mut machine, kept) in [(state::tools(), 0), (state::resumed(), 1)] {
        let first = calls(&mut machine).swap_remove(0);
        machine.finish_call(first.place, answered(&first, json!("kept")));
        let error = machine.fail_run(genkit_core::Error::new(ErrorKind::Aborted, "enough"));
        let message =
            error.partial().and_then(|partial| partial.message.clone()).expect("a partial message");
        assert_eq!(message.content[kept].metadata()["pendingOutput"], "kept");
    }
}

#[test]
fn same_answers_make_the_same_run() {
    let run = || {
        let mut machine = state::tools();
        finish(&mut machine, |call| answered(call, json!("x")));
        machine.settle_round();
        machine.accept_response(ModelResponse::from_text("bye")).expect("the run ends");
        done(&mut machine)
    };
    assert_eq!(run(), run());
}

#[test]
fn asking_again_gives_the_same_step() {
    let mut machine = machine();
    assert!(matches!(machine.next(), TurnStep::Model));
    assert!(matches!(machine.next(), TurnStep::Model));
    machine.accept_response(asks([("a", json!(1)), ("b", json!(2))])).expect("continues");
    let first = calls(&mut machine);
    assert_eq!(first, calls(&mut machine));
    assert_eq!(first.len(), 2);
}

#[test]
fn round_makes_two_messages_and_moves_the_index_by_two() {
    let mut machine = machine();
    assert_eq!((machine.index(), machine.rounds()), (0, 0));
    machine.accept_response(asks([("a", json!(1))])).expect("continues");
    assert_eq!((machine.index(), machine.rounds()), (1, 0));
    finish(&mut machine, |call| answered(call, json!("x")));
    let role = machine.settle_round().map(|answers| answers.role);
    assert_eq!(role, Some(Role::Tool));
    assert_eq!((machine.index(), machine.rounds()), (2, 1));
    assert_eq!(machine.request().messages.len(), 3);
    machine.accept_response(ModelResponse::from_text("bye")).expect("the run ends");
    assert_eq!(done(&mut machine).text(), "bye");
}

#[test]
fn failure_takes_the_open_calls_along() {
    let mut machine = machine();
    machine.accept_response(asks([("a", json!(1))])).expect("continues");
    let error = machine.fail_run(genkit_core::Error::new(ErrorKind::Cancelled, "stop"));
    let partial = error.partial().expect("a partial response");
    assert_eq!(partial.tool_requests().len(), 1);
    assert_eq!(partial.finish_reason, Some(FinishReason::Aborted));
    assert_eq!(partial.messages().len(), 2);
    // A driver that continues anyway receives the end of the run, not a panic.
    assert!(machine.settle_round().is_none());
    assert!(matches!(machine.next(), TurnStep::Done));
}

#[test]
fn tool_requests_are_returned_where_that_is_wanted() {
    let mut machine = machine_with(TurnRules { return_tool_requests: true, ..RULES });
    machine.accept_response(asks([("a", json!(1))])).expect("the run ends");
    assert_eq!(done(&mut machine).tool_requests().len(), 1);
}

/// Returns the outcome of a tool that is interrupted as many times as its input states, and then responds.
fn outcome(call: &PendingCall) -> CallOutcome {
    let asks = call.request.input.as_u64().unwrap_or_default();
    let given = call.suspended.as_ref().map_or(0, |suspended| suspended.recording.answers.len());
    if given < usize::try_from(asks).unwrap_or_default() {
        let mut open = Suspended::from_metadata(json!({ "round": given }));
        open.questions[0].key = format!("q{given}");
        if let Some(before) = &call.suspended {
            open.recording = before.recording.clone();
        }
        return CallOutcome::Interrupted(Box::new(open));
    }
    let answers = call.suspended.as_ref().map(|suspended| json!(suspended.recording.answers));
    answered(call, json!({ "input": call.request.input, "answers": answers }))
}

/// Runs a script to its end. `store` is applied to each interrupted response.
fn play(
    script: &[Vec<usize>],
    store: impl Fn(GenerateResponse) -> GenerateResponse,
) -> (GenerateResponse, usize) {
    let mut machine = machine();
    let mut left = script.iter();
    let mut interrupted = 0;
    loop {
        match machine.next() {
            TurnStep::Model => {
                let answer = match left.next() {
                    Some(round) if !round.is_empty() => {
                        asks(round.iter().map(|count| ("t", json!(count))))
                    }
                    _ => ModelResponse::from_text("done"),
                };
                machine.accept_response(answer).expect("continues");
            }
            TurnStep::Tools(_) => {
                finish(&mut machine, outcome);
                machine.settle_round();
            }
            TurnStep::Check => machine.accept_verdict(Ok(())).map(drop).expect("accepted"),
            TurnStep::Asks => {
                interrupted += 1;
                let response = store(*machine.take_response());
                let mut given = Resume::default();
                let answers = response.interrupts();
                let answer = |question: &Interrupt| -> Answer { question.restart(json!("ok")) };
                answers
                    .iter()
                    .map(answer)
                    .for_each(|answer| given.push_answer(answer).expect("valid"));
                let mut request = ModelRequest::new(response.into_messages());
                let resumed = resume(&mut request.messages, &given).expect("all answered");
                machine = TurnMachine::new(request, RULES, Some(resumed));
            }
            TurnStep::Done => return (*machine.take_response(), interrupted),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn run_stored_at_each_question_ends_like_an_uninterrupted_run(
        script in proptest::collection::vec(proptest::collection::vec(0_usize..4, 0..4), 0..4)
    ) {
        let (kept, asked) = play(&script, |response| response);
        let (stored, asked_too) = play(&script, |response| {
            let text = serde_json::to_string(&response).expect("the response serializes");
            serde_json::from_str(&text).expect("the response deserializes")
        });
        prop_assert_eq!(asked, asked_too);
        prop_assert_eq!(kept.messages(), stored.messages());
        prop_assert_eq!(kept.text(), "done");
        let rounds = script.iter().take_while(|round| !round.is_empty());
        let most: usize = rounds.map(|round| round.iter().max().copied().unwrap_or(0)).sum();
        prop_assert_eq!(asked, most, "parallel questions are asked together");
    }
}
