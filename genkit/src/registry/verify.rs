//! What the compiler cannot see, found in one pass and reported as one error.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Actions;
use crate::action::{Info, Requirement, Resource, Tool};
use crate::context::TypeMap;
use crate::error::{Error, ErrorKind, Result};
use crate::schema;

/// The longest name that every known model provider takes.
const MAX_NAME: usize = 64;

/// All problems of `actions`; those with state only where `states` says what was given.
pub(super) fn verify(actions: &Actions, states: Option<&TypeMap>) -> Result<()> {
    let mut problems = actions.refused.clone();
    for tool in actions.tools.values() {
        let label = tool.info().label("tool");
        name(&mut problems, &label, tool.info());
        state(&mut problems, &label, tool.requirements(), states);
        let kind = tool.schemas().portable_input().get("type").and_then(Value::as_str);
        if kind != Some("object") {
            problems.push(format!(
                "{label}: the schema of its arguments must be an object (`\"type\": \"object\"`), \
                 since callers send named arguments"
            ));
        }
        for degraded in tool.schemas().degraded() {
            tracing::info!(
                tool = tool.name(), at = %degraded.pointer, remedy = %degraded.remedy,
                "the served schema says less than the type: {}", degraded.what
            );
        }
    }
    for prompt in actions.prompts.values() {
        let label = prompt.info().label("prompt");
        name(&mut problems, &label, prompt.info());
        state(&mut problems, &label, prompt.requirements(), states);
    }
    for resource in actions.resources.values() {
        let label = resource.info().label("resource");
        name(&mut problems, &label, resource.info());
        state(&mut problems, &label, resource.requirements(), states);
        template(&mut problems, &label, resource);
    }
    for flow in actions.flows.values() {
        let label = flow.info().label("flow");
        name(&mut problems, &label, flow.info());
        state(&mut problems, &label, flow.requirements(), states);
    }
    report(&problems)
}

/// Whether a tool that is in no registry can run.
pub(crate) fn verify_tool(tool: &Tool, states: &TypeMap) -> Result<()> {
    let mut problems = Vec::new();
    state(&mut problems, &tool.info().label("tool"), tool.requirements(), Some(states));
    report(&problems)
}

fn report(problems: &[String]) -> Result<()> {
    let said = match problems {
        [] => return Ok(()),
        [one] => one.clone(),
        many => {
            let lines: Vec<String> = many.iter().map(|line| format!("\n  - {line}")).collect();
            format!("the registry has {} problems:{}", many.len(), lines.concat())
        }
    };
    Err(Error::new(ErrorKind::FailedPrecondition, said))
}

fn name(problems: &mut Vec<String>, label: &str, info: &Info) {
    if info.is_remote() {
        return; // made safe where it is sent
    }
    let name = &info.name;
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(legal) {
        problems.push(format!(
            "{label}: a name has 1 to {MAX_NAME} characters of `A-Z a-z 0-9 _ -`, since clients \
             and model providers refuse others"
        ));
    }
}

fn state(
    problems: &mut Vec<String>,
    label: &str,
    requirements: &[Requirement],
    states: Option<&TypeMap>,
) {
    let Some(states) = states else { return };
    for requirement in requirements {
        if let Requirement::State { id, name } = requirement
            && !states.contains(*id)
        {
            problems.push(format!(
                "{label} takes `&{name}`, and no such state was given: call `.state(..)` with one"
            ));
        }
    }
}

fn template(problems: &mut Vec<String>, label: &str, resource: &Resource) {
    let template = match resource.template() {
        Ok(template) => template,
        Err(said) => return problems.push(format!("{label}: `{}`: {said}", resource.uri())),
    };
    let variables: BTreeSet<&str> = template.variables().collect();
    let properties: Vec<_> = schema::properties(resource.schemas().input()).collect();
    for property in &properties {
        if property.required && !variables.contains(property.name) {
            problems.push(format!(
                "{label}: its argument `{}` is no variable of `{}`",
                property.name,
                resource.uri()
            ));
        }
    }
    // An input without named properties (a map, any JSON) takes every variable.
    let named = properties.iter().map(|p| p.name).collect::<BTreeSet<_>>();
    let closed =
        resource.schemas().input().get("additionalProperties") == Some(&Value::Bool(false));
    for variable in variables {
        if !named.contains(variable) && (closed || !named.is_empty()) {
            problems.push(format!(
                "{label}: the variable `{{{variable}}}` of `{}` is no argument of the function",
                resource.uri()
            ));
        }
    }
}
