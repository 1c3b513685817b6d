//! What the loop does next: a plain machine without IO, fed with answers.
//!
//! ```text
//! Ready ──Step::Model──▶ accept(answer) ──▶ Done, or Tools
//! Tools ──Step::Tools──▶ settle(outcomes) ─▶ Ready with a longer history, or Done (interrupted)
//! ```

use std::collections::HashSet;

use serde_json::Value;

use super::interrupt::{self, Suspended};
use super::response::GenerateResponse;
use super::resume::Resumed;
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Message, Part, Role, ToolRequest};
use crate::model::{FinishReason, ModelRequest, ModelResponse, ToolChoice, Usage};

/// The mark of a reference that the loop invented because the model gave none.
pub(super) const GENERATED_REF: &str = "generatedRef";

/// How a run is to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) max_turns: usize,
    /// Whether reaching `max_turns` is an error.
    pub(super) strict: bool,
    pub(super) return_tool_requests: bool,
}

/// What is to be done now.
#[derive(Debug)]
pub(super) enum Step {
    /// Ask the model with [`Turns::request`].
    Model,
    /// Run these, in any order.
    Tools(Vec<Call>),
    /// Nothing: this is the answer.
    Done(Box<GenerateResponse>),
}

/// A tool call that is to be run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) request: ToolRequest,
    /// What it asked and did before, and what was answered.
    pub(super) suspended: Option<Box<Suspended>>,
}

/// What became of a call.
#[derive(Debug)]
pub(super) enum Settled {
    /// The tool's answer, as a part of the tool message.
    Answered(Box<Part>),
    /// It asks: what its part's metadata says of that.
    Asked(Box<Suspended>),
}

/// One run of the loop.
pub(super) struct Turns {
    request: ModelRequest,
    rules: Rules,
    rounds: usize,
    /// The index of the message that is produced next.
    index: usize,
    usage: Usage,
    custom: serde_json::Map<String, Value>,
    state: State,
}

enum State {
    Ready,
    Tools(Box<Round>),
    Done(Box<GenerateResponse>),
    /// The response was handed out, or the run failed.
    Over,
}

/// A message of the model whose calls are being answered.
struct Round {
    message: Message,
    entries: Vec<Entry>,
    /// Of a resumed run: the metadata of its tool message, and the message as it was suspended.
    resumed: Option<(Value, Message)>,
}

struct Entry {
    /// Where the request stands in the message.
    at: usize,
    work: Work,
}

enum Work {
    /// To be run, with what it asked before.
    Call(Option<Box<Suspended>>),
    /// To be run with other arguments than the message says.
    Replaced(Box<Call>),
    /// Answered before: by a sibling's earlier run or by the caller.
    Answered(Box<Part>),
}

impl Turns {
    /// A new run.
    pub(super) fn new(request: ModelRequest, rules: Rules) -> Self {
        Self {
            request,
            rules,
            rounds: 0,
            index: 0,
            usage: Usage::default(),
            custom: serde_json::Map::new(),
            state: State::Ready,
        }
    }

    /// A run that goes on at the calls of the model's last message.
    pub(super) fn resumed(request: ModelRequest, rules: Rules, resumed: Resumed) -> Self {
        let Resumed { message, suspended, settled, metadata } = resumed;
        let at = positions(&message);
        let entries = at
            .into_iter()
            .zip(settled)
            .map(|(at, work)| {
                let work = match work {
                    super::resume::Work::Answered(part) => Work::Answered(part),
                    super::resume::Work::Restart(call) => Work::Replaced(call),
                };
                Entry { at, work }
            })
            .collect();
        let round = Round { message, entries, resumed: Some((metadata, suspended)) };
        Self { state: State::Tools(Box::new(round)), ..Self::new(request, rules) }
    }

    /// What to do now. Asking again without an answer gives the same.
    pub(super) fn next(&mut self) -> Step {
        match &mut self.state {
            State::Ready => Step::Model,
            State::Tools(round) => Step::Tools(round.calls()),
            State::Done(_) | State::Over => match std::mem::replace(&mut self.state, State::Over) {
                State::Done(response) => Step::Done(response),
                // A driver that goes on after the end gets what there is, not a panic.
                _ => Step::Done(Box::new(self.end(None, Some(FinishReason::Other), None))),
            },
        }
    }

    /// What the model is asked.
    pub(super) fn request(&self) -> &ModelRequest {
        &self.request
    }

    /// What the model is offered next.
    pub(super) fn tools(&mut self) -> &mut Vec<crate::model::ToolDefinition> {
        &mut self.request.tools
    }

    /// The index of the message that is being produced.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The index of the tool message, while tools are to be run: a resumed run begins with it.
    pub(super) fn tool_index(&self) -> usize {
        match &self.state {
            State::Tools(round) if round.resumed.is_some() => self.index,
            _ => self.index + 1,
        }
    }

    /// Which round of tools is next, from 0.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Takes the model's answer.
    pub(super) fn accept(&mut self, answer: ModelResponse) -> Result<()> {
        self.usage.add(&answer.usage);
        self.custom = answer.custom;
        let reason = answer.finish_reason;
        let said = answer.finish_message;
        if reason == Some(FinishReason::Blocked) {
            let why = said.as_deref().unwrap_or("the provider gave no reason").to_owned();
            let response = self.end(answer.message, reason, said);
            return Err(over(response, format!("the answer was blocked: {why}")));
        }
        let Some(mut message) = answer.message else {
            let response = self.end(None, reason, said);
            return Err(over(response, "the model answered without a message".to_owned()));
        };
        message.role = Role::Model;
        name_calls(&mut message);
        let wanted = positions(&message);
        // A model that must not call tools and does so all the same is not obeyed.
        let forbidden = self.request.tool_choice == Some(ToolChoice::None);
        if wanted.is_empty() || self.rules.return_tool_requests || forbidden {
            let response = self.end(Some(message), reason, said);
            self.state = State::Done(Box::new(response));
        } else if self.rounds >= self.rules.max_turns {
            self.give_up(message)?;
        } else {
            let entries =
                wanted.into_iter().map(|at| Entry { at, work: Work::Call(None) }).collect();
            self.state = State::Tools(Box::new(Round { message, entries, resumed: None }));
        }
        Ok(())
    }

    /// Takes what became of the calls, in the order of [`Step::Tools`]. The tool message that the
    /// round gave is for the stream; none if the run is interrupted.
    pub(super) fn settle(&mut self, settled: Vec<Settled>) -> Option<&Message> {
        let State::Tools(round) = std::mem::replace(&mut self.state, State::Over) else {
            return None;
        };
        let Round { mut message, entries, resumed } = *round;
        let mut settled = settled.into_iter();
        let outcomes: Vec<(usize, Option<Value>, Settled)> = entries
            .into_iter()
            .filter_map(|Entry { at, work }| match work {
                Work::Answered(part) => Some((at, None, Settled::Answered(part))),
                Work::Call(_) => Some((at, None, settled.next()?)),
                Work::Replaced(call) => Some((at, Some(call.request.input), settled.next()?)),
            })
            .collect();
        if outcomes.iter().any(|(.., settled)| matches!(settled, Settled::Asked(_))) {
            for (at, input, settled) in outcomes {
                note(&mut message.content[at], input, settled);
            }
            let said = "One or more tool calls resulted in interrupts.".to_owned();
            let response = self.end(Some(message), Some(FinishReason::Interrupted), Some(said));
            self.state = State::Done(Box::new(response));
            return None;
        }
        let parts = outcomes.into_iter().filter_map(|(.., settled)| match settled {
            Settled::Answered(part) => Some(*part),
            Settled::Asked(_) => None,
        });
        let mut answers = Message::new(Role::Tool, parts);
        match resumed {
            // The model's message was there before this run: only the answers are new.
            Some((metadata, _)) => {
                answers.metadata.insert("resumed".to_owned(), metadata);
                self.index += 1;
            }
            None => {
                self.rounds += 1;
                self.index += 2;
            }
        }
        if self.request.tool_choice == Some(ToolChoice::Required) {
            // It has called one: a model that must call for ever could never answer.
            self.request.tool_choice = Some(ToolChoice::Auto);
        }
        self.request.messages.push(message);
        self.request.messages.push(answers);
        self.state = State::Ready;
        self.request.messages.last()
    }

    /// Keeps what became of some of the round's calls, by their place: the round will not be settled.
    pub(super) fn keep(&mut self, finished: Vec<(usize, Settled)>) {
        let State::Tools(round) = &mut self.state else { return };
        let called: Vec<(usize, Option<Value>)> = round
            .entries
            .iter()
            .filter_map(|entry| match &entry.work {
                Work::Answered(_) => None,
                Work::Call(_) => Some((entry.at, None)),
                Work::Replaced(call) => Some((entry.at, Some(call.request.input.clone()))),
            })
            .collect();
        let message = match &mut round.resumed {
            Some((_, suspended)) => suspended,
            None => &mut round.message,
        };
        for (place, settled) in finished {
            if let Some((at, input)) = called.get(place) {
                note(&mut message.content[*at], input.clone(), settled);
            }
        }
    }

    /// The run is over with `error`, which gets everything that was done.
    pub(super) fn fail(&mut self, mut error: Error) -> Error {
        if matches!(self.state, State::Over) && error.partial_of::<GenerateResponse>().is_some() {
            return error;
        }
        let (message, reason) = match std::mem::replace(&mut self.state, State::Over) {
            State::Tools(round) => match round.resumed {
                // What was asked can be answered once more.
                Some((_, suspended)) => (Some(suspended), FinishReason::Interrupted),
                None => (Some(round.message), FinishReason::Aborted),
            },
            _ => (None, FinishReason::Aborted),
        };
        let said = error.to_string();
        // Another run's, inside of a tool or a middleware, is not this one's.
        let response = self.end(message, Some(reason), Some(said));
        error.put_partial(response);
        error
    }

    fn give_up(&mut self, message: Message) -> Result<()> {
        let max = self.rules.max_turns;
        let said = format!(
            "the limit of {max} tool rounds was reached, and the model asks for more: raise it \
             with `.max_turns(..)`, or go on from `.messages(response.messages())`"
        );
        let response = self.end(Some(message), Some(FinishReason::Aborted), Some(said.clone()));
        if self.rules.strict {
            let mut error = Error::new(ErrorKind::Aborted, said);
            error.put_partial(response);
            return Err(error);
        }
        self.state = State::Done(Box::new(response));
        Ok(())
    }

    fn end(
        &mut self,
        message: Option<Message>,
        reason: Option<FinishReason>,
        said: Option<String>,
    ) -> GenerateResponse {
        self.state = State::Over;
        // A response is stored and shown: a key in the settings of the run is not part of it.
        self.request.config.shift_remove("apiKey");
        GenerateResponse {
            message,
            finish_reason: reason,
            finish_message: said,
            usage: std::mem::take(&mut self.usage),
            custom: std::mem::take(&mut self.custom),
            request: Some(std::mem::take(&mut self.request)),
        }
    }
}

impl Round {
    fn calls(&self) -> Vec<Call> {
        let call = |entry: &Entry| match &entry.work {
            Work::Call(suspended) => {
                let request = self.message.content[entry.at].as_tool_request()?.clone();
                Some(Call { request, suspended: suspended.clone() })
            }
            Work::Replaced(call) => Some((**call).clone()),
            Work::Answered(_) => None,
        };
        self.entries.iter().filter_map(call).collect()
    }
}

/// Writes into a request what became of its call, where the round goes no further. A call that asks
/// again asks about the input that its caller gave it.
fn note(request: &mut Part, replaced: Option<Value>, settled: Settled) {
    match settled {
        Settled::Answered(answer) => {
            interrupt::close(request);
            interrupt::set_pending(request, *answer);
        }
        Settled::Asked(suspended) => {
            if let (Some(input), Part::ToolRequest { tool_request, .. }) = (replaced, &mut *request)
            {
                tool_request.input = input;
            }
            suspended.write(request);
        }
    }
}

fn over(response: GenerateResponse, said: String) -> Error {
    let mut error = Error::new(ErrorKind::FailedPrecondition, said);
    error.put_partial(response);
    error
}

/// Where the calls of a message stand.
pub(super) fn positions(message: &Message) -> Vec<usize> {
    let is_call = |part: &Part| part.as_tool_request().is_some_and(|request| !request.partial);
    message.content.iter().enumerate().filter(|(_, part)| is_call(part)).map(|(at, _)| at).collect()
}

/// Gives each call a reference of its own, in the history and in the response alike: a model may
/// give none, or the same twice.
fn name_calls(message: &mut Message) {
    let mut taken: HashSet<String> = HashSet::new();
    for part in &mut message.content {
        let Part::ToolRequest { tool_request, metadata } = part else { continue };
        let given = tool_request.r#ref.take().filter(|given| !given.is_empty());
        let reference = match given {
            Some(given) if taken.insert(given.clone()) => given,
            _ => {
                let invented = invented_ref();
                taken.insert(invented.clone());
                metadata.insert(GENERATED_REF.to_owned(), Value::Bool(true));
                invented
            }
        };
        tool_request.r#ref = Some(reference);
    }
}

/// A reference that no other call of this process has, and hardly one of another's: histories are
/// stored and go on elsewhere.
pub(super) fn invented_ref() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Letters and digits, nine of them: the strictest server takes no other.
    let mixed = (*SEED ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % 36_u64.pow(9);
    let digit = |place: u32| {
        let digit = (mixed / 36_u64.pow(place) % 36) as u8;
        char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })
    };
    (0..9).rev().map(digit).collect()
}
