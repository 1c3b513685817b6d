//! Assembly of tool calls from everything that a server sends: fragments of a stream, entries of a
//! complete response, and repetitions of both.
//!
//! Compatible servers omit, split, repeat and reuse the index, the id and the name of a call. Each
//! is only a hint; together with the arguments, they determine the call that a fragment belongs to.
//!
//! # The call that a fragment may continue
//!
//! The first row that applies selects it:
//!
//! | index | id | call |
//! |---|---|---|
//! | known | known, of a call at another index | the call at the index if it has no id yet; otherwise the call with the id |
//! | any | known | the call with the id, at the same index if several calls have the id |
//! | known | unknown or missing | the last call at the index |
//! | missing | unknown or missing | the call of the last fragment |
//! | unknown | unknown or missing | the call of the last fragment, if that call has no index and no other id, or if it shares its index with an earlier call and the fragment has no name |
//! | unknown | unknown or missing | none: the fragment starts a call |
//!
//! # Continue or start
//!
//! A call is *whole* if its arguments are a complete JSON value. The arguments of a fragment are *next* if the call is
//! whole, and they begin another value that is not a repetition. They *can begin* a call if they are
//! empty or begin with `{`, `"` or `n` (`null`). In each state, a fragment continues the call unless
//! the table states otherwise:
//!
//! | row | name of the fragment | id of the fragment | the fragment |
//! |---|---|---|---|
//! | 1 | another name | any | starts a call |
//! | 2 | the next part of the name, or a longer form of the name | any | continues, with the longer name |
//! | 3 | the first | any | continues, unless its arguments are next |
//! | 4 | the same | the same, at another index | starts a call if its arguments can begin one |
//! | 5 | the same | the same, missing, or the first | starts a call if its arguments are next |
//! | 6 | the same | another | starts a call if its arguments can begin one |
//! | 7 | none | another | starts a call if the call is whole |
//! | 8 | none | the same, missing, or the first | starts a call if its arguments are next |
//!
//! A name is a piece if the joined name begins the name of a tool that was offered, and the name so
//! far is not the name of a tool. White space is not a name.
//!
//! # At the end
//!
//! | row | call | outcome |
//! |---|---|---|
//! | 9 | without a name and arguments | dropped |
//! | 10 | without a name, and its arguments continue the arguments of the previous call | joined with the previous call |
//! | 11 | with incomplete arguments that complete those of the previous call, which has the same name and index | joined with the previous call |
//! | 12 | without arguments, and another call with the same id and name has arguments | dropped |
//! | 13 | with the same name and arguments as an earlier call; the ids are equal, or one of them is missing | dropped |
//! | 14 | any other | kept |

mod arguments;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::Value;

use self::arguments::{ArgumentsText, Progress};
use super::body::ChoiceToolCall;
use crate::wire::request::tools::RawToolCall;
use genkit_core::{Part, ToolRequest};

/// The maximum number of tool calls in a response. Default is 1,024.
pub(super) const MAX_CALLS: usize = 1_024;

/// The maximum length of an id that arrives in pieces. Default is 64.
const MAX_JOINED_ID: usize = 64;

/// The calls of a response that is being read.
pub(super) struct ToolCallAssembler {
    /// The names of the tools as they were sent.
    tools: Vec<String>,
    calls: Vec<PartialCall>,
    /// The call of the last fragment.
    last: usize,
}

/// A call that may be incomplete.
#[derive(Default)]
struct PartialCall {
    id: Option<String>,
    index: Option<u64>,
    /// Whether an earlier call used the same index.
    is_index_taken: bool,
    name: String,
    arguments: ArgumentsText,
    extra: Option<Value>,
    is_announced: bool,
    is_sent: bool,
    /// Whether it is an entry of a complete response.
    is_entry: bool,
}

/// The fields of a fragment that are not empty.
struct Fragment {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    extra: Option<Value>,
}

/// The relation of the name in a fragment to the name of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameMatch {
    Missing,
    First,
    Same,
    /// Continues the name.
    Piece,
    /// Repeats the name and extends it.
    Longer,
    Other,
}

/// The relation of the id in a fragment to the id of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdMatch {
    Missing,
    First,
    Same,
    Other,
}

/// A call, and the index of the partial call that it started as.
pub(super) struct AssembledCall {
    pub(super) place: usize,
    pub(super) called: RawToolCall,
    pub(super) extra: Option<Value>,
}

/// A call as a part.
pub(super) struct DecodedCall {
    pub(super) place: usize,
    /// Whether it has no arguments.
    pub(super) is_bare: bool,
    pub(super) part: Part,
}

/// The error for a response with more than [`MAX_CALLS`] calls.
#[derive(Debug)]
pub(super) struct TooManyCalls;

impl From<ChoiceToolCall> for Fragment {
    fn from(call: ChoiceToolCall) -> Self {
        let function = call.function.unwrap_or_default();
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let name = given(function.name).or_else(|| given(call.name)).unwrap_or_default();
        let arguments =
            if function.arguments.is_empty() { call.arguments } else { function.arguments };
        let id = given(call.id).map(|id| id.trim().to_owned());
        Self {
            index: call.index,
            id,
            name: name.trim().to_owned(),
            arguments,
            extra: call.extra_content,
        }
    }
}

impl Fragment {
    /// Returns whether the arguments can be the first piece of a call's arguments.
    fn can_begin(&self) -> bool {
        let text = self.arguments.trim_start();
        text.is_empty() || text.starts_with(['{', '"', 'n'])
    }
}

impl ToolCallAssembler {
    pub(super) fn new(tools: Vec<String>) -> Self {
        Self { tools, calls: Vec::new(), last: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds a fragment of a stream. Returns the part that announces its call, once.
    pub(super) fn add_fragment(
        &mut self,
        call: ChoiceToolCall,
    ) -> Result<Option<ToolRequest>, TooManyCalls> {
        let fragment = Fragment::from(call);
        let at = match self.find_candidate(&fragment) {
            Some(at) if self.continues(at, &fragment) => {
                self.continue_call(at, fragment);
                at
            }
            _ => self.start_call(fragment, false)?,
        };
        self.last = at;
        let is_named = self.tools.is_empty() || self.tools.contains(&self.calls[at].name);
        let call = &mut self.calls[at];
        let has_arguments = call.arguments.progress() != Progress::Empty;
        if call.is_announced || call.name.is_empty() || !(is_named || has_arguments) {
            return Ok(None);
        }
        call.is_announced = true;
        let mut begun = ToolRequest::new(call.name.as_str(), Value::Null);
        begun.id.clone_from(&call.id);
        begun.partial = true;
        Ok(Some(begun))
    }

    /// Adds an entry of a complete response, which is one call.
    pub(super) fn add_entry(&mut self, call: ChoiceToolCall) -> Result<(), TooManyCalls> {
        self.last = self.start_call(call.into(), true)?;
        Ok(())
    }

    /// Returns the call that a fragment may continue.
    fn find_candidate(&self, fragment: &Fragment) -> Option<usize> {
        let find = |is_it: &dyn Fn(&PartialCall) -> bool| self.calls.iter().rposition(is_it);
        let (index, id) = (fragment.index, fragment.id.as_deref());
        let by_index = index.and_then(|_| find(&|call| call.index == index));
        let by_id = id.and_then(|_| {
            let has_id = |call: &PartialCall| call.id.as_deref() == id;
            find(&|call| has_id(call) && call.index == index).or_else(|| find(&has_id))
        });
        match (by_id, by_index) {
            (Some(by_id), Some(by_index))
                if self.calls[by_index].id.is_none() && self.calls[by_id].index.is_some() =>
            {
                Some(by_index)
            }
            (Some(at), _) | (None, Some(at)) => Some(at),
            (None, None) => {
                let last = self.calls.get(self.last)?;
                let is_its = match index {
                    None => true,
                    Some(_) if last.index.is_none() => last.match_id(id) != IdMatch::Other,
                    Some(_) => last.is_index_taken && fragment.name.is_empty(),
                };
                is_its.then_some(self.last)
            }
        }
    }

    /// Returns whether a fragment continues the call, according to the table in the module documentation.
    fn continues(&self, at: usize, fragment: &Fragment) -> bool {
        let call = &self.calls[at];
        let id = call.match_id(fragment.id.as_deref());
        let is_next = || call.is_followed_by(fragment, id);
        match (self.match_name(call, fragment), id) {
            (NameMatch::Other, _) => false,
            (NameMatch::Piece | NameMatch::Longer, _) => true,
            (NameMatch::First, _) => !is_next(),
            (NameMatch::Same, IdMatch::Same) if call.is_elsewhere(fragment) => {
                !fragment.can_begin()
            }
            (NameMatch::Same, IdMatch::Other) => !fragment.can_begin(),
            (NameMatch::Missing, IdMatch::Other) => !call.is_whole(),
            (NameMatch::Same | NameMatch::Missing, _) => !is_next(),
        }
    }

    fn match_name(&self, call: &PartialCall, fragment: &Fragment) -> NameMatch {
        let (known, name) = (call.name.as_str(), fragment.name.as_str());
        if name.is_empty() {
            return NameMatch::Missing;
        }
        if known.is_empty() {
            return NameMatch::First;
        }
        let is_tool = |name: &str| self.tools.iter().any(|tool| tool == name);
        let begins_tool = |name: &str| self.tools.iter().any(|tool| tool.starts_with(name));
        let is_joined = || begins_tool(&format!("{known}{name}"));
        let is_known_whole = is_tool(known);
        if name == known {
            let is_piece = !is_known_whole && is_joined();
            return if is_piece { NameMatch::Piece } else { NameMatch::Same };
        }
        let is_longer = name.starts_with(known);
        match (is_known_whole, is_tool(name)) {
            (false, _) if is_joined() => NameMatch::Piece,
            (false, true) if is_longer => NameMatch::Longer,
            (true, false) if !call.is_whole() && is_joined() => NameMatch::Piece,
            (_, false) if !call.is_whole() && is_longer && begins_tool(name) => NameMatch::Longer,
            // The model may have invented the name.
            (false, false)
                if call.arguments.progress() == Progress::Empty
                    && fragment.arguments.is_empty()
                    && call.match_id(fragment.id.as_deref()) != IdMatch::Other =>
            {
                if is_longer {
                    NameMatch::Longer
                } else {
                    NameMatch::Piece
                }
            }
            _ => NameMatch::Other,
        }
    }

    fn continue_call(&mut self, at: usize, fragment: Fragment) {
        let name_match = self.match_name(&self.calls[at], &fragment);
        let call = &mut self.calls[at];
        let id_match = call.match_id(fragment.id.as_deref());
        match (id_match, fragment.id) {
            (IdMatch::First, id) => call.id = id,
            (IdMatch::Other, Some(id)) if name_match != NameMatch::Same => {
                call.join_id(&id, fragment.arguments.is_empty());
            }
            _ => {}
        }
        if let Some(index) = fragment.index
            && (call.index.is_none() || call.is_index_taken)
            && call.index != Some(index)
        {
            (call.index, call.is_index_taken) = (Some(index), false);
        }
        match name_match {
            NameMatch::First | NameMatch::Longer => call.name = fragment.name,
            NameMatch::Piece => call.name.push_str(&fragment.name),
            NameMatch::Missing | NameMatch::Same | NameMatch::Other => {}
        }
        call.extra = call.extra.take().or(fragment.extra);
        call.arguments.add(&fragment.arguments);
    }

    fn start_call(&mut self, fragment: Fragment, is_entry: bool) -> Result<usize, TooManyCalls> {
        if self.calls.len() >= MAX_CALLS {
            return Err(TooManyCalls);
        }
        let has_index = |call: &PartialCall| call.index == fragment.index;
        let mut call = PartialCall {
            is_index_taken: fragment.index.is_some() && self.calls.iter().any(has_index),
            id: fragment.id,
            index: fragment.index,
            name: fragment.name,
            extra: fragment.extra,
            is_entry,
            ..PartialCall::default()
        };
        call.arguments.add(&fragment.arguments);
        self.calls.push(call);
        Ok(self.calls.len() - 1)
    }

    /// Returns the calls without repetitions that are recognizable by their fields. [`drop_repeated`]
    /// removes repetitions that are recognizable only after the arguments are parsed.
    pub(super) fn assemble(&self) -> Vec<AssembledCall> {
        let mut joined: Vec<(usize, &PartialCall, ArgumentsText)> = Vec::new();
        for (place, call) in self.calls.iter().enumerate() {
            let is_bare = call.is_bare();
            if call.name.is_empty() && is_bare {
                continue;
            }
            if let Some((_, before, arguments)) = joined.last_mut()
                && !is_bare
                && !call.is_entry
                && arguments.progress() != Progress::Whole
                && (call.name.is_empty() || call.completes(before, arguments))
                && arguments.try_join(call.arguments.text())
            {
                continue;
            }
            joined.push((place, call, call.arguments.settled()));
        }
        // The ids and names of the calls with arguments.
        let mut with_arguments: HashMap<(&str, &str), bool> = HashMap::new();
        for (_, call, arguments) in &joined {
            if let Some(id) = &call.id {
                let has = arguments.progress() != Progress::Empty;
                *with_arguments.entry((id, &call.name)).or_default() |= has;
            }
        }
        let is_repeated_head = |call: &PartialCall, arguments: &ArgumentsText| {
            let key = call.id.as_deref().map(|id| (id, call.name.as_str()));
            arguments.progress() == Progress::Empty
                && key.is_some_and(|key| with_arguments.get(&key) == Some(&true))
        };
        joined.retain(|(_, call, arguments)| !is_repeated_head(call, arguments));
        let assembled = joined.into_iter().map(|(place, call, arguments)| AssembledCall {
            place,
            called: RawToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: arguments.text().to_owned(),
            },
            extra: call.extra.clone(),
        });
        assembled.collect()
    }

    /// Marks the call at this index as sent. Returns `false` if it was already marked.
    pub(super) fn mark_sent(&mut self, place: usize) -> bool {
        let call = self.calls.get_mut(place);
        call.is_some_and(|call| !std::mem::replace(&mut call.is_sent, true))
    }
}

impl PartialCall {
    fn match_id(&self, id: Option<&str>) -> IdMatch {
        match (id, self.id.as_deref()) {
            (None, _) => IdMatch::Missing,
            (Some(_), None) => IdMatch::First,
            (Some(id), Some(known)) if id == known => IdMatch::Same,
            _ => IdMatch::Other,
        }
    }

    fn is_bare(&self) -> bool {
        self.arguments.progress() == Progress::Empty
    }

    /// Returns whether no more arguments can follow.
    fn is_whole(&self) -> bool {
        self.arguments.progress() == Progress::Whole || self.arguments.are("null")
    }

    fn is_elsewhere(&self, fragment: &Fragment) -> bool {
        self.index.zip(fragment.index).is_some_and(|(known, index)| known != index)
    }

    /// Returns whether the arguments of a fragment belong to another call.
    fn is_followed_by(&self, fragment: &Fragment, id: IdMatch) -> bool {
        let begins = fragment.arguments.trim_start().starts_with(['{', '"']);
        // A server that begins with an empty object sends the arguments afterwards.
        let is_placeholder =
            self.arguments.is_empty_object() && (fragment.name.is_empty() || id == IdMatch::Same);
        let is_ended = self.is_whole() || self.arguments.progress() == Progress::Broken;
        is_ended && begins && !is_placeholder && !self.arguments.are(&fragment.arguments)
    }

    /// Returns whether the arguments of this call are not JSON, because they belong to the previous call.
    fn completes(&self, before: &Self, arguments: &ArgumentsText) -> bool {
        self.arguments.progress() == Progress::Broken
            && arguments.progress() == Progress::Open
            && self.name == before.name
            && self.index == before.index
    }

    /// Adds a piece of the id, or replaces the id with a longer version of it.
    fn join_id(&mut self, id: &str, has_no_arguments: bool) {
        let Some(known) = &mut self.id else { return };
        if !has_no_arguments || self.arguments.progress() != Progress::Empty {
            return;
        }
        if id.starts_with(known.as_str()) {
            id.clone_into(known);
        } else if known.len() + id.len() <= MAX_JOINED_ID {
            known.push_str(id);
        }
    }
}

/// Drops calls that repeat the name and arguments of an earlier call, unless both have an id and the
/// ids differ.
pub(super) fn drop_repeated(calls: Vec<DecodedCall>) -> Vec<DecodedCall> {
    // The indexes in `kept`, by name and arguments.
    let mut places: HashMap<(String, String), Vec<usize>> = HashMap::new();
    let mut kept: Vec<DecodedCall> = Vec::with_capacity(calls.len());
    for call in calls {
        let Some(request) = call.part.as_tool_request() else { continue };
        let equal = places.entry((request.name.clone(), request.input.to_string())).or_default();
        let earlier = equal.iter().copied().find(|at| {
            let earlier = kept[*at].part.as_tool_request().and_then(|earlier| earlier.id.as_ref());
            request.id.is_none() || earlier.is_none() || earlier == request.id.as_ref()
        });
        match (earlier, &request.id) {
            (None, _) => {
                equal.push(kept.len());
                kept.push(call);
            }
            // The id may arrive with the repetition.
            (Some(at), Some(id)) => {
                if let Part::ToolRequest { tool_request, .. } = &mut kept[at].part {
                    tool_request.id = Some(id.clone());
                }
            }
            (Some(_), None) => {}
        }
    }
    kept
}
