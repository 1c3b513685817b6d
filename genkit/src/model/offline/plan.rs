//! Which calls are made.

use serde_json::{Map, Value};

use super::choose::{self, MAX_TOOLS};
use super::fill::{Facts, Filler, Missing};
use super::run::Run;
use super::shape::{Kind, Shape};
use super::text::Text;
use crate::message::ToolRequest;
use crate::model::ToolDefinition;

/// How many calls are made for one message.
const MAX_CALLS: usize = 8;

/// What to do about tools.
pub(super) enum Plan<'r> {
    Call(Vec<ToolRequest>),
    /// A tool is meant, but the message does not say all that it takes.
    Lacks(Lack<'r>),
    /// No tool is meant.
    Nothing,
}

/// What a tool lacks.
pub(super) struct Lack<'r> {
    pub(super) tool: &'r ToolDefinition,
    pub(super) missing: Missing,
}

/// The call of the tool that fits best, before any has answered.
pub(super) fn first<'r>(run: &Run, tools: &'r [ToolDefinition], required: bool) -> Plan<'r> {
    let text = run.text();
    let stems = text.stems(|_| false);
    let scores = tools.iter().take(MAX_TOOLS).map(|tool| choose::score(tool, &stems));
    let mut ranked: Vec<_> = tools.iter().zip(scores).collect();
    ranked.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    let best = ranked.first().map_or(0, |(_, score)| *score);
    let mut lack = None;
    // Where one must be called, any that can be is better than none.
    for (tool, _) in
        ranked.into_iter().filter(|(_, score)| required || (best > 0 && *score == best))
    {
        match calls(run, &text, tool) {
            Ok(calls) if calls.is_empty() => {}
            Ok(calls) => return Plan::Call(calls),
            Err(missing) => {
                lack.get_or_insert(Lack { tool, missing });
            }
        }
    }
    lack.map_or(Plan::Nothing, Plan::Lacks)
}

/// The call of another tool that the message names too, when some have answered.
pub(super) fn next<'r>(run: &Run, tools: &'r [ToolDefinition]) -> Plan<'r> {
    if run.made.len() >= MAX_CALLS {
        return Plan::Nothing;
    }
    let text = run.text();
    let spent = run.spent();
    let stems = text.stems(|word| spent.iter().any(|range| range.contains(&word.at)));
    // A word that stood for a tool that was called stands for no other.
    let called = |tool: &&ToolDefinition| run.made.iter().any(|call| call.name == tool.name);
    let done: Vec<String> = tools.iter().filter(called).flat_map(choose::name_stems).collect();
    for tool in tools.iter().take(MAX_TOOLS).filter(|tool| !called(tool)) {
        let is_new = |stem: &String| stems.contains(stem.as_str()) && !done.contains(stem);
        let means = choose::is_named(tool, &stems) && choose::name_stems(tool).iter().any(is_new);
        if means
            && let Ok(calls) = calls(run, &text, tool)
            && !calls.is_empty()
        {
            return Plan::Call(calls);
        }
    }
    Plan::Nothing
}

/// The calls of a tool that a message asks for, without those that were made.
fn calls(run: &Run, text: &Text, tool: &ToolDefinition) -> Result<Vec<ToolRequest>, Missing> {
    let nothing = Value::Object(Map::new());
    let root = match tool.input_schema() {
        Some(schema) if !matches!(Shape::of(schema, schema).kind, Kind::Any) => schema,
        _ => &nothing,
    };
    if root == &nothing {
        return Ok(unmade(run, vec![ToolRequest::new(&tool.name, nothing)]));
    }
    let stems = choose::name_stems(tool);
    let facts = Facts::default();
    let mut filler = Filler::new(text, root, &stems, &facts, false);
    let input = filler.fill()?;
    let mut inputs = vec![input.clone()];
    if let Some((property, first)) = &filler.name
        && takes_one_text(root)
    {
        for name in filler.joined(*first).skip(1) {
            let mut another = input.clone();
            if let (Some(object), Some(text)) =
                (another.as_object_mut(), text.source.get(name.range.clone()))
            {
                object.insert(property.clone(), text.into());
            }
            inputs.push(another);
        }
    }
    Ok(unmade(run, inputs.into_iter().map(|input| ToolRequest::new(&tool.name, input))))
}

/// Whether an object has a single property that takes text: then several names are several calls.
fn takes_one_text(root: &Value) -> bool {
    let shape = Shape::of(root, root);
    let takes_text = |schema: &Value| match Shape::of(schema, root).kind {
        Kind::Choice(_) | Kind::Bool | Kind::Number { .. } | Kind::Null | Kind::Never => 0,
        Kind::Text => 1,
        _ => 2,
    };
    shape.properties().iter().map(|(_, schema, _)| takes_text(schema)).sum::<usize>() == 1
}

fn unmade(run: &Run, calls: impl IntoIterator<Item = ToolRequest>) -> Vec<ToolRequest> {
    let mut kept: Vec<ToolRequest> = Vec::new();
    for call in calls.into_iter().take(MAX_CALLS.saturating_sub(run.made.len())) {
        let same = |other: &ToolRequest| other.name == call.name && other.input == call.input;
        if !run.made.iter().any(|made| same(made)) && !kept.iter().any(same) {
            kept.push(call);
        }
    }
    kept
}
