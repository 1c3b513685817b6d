//! Verification: what the compiler cannot see, found in one pass and reported as one error.

use std::collections::BTreeSet;

use serde_json::Value;

use super::actions::Actions;
use super::error::{Error as E, MAX_NAME};
use crate::action::{Info, Requirement, Resource, Tool};
use crate::context::TypeMap;
use crate::error::Result;
use crate::schema;

/// All problems of `actions`; those with state only where `states` is what was given.
pub(super) fn verify(actions: &Actions, states: Option<&TypeMap>) -> Result<()> {
    let mut problems = actions.refused.clone();
    for tool in actions.tools.values() {
        let label = tool.info().label("tool");
        name(&mut problems, &label, tool.info());
        state(&mut problems, &label, tool.requirements(), states);
        let kind = tool.schemas().portable_input().get("type").and_then(Value::as_str);
        if kind != Some("object") {
            problems.push(E::ArgumentsNoObject(label));
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
    report(problems)
}

/// Whether a tool that is in no registry can run.
pub(crate) fn verify_tool(tool: &Tool, states: &TypeMap) -> Result<()> {
    let mut problems = Vec::new();
    state(&mut problems, &tool.info().label("tool"), tool.requirements(), Some(states));
    report(problems)
}

fn report(problems: Vec<E>) -> Result<()> {
    if problems.is_empty() { Ok(()) } else { Err(E::Problems(problems).into()) }
}

fn name(problems: &mut Vec<E>, label: &str, info: &Info) {
    if info.is_remote() {
        return; // made safe where it is sent
    }
    let name = &info.name;
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(legal) {
        problems.push(E::Name(label.to_owned()));
    }
}

fn state(
    problems: &mut Vec<E>,
    label: &str,
    requirements: &[Requirement],
    states: Option<&TypeMap>,
) {
    let Some(states) = states else { return };
    for requirement in requirements {
        if let Requirement::State { id, name } = requirement
            && !states.contains(*id)
        {
            problems.push(E::NoState { label: label.to_owned(), state: name });
        }
    }
}

fn template(problems: &mut Vec<E>, label: &str, resource: &Resource) {
    let (label, uri) = (|| label.to_owned(), || resource.uri().to_owned());
    let template = match resource.template() {
        Ok(template) => template,
        Err(why) => {
            let why = why.to_owned();
            return problems.push(E::Template { label: label(), uri: uri(), why });
        }
    };
    let variables: BTreeSet<&str> = template.variables().collect();
    let properties: Vec<_> = schema::properties(resource.schemas().input()).collect();
    for property in &properties {
        if property.required && !variables.contains(property.name) {
            let argument = property.name.to_owned();
            problems.push(E::NoVariable { label: label(), argument, uri: uri() });
        }
    }
    // An input without named properties (a map, any JSON) takes every variable.
    let named = properties.iter().map(|p| p.name).collect::<BTreeSet<_>>();
    let closed =
        resource.schemas().input().get("additionalProperties") == Some(&Value::Bool(false));
    for variable in variables {
        if !named.contains(variable) && (closed || !named.is_empty()) {
            let variable = variable.to_owned();
            problems.push(E::NoArgument { label: label(), variable, uri: uri() });
        }
    }
}
