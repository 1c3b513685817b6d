//! Variables that are not in the schema of the input.

use std::collections::HashSet;

use serde_json::Value;

use crate::environment::Environment;
use crate::error::Error;
use crate::error_kind::{ErrorKind, Unknown};
use crate::metadata::Metadata;
use crate::template::{
    Block, Builtin, Call, Expr, Head, Node, PartialName, Path, Program, Template,
};

/// Checks the variables of a template against its schema. Partials are not checked, since they may be meant for other
/// prompts.
pub(super) fn check_variables(
    environment: &Environment,
    template: &Template,
    metadata: &Metadata,
) -> Vec<Error> {
    let Some(schema) = metadata.input_schema().filter(|schema| is_closed(schema)) else {
        return Vec::new();
    };
    let defaults = metadata.input_default().map(|map| map.keys().map(String::as_str).collect());
    let defaults = defaults.unwrap_or_default();
    let mut search = VariableSearch { environment, template, schema, defaults, errors: Vec::new() };
    search.search_program(&template.program, true);
    search.errors
}

/// Returns whether the schema is an object that allows no additional fields, without keywords that could add some.
pub(super) fn is_closed(schema: &Value) -> bool {
    let open = ["$ref", "anyOf", "oneOf", "allOf", "if", "patternProperties"];
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("properties").is_some_and(Value::is_object)
        && !open.iter().any(|key| schema.get(key).is_some())
}

struct VariableSearch<'a> {
    environment: &'a Environment,
    template: &'a Template,
    schema: &'a Value,
    defaults: HashSet<&'a str>,
    errors: Vec<Error>,
}

impl VariableSearch<'_> {
    /// Checks a program. `top` means that `this` is certainly the input.
    fn search_program(&mut self, program: &Program, top: bool) {
        for node in &program.nodes {
            match node {
                Node::Text(_) | Node::Comment(_) => {}
                Node::Value(call, _) => self.call(call, top),
                Node::Block(block) => self.search_block(block, top),
                Node::Inline(inline) => self.search_program(&inline.program, false),
                Node::Partial(partial) => {
                    self.search_values(partial.context.as_ref(), &partial.hash, top);
                    if let PartialName::Dynamic(name) = &partial.name {
                        self.search_values([name], &[], top);
                    }
                    if let Some(program) = &partial.block {
                        self.search_program(program, false);
                    }
                }
            }
        }
    }

    fn search_block(&mut self, block: &Block, top: bool) {
        self.call(&block.call, top);
        let stays = match &block.call.head {
            Head::Builtin(builtin) => !matches!(builtin, Builtin::Each | Builtin::With),
            Head::Helper(_) => true,
            Head::Maybe(path) => self.is_helper(path),
            Head::Variable(_) => false,
        };
        if let Some(program) = &block.program {
            // `{{^name}}` has no first program. A block parameter may have the same name as a variable.
            self.search_program(program, top && stays && program.params.is_empty());
        }
        if let Some(program) = &block.inverse {
            self.search_program(program, top);
        }
    }

    fn is_helper(&self, path: &Path) -> bool {
        path.parts.first().is_some_and(|name| self.environment.has_helper(name))
    }

    fn call(&mut self, call: &Call, top: bool) {
        match &call.head {
            Head::Builtin(_) | Head::Helper(_) => {}
            Head::Maybe(path) if self.is_helper(path) => {}
            Head::Maybe(path) | Head::Variable(path) => self.search_path(path, call.at, top),
        }
        self.search_values(&call.params, &call.hash, top);
    }

    fn search_values<'e>(
        &mut self,
        params: impl IntoIterator<Item = &'e Expr>,
        hash: &'e [(Box<str>, Expr)],
        top: bool,
    ) {
        for expr in params.into_iter().chain(hash.iter().map(|(_, expr)| expr)) {
            match expr {
                Expr::Literal(_) => {}
                Expr::Path(path) => self.search_path(path, path.at, top),
                Expr::Call(call) => self.call(call, top),
            }
        }
    }

    fn search_path(&mut self, path: &Path, at: usize, top: bool) {
        let parts: &[Box<str>] = match &path.parts[..] {
            [root, parts @ ..] if path.data && path.depth == 0 && &**root == "root" => parts,
            parts if !path.data && path.depth == 0 && top => parts,
            _ => return,
        };
        let mut schema = self.schema;
        for (i, part) in parts.iter().enumerate() {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            if !is_closed(schema) || (i == 0 && self.defaults.contains(&**part)) {
                return;
            }
            let Some(next) = properties.get(&**part) else {
                let unknown = Unknown::new(part, properties.keys().map(String::as_str));
                self.errors.push(self.template.error_at(ErrorKind::UnknownVariable(unknown), at));
                return;
            };
            schema = next;
        }
    }
}
