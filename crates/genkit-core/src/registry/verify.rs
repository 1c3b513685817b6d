//! Verification of a registry: finds the problems that the compiler cannot find, and reports them as one error.

use std::collections::HashMap;

use disqualified::ShortName;
use serde_json::Value;

use super::actions::Actions;
use super::error::{Error as E, MAX_NAME, MAX_PROMPT_NAME, MAX_RESOURCE_NAME};
use crate::action::{Info, Prompt, Requirement, Resource, Tool};
use crate::context::TypeMap;
use crate::error::Result;
use genkit_schema::internal as schema;
use genkit_schema::internal::Schemas;

/// Reports all problems of `actions`. Missing state is only reported if `states` is set.
pub(super) fn verify_actions(actions: &Actions, states: Option<&TypeMap>) -> Result<()> {
    let mut found = Verification { problems: actions.errors.clone(), states };
    for tool in actions.tools.values() {
        let label = found.verify_action("tool", tool.info(), tool.requirements());
        found.verify_schemas(label, tool.schemas());
        if !tool.schemas().takes_object() {
            let input = match tool.schemas().portable_input().get("type") {
                Some(Value::String(name)) => format!("of the type `{name}`"),
                _ => "not explicitly an object".to_owned(),
            };
            found.problems.push(E::ArgumentsNoObject { label: label.label_text(), input });
        }
        for degraded in tool.schemas().degraded() {
            tracing::info!(
                tool = tool.name(), at = %degraded.pointer, remedy = %degraded.remedy,
                "the served schema is less precise than the type: {}", degraded.what
            );
        }
    }
    for prompt in actions.prompts.values() {
        let label = found.verify_prompt(prompt);
        found.verify_schemas(label, prompt.schemas());
    }
    let mut shapes: HashMap<String, &Resource> = HashMap::new();
    for resource in actions.resources.values() {
        let label = found.verify_resource(resource);
        found.verify_schemas(label, resource.schemas());
        found.verify_template(label, resource);
        // Other programs choose their URIs independently, so equal templates are not an error.
        if resource.info().is_remote() {
            continue;
        }
        if let Some(other) = shapes.insert(template_shape(resource.uri()), resource) {
            let existing = other.info().label("resource");
            let (label, uri) = (label.label_text(), other.uri().to_owned());
            found.problems.push(E::SameTemplate { label, existing, uri });
        }
    }
    for flow in actions.flows.values() {
        let label = found.verify_action("flow", flow.info(), flow.requirements());
        found.verify_schemas(label, flow.schemas());
    }
    for custom in actions.custom.values() {
        let label = Label { kind: custom.kind(), info: custom.flow().info() };
        found.verify_state(label, custom.flow().requirements());
    }
    found.into_result()
}

/// Checks whether a tool that is not in a registry can run.
pub fn verify_tool(tool: &Tool, states: &TypeMap) -> Result<()> {
    let mut found = Verification { problems: Vec::new(), states: Some(states) };
    // Avoid building a label in the common case, because every run verifies its tools.
    let lacks = |needed: &Requirement| matches!(needed, Requirement::State { id, .. } if !states.contains_type(*id));
    if tool.requirements().iter().any(lacks) || tool.schemas().unusable().is_some() {
        let label = Label { kind: "tool", info: tool.info() };
        found.verify_state(label, tool.requirements());
        found.verify_schemas(label, tool.schemas());
    }
    found.into_result()
}

/// Returns a template without the names of its variables. Templates with the same shape match the same URIs. The names
/// of query variables are kept, because they are part of the URI.
fn template_shape(template: &str) -> String {
    let mut shape = String::new();
    let mut in_expression = false;
    let mut is_named = false;
    for c in template.chars() {
        match c {
            '{' => (in_expression, is_named) = (true, false),
            '}' => in_expression = false,
            '?' | '&' | ';' if in_expression => is_named = true,
            _ => {}
        }
        let is_operator = c == '.' && shape.ends_with('{');
        let in_name = c.is_alphanumeric() || "_.%".contains(c);
        if !in_expression || is_named || is_operator || !in_name {
            shape.push(c);
        }
    }
    shape
}

/// Returns whether a character is valid in the name of a tool or flow, or in a prefix.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The name of an action in messages. Formatted lazily, because most actions have no problems.
#[derive(Clone, Copy)]
struct Label<'a> {
    kind: &'static str,
    info: &'a Info,
}

impl Label<'_> {
    fn label_text(self) -> String {
        self.info.label(self.kind)
    }
}

struct Verification<'a> {
    problems: Vec<E>,
    states: Option<&'a TypeMap>,
}

impl Verification<'_> {
    /// Checks the rules for all actions that are called by name. Returns the label of the action.
    fn verify_action<'i>(
        &mut self,
        kind: &'static str,
        info: &'i Info,
        requirements: &[Requirement],
    ) -> Label<'i> {
        let label = Label { kind, info };
        let has_length = (1..=MAX_NAME).contains(&info.name.len());
        let is_legal = has_length && info.name.chars().all(is_name_character);
        // The name of another program's action is escaped where it is sent.
        if !is_legal && !info.is_remote() {
            self.problems.push(E::Name(label.label_text()));
        }
        self.verify_state(label, requirements);
        label
    }

    /// Checks a prompt, whose name may include folders and a variant.
    fn verify_prompt<'i>(&mut self, prompt: &'i Prompt) -> Label<'i> {
        let info = prompt.info();
        let label = Label { kind: "prompt", info };
        let legal = |c: char| is_name_character(c) || c == '.';
        let is_segment = |name: &str| !name.is_empty() && name.chars().all(legal);
        let is_legal = info.name.len() <= MAX_PROMPT_NAME && info.name.split('/').all(is_segment);
        if !is_legal && !info.is_remote() {
            self.problems.push(E::PromptName(label.label_text()));
        }
        self.verify_state(label, prompt.requirements());
        label
    }

    /// Checks a resource. Its name can be any text, because it is requested by URI.
    fn verify_resource<'i>(&mut self, resource: &'i Resource) -> Label<'i> {
        let info = resource.info();
        let label = Label { kind: "resource", info };
        let is_legal = !info.name.trim().is_empty()
            && info.name.chars().count() <= MAX_RESOURCE_NAME
            && !info.name.contains(char::is_control);
        if !is_legal && !info.is_remote() {
            self.problems.push(E::ResourceName(label.label_text()));
        }
        self.verify_state(label, resource.requirements());
        label
    }

    fn verify_state(&mut self, label: Label<'_>, requirements: &[Requirement]) {
        let Some(states) = self.states else { return };
        for requirement in requirements {
            if let Requirement::State { id, name } = requirement
                && !states.contains_type(*id)
            {
                let (label, state) = (label.label_text(), ShortName(name));
                self.problems.push(match states.related_type(name) {
                    Some(given) if ShortName(given).to_string() == state.to_string() => {
                        E::StateOfSameName { label, state: name, given }
                    }
                    Some(given) => E::OtherState { label, state, given: ShortName(given) },
                    None => E::MissingState { label, state },
                });
            }
        }
    }

    /// Reports a schema that calls cannot be validated against.
    fn verify_schemas(&mut self, label: Label<'_>, schemas: &Schemas) {
        if let Some(why) = schemas.unusable() {
            let (label, why) = (label.label_text(), why.to_owned());
            self.problems.push(E::Schema { label, why });
        }
    }

    fn verify_template(&mut self, label: Label<'_>, resource: &Resource) {
        let (label, uri) = (|| label.label_text(), || resource.uri().to_owned());
        let template = match resource.template() {
            Ok(template) => template,
            Err(why) => {
                let why = why.to_owned();
                return self.problems.push(E::Template { label: label(), uri: uri(), why });
            }
        };
        let mut variables: Vec<&str> = Vec::new();
        for variable in template.variables() {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        let properties: Vec<_> = schema::properties(resource.schemas().input()).collect();
        for property in &properties {
            if property.required && !variables.contains(&property.name) {
                let argument = property.name.to_owned();
                self.problems.push(E::UnknownVariable { label: label(), argument, uri: uri() });
            }
        }
        // An input without named properties (a map, any JSON) accepts every variable.
        let closed =
            resource.schemas().input().get("additionalProperties") == Some(&Value::Bool(false));
        for variable in variables {
            let is_named = properties.iter().any(|property| property.name == variable);
            if !is_named && (closed || !properties.is_empty()) {
                let variable = variable.to_owned();
                self.problems.push(E::MissingArgument { label: label(), variable, uri: uri() });
            }
        }
    }

    fn into_result(self) -> Result<()> {
        match self.problems.is_empty() {
            true => Ok(()),
            false => Err(E::Problems(self.problems).into()),
        }
    }
}
