//! Unknown helpers and partials.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use crate::environment::Environment;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::message::Role;
use crate::template::{Builtin, Call, Expr, Head, Node, PartialName, Program, Template};

/// Checks the template and every partial that it can include.
pub(super) fn check_names(environment: &Environment, template: &Template) -> Vec<Error> {
    let reached = reachable_partials(environment, template);
    // Inline partials are also visible in the partials that their template includes.
    let mut inlines = InlineNames::default();
    for template in std::iter::once(template).chain(reached.iter().map(|partial| &**partial)) {
        names_of_inlines(&template.program, &mut inlines);
    }
    let mut search = NameSearch { environment, inlines, errors: Vec::new() };
    search.search_template(template);
    for partial in &reached {
        search.search_template(partial);
    }
    search.errors
}

/// Returns every registered partial that a template can include.
fn reachable_partials(environment: &Environment, template: &Template) -> Vec<Arc<Template>> {
    let mut seen = HashSet::new();
    let mut reached: Vec<Arc<Template>> = Vec::new();
    let mut next = 0;
    let mut names = Vec::new();
    names_of_partials(&template.program, &mut names);
    loop {
        for name in names.drain(..) {
            if let Some(partial) = environment.registered_partial(&name)
                && seen.insert(name)
            {
                reached.push(partial.clone());
            }
        }
        let Some(partial) = reached.get(next) else { return reached };
        names_of_partials(&partial.program, &mut names);
        next += 1;
    }
}

fn names_of_partials(program: &Program, names: &mut Vec<String>) {
    for node in &program.nodes {
        if let Node::Partial(partial) = node
            && let PartialName::Static(name) = &partial.name
        {
            names.push(name.to_string());
        }
        for program in node.programs() {
            names_of_partials(program, names);
        }
    }
}

struct NameSearch<'e> {
    environment: &'e Environment,
    inlines: InlineNames,
    errors: Vec<Error>,
}

impl NameSearch<'_> {
    fn search_template(&mut self, template: &Template) {
        for (name, at) in &template.helpers {
            if !self.environment.has_helper(name) {
                self.errors.push(template.error_at(self.environment.unknown_helper(name), *at));
            }
        }
        self.search_program(&template.program, template);
    }

    fn search_program(&mut self, program: &Program, template: &Template) {
        for node in &program.nodes {
            for program in node.programs() {
                self.search_program(program, template);
            }
            if let Node::Value(call, _) = node {
                self.search_role(call, template);
            }
            let Node::Partial(partial) = node else { continue };
            let PartialName::Static(name) = &partial.name else { continue };
            let known = partial.block.is_some()
                || self.inlines.contains_name(name)
                || self.environment.registered_partial(name).is_some()
                || self.environment.resolves_partials();
            if !known {
                let fault = self.environment.unknown_partial(name);
                self.errors.push(template.error_at(fault, partial.at));
            }
        }
    }

    /// Checks `{{role "name"}}`.
    fn search_role(&mut self, call: &Call, template: &Template) {
        if let (Head::Builtin(Builtin::Role), [Expr::Literal(Some(Value::String(name)))]) =
            (&call.head, &call.params[..])
            && Role::read(name).is_none()
        {
            self.errors.push(template.error_at(ErrorKind::unknown_role(name), call.at));
        }
    }
}

/// The names of the inline partials in all templates.
#[derive(Default)]
struct InlineNames {
    names: HashSet<String>,
    /// Set if an inline partial has a name that depends on data.
    any: bool,
}

impl InlineNames {
    fn contains_name(&self, name: &str) -> bool {
        self.any || self.names.contains(name)
    }
}

fn names_of_inlines(program: &Program, inlines: &mut InlineNames) {
    for node in &program.nodes {
        for program in node.programs() {
            names_of_inlines(program, inlines);
        }
        let Node::Inline(inline) = node else { continue };
        match &inline.name {
            Expr::Literal(Some(Value::String(name))) => {
                inlines.names.insert(name.clone());
            }
            _ => inlines.any = true,
        }
    }
}
