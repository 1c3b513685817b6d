//! Partials: `{{> name}}` and the related tags.

use std::sync::Arc;

use serde_json::Value;

use super::Renderer;
use super::equal::{compared, same};
use super::scope::{DataFrame, Depth, Handed, Inlines, Kind, Scope};
use super::value::{Val, bytes_of_map};
use crate::error::Error;
use crate::fault::Fault;
use crate::template::{Expr, Node, Partial, PartialName, Program, Template};

/// The result of looking up a partial.
enum Found<'s> {
    Template(Arc<Template>),
    Inline(&'s Program, Scope<'s>),
    Handed(&'s Handed<'s>),
}

impl Renderer<'_> {
    pub(super) fn partial<'s>(
        &mut self,
        partial: &'s Partial,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let this = self.partial_context(partial, &context)?;
        let found = self.find(partial, &context)?;
        self.partials += 1;
        let limit = self.environment.limits().partial_depth;
        if self.partials > limit {
            let name = name_of(partial).to_owned();
            return Err(context.template.error(Fault::PartialsTooDeep { limit, name }, partial.at));
        }
        let indent = &context.template.source()[partial.indent.clone()];
        self.output.begin_indent(indent);
        self.insert(partial, found, this, context)?;
        self.output.end_indent(indent);
        self.partials -= 1;
        Ok(())
    }

    fn insert<'s>(
        &mut self,
        partial: &'s Partial,
        found: Option<Found<'s>>,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let outer = context.handed();
        let handed = partial.block.as_ref().map(|program| Handed { program, context, outer });
        let block_frame =
            DataFrame { kind: Kind::Block(handed.as_ref()), parent: Some(context.frame) };
        let frame = if handed.is_some() { &block_frame } else { context.frame };
        // The inline partials in the block are visible to the partial.
        let inlines = match &partial.block {
            Some(program) if program.has_inlines => Some(self.inlines(program, context)?),
            _ => None,
        };
        let context = Scope { frame, inlines: inlines.as_ref().or(context.inlines), ..context };
        match found {
            Some(Found::Template(template)) => {
                let depth = Depth { this, parent: None };
                let inner = Scope {
                    template: &template,
                    depth: Some(&depth),
                    params: None,
                    frame,
                    inlines: context.inlines,
                };
                self.program(&template.program, inner)
            }
            Some(Found::Inline(program, at)) => {
                let at = Scope { frame, inlines: context.inlines, ..at };
                self.closed(program, this, at)
            }
            Some(Found::Handed(handed)) => self.handed(handed, this, context),
            None => match &handed {
                Some(handed) => self.handed(handed, this, context),
                None => Err(context.template.error(self.missing(partial), partial.at)),
            },
        }
    }

    fn missing(&self, partial: &Partial) -> Fault {
        match &partial.name {
            PartialName::Block => Fault::NoPartialBlock,
            _ => self.environment.unknown_partial(name_of(partial)),
        }
    }

    /// Renders the block that was passed to the partial: in its original scope, with the `@` variables of the place
    /// where it is used.
    fn handed<'s>(
        &mut self,
        handed: &'s Handed<'s>,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let frame = DataFrame { kind: Kind::Block(handed.outer), parent: Some(context.frame) };
        let inner = Scope { frame: &frame, inlines: context.inlines, ..handed.context };
        self.closed(handed.program, this, inner)
    }

    /// Renders a program with `this` in the scope where the program was written.
    fn closed<'s>(
        &mut self,
        program: &'s Program,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        self.charge(context.depth.map_or(0, |depth| compared(&depth.this, &this)), &context)?;
        if context.depth.is_some_and(|depth| same(&depth.this, &this)) {
            return self.program(program, context);
        }
        let depth = Depth { this, parent: context.depth };
        self.program(program, Scope { depth: Some(&depth), ..context })
    }

    /// Returns `this` of the partial: its context, overridden by `key=value`.
    fn partial_context<'s>(
        &mut self,
        partial: &'s Partial,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let this = match &partial.context {
            Some(expr) => self.eval(expr, context)?,
            None => context.this(),
        };
        if partial.hash.is_empty() {
            return Ok(this);
        }
        self.charge(this.map().map_or(0, bytes_of_map), context)?;
        let mut map = this.map().cloned().unwrap_or_default();
        for (key, expr) in &partial.hash {
            let value = self.eval(expr, context)?;
            match value {
                Val::Missing => drop(map.shift_remove(&**key)),
                value => drop(map.insert(key.to_string(), self.owned(value, context)?)),
            }
        }
        Ok(Val::Owned(Value::Object(map)))
    }

    fn find<'s>(
        &mut self,
        partial: &'s Partial,
        context: &Scope<'s>,
    ) -> Result<Option<Found<'s>>, Error> {
        match &partial.name {
            PartialName::Block => Ok(context.handed().map(Found::Handed)),
            PartialName::Static(name) => self.named(name, context),
            PartialName::Dynamic(expr) => {
                let value = self.eval(expr, context)?;
                match value.text() {
                    Some(name) => match self.named(name, context)? {
                        None if partial.block.is_none() => {
                            let fault = self.environment.unknown_partial(name);
                            Err(context.template.error(fault, partial.at))
                        }
                        found => Ok(found),
                    },
                    None if partial.block.is_some() => Ok(None),
                    None => Err(context.template.error(Fault::PartialName, partial.at)),
                }
            }
        }
    }

    fn named<'s>(&mut self, name: &str, context: &Scope<'s>) -> Result<Option<Found<'s>>, Error> {
        if let Some((program, at)) = context.inline(name) {
            return Ok(Some(Found::Inline(program, at)));
        }
        if let Some(known) = self.resolved.get(name) {
            return Ok(known.clone().map(Found::Template));
        }
        let template = self.environment.partial(name)?;
        if let Some(template) = &template {
            self.environment.check_helpers(template)?;
        }
        self.resolved.insert(name.into(), template.clone());
        Ok(template.map(Found::Template))
    }

    pub(super) fn with_inlines<'s>(
        &mut self,
        program: &'s Program,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let inlines = self.inlines(program, context)?;
        self.nodes(program, Scope { inlines: Some(&inlines), ..context })
    }

    fn inlines<'s>(
        &mut self,
        program: &'s Program,
        context: Scope<'s>,
    ) -> Result<Inlines<'s>, Error> {
        let mut list = Vec::new();
        for node in &program.nodes {
            let Node::Inline(inline) = node else { continue };
            let value = self.eval(&inline.name, &context)?;
            let Some(name) = value.text() else {
                return Err(context.template.error(Fault::PartialName, inline.at));
            };
            list.push((name.to_owned(), &inline.program));
        }
        Ok(Inlines { list, context, parent: context.inlines })
    }
}

fn name_of(partial: &Partial) -> &str {
    match &partial.name {
        PartialName::Static(name) => name,
        PartialName::Block => "@partial-block",
        PartialName::Dynamic(Expr::Literal(Some(Value::String(text)))) => text,
        PartialName::Dynamic(_) => "(..)",
    }
}
