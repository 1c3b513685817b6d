//! Partials: `{{> name}}` and the related tags.

use std::sync::Arc;

use serde_json::Value;

use super::Renderer;
use super::equal::{compared_bytes, is_same_this};
use super::scope::{DataFrame, Depth, Inlines, Kind, PassedBlock, Scope};
use super::value::{Val, bytes_of_map};
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::template::{Expr, Node, Partial, PartialName, Program, Template};

/// The result of looking up a partial.
enum ResolvedPartial<'s> {
    Template(Arc<Template>),
    Inline(&'s Program, Scope<'s>),
    PassedBlock(&'s PassedBlock<'s>),
}

impl Renderer<'_> {
    pub(super) fn render_partial<'s>(
        &mut self,
        partial: &'s Partial,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let this = self.partial_context(partial, &context)?;
        let found = self.find_partial(partial, &context)?;
        self.partials += 1;
        let limit = self.environment.limits().partial_depth;
        if self.partials > limit {
            let name = partial_name(partial).to_owned();
            return Err(context
                .template
                .error_at(ErrorKind::PartialsTooDeep { limit, name }, partial.at));
        }
        let indent = &context.template.source()[partial.indent.clone()];
        self.output.begin_indent(indent);
        self.render_found(partial, found, this, context)?;
        self.output.end_indent(indent);
        self.partials -= 1;
        Ok(())
    }

    fn render_found<'s>(
        &mut self,
        partial: &'s Partial,
        found: Option<ResolvedPartial<'s>>,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let outer = context.passed_block();
        let handed = partial.block.as_ref().map(|program| PassedBlock { program, context, outer });
        let block_frame =
            DataFrame { kind: Kind::Block(handed.as_ref()), parent: Some(context.frame) };
        let frame = if handed.is_some() { &block_frame } else { context.frame };
        // The inline partials in the block are visible to the partial.
        let inlines = match &partial.block {
            Some(program) if program.has_inlines => Some(self.collect_inlines(program, context)?),
            _ => None,
        };
        let context = Scope { frame, inlines: inlines.as_ref().or(context.inlines), ..context };
        match found {
            Some(ResolvedPartial::Template(template)) => {
                let depth = Depth { this, parent: None };
                let inner = Scope {
                    template: &template,
                    depth: Some(&depth),
                    params: None,
                    frame,
                    inlines: context.inlines,
                };
                self.render_program(&template.program, inner)
            }
            Some(ResolvedPartial::Inline(program, at)) => {
                let at = Scope { frame, inlines: context.inlines, ..at };
                self.render_in_scope(program, this, at)
            }
            Some(ResolvedPartial::PassedBlock(handed)) => {
                self.render_passed_block(handed, this, context)
            }
            None => match &handed {
                Some(handed) => self.render_passed_block(handed, this, context),
                None => Err(context.template.error_at(self.missing_partial(partial), partial.at)),
            },
        }
    }

    fn missing_partial(&self, partial: &Partial) -> ErrorKind {
        match &partial.name {
            PartialName::Block => ErrorKind::MissingPartialBlock,
            _ => self.environment.unknown_partial(partial_name(partial)),
        }
    }

    /// Renders the block that was passed to the partial: in its original scope, with the `@` variables of the position
    /// where it is used.
    fn render_passed_block<'s>(
        &mut self,
        handed: &'s PassedBlock<'s>,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let frame = DataFrame { kind: Kind::Block(handed.outer), parent: Some(context.frame) };
        let inner = Scope { frame: &frame, inlines: context.inlines, ..handed.context };
        self.render_in_scope(handed.program, this, inner)
    }

    /// Renders a program with `this` in the scope where the program was written.
    fn render_in_scope<'s>(
        &mut self,
        program: &'s Program,
        this: Val<'s>,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        self.charge_bytes(
            context.depth.map_or(0, |depth| compared_bytes(&depth.this, &this)),
            &context,
        )?;
        if context.depth.is_some_and(|depth| is_same_this(&depth.this, &this)) {
            return self.render_program(program, context);
        }
        let depth = Depth { this, parent: context.depth };
        self.render_program(program, Scope { depth: Some(&depth), ..context })
    }

    /// Returns `this` of the partial: its context, overridden by `key=value`.
    fn partial_context<'s>(
        &mut self,
        partial: &'s Partial,
        context: &Scope<'s>,
    ) -> Result<Val<'s>, Error> {
        let this = match &partial.context {
            Some(expr) => self.eval_expr(expr, context)?,
            None => context.this(),
        };
        if partial.hash.is_empty() {
            return Ok(this);
        }
        self.charge_bytes(this.as_map().map_or(0, bytes_of_map), context)?;
        let mut map = this.as_map().cloned().unwrap_or_default();
        for (key, expr) in &partial.hash {
            let value = self.eval_expr(expr, context)?;
            match value {
                Val::Missing => drop(map.shift_remove(&**key)),
                value => drop(map.insert(key.to_string(), self.detach_value(value, context)?)),
            }
        }
        Ok(Val::Owned(Value::Object(map)))
    }

    fn find_partial<'s>(
        &mut self,
        partial: &'s Partial,
        context: &Scope<'s>,
    ) -> Result<Option<ResolvedPartial<'s>>, Error> {
        match &partial.name {
            PartialName::Block => Ok(context.passed_block().map(ResolvedPartial::PassedBlock)),
            PartialName::Static(name) => self.find_by_name(name, context),
            PartialName::Dynamic(expr) => {
                let value = self.eval_expr(expr, context)?;
                match value.as_text() {
                    Some(name) => match self.find_by_name(name, context)? {
                        None if partial.block.is_none() => {
                            let fault = self.environment.unknown_partial(name);
                            Err(context.template.error_at(fault, partial.at))
                        }
                        found => Ok(found),
                    },
                    None if partial.block.is_some() => Ok(None),
                    None => Err(context.template.error_at(ErrorKind::PartialName, partial.at)),
                }
            }
        }
    }

    fn find_by_name<'s>(
        &mut self,
        name: &str,
        context: &Scope<'s>,
    ) -> Result<Option<ResolvedPartial<'s>>, Error> {
        if let Some((program, at)) = context.find_inline(name) {
            return Ok(Some(ResolvedPartial::Inline(program, at)));
        }
        if let Some(known) = self.resolved.get(name) {
            return Ok(known.clone().map(ResolvedPartial::Template));
        }
        let template = self.environment.find_partial(name)?;
        if let Some(template) = &template {
            self.environment.check_helpers(template)?;
        }
        self.resolved.insert(name.into(), template.clone());
        Ok(template.map(ResolvedPartial::Template))
    }

    pub(super) fn with_inlines<'s>(
        &mut self,
        program: &'s Program,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        let inlines = self.collect_inlines(program, context)?;
        self.render_nodes(program, Scope { inlines: Some(&inlines), ..context })
    }

    fn collect_inlines<'s>(
        &mut self,
        program: &'s Program,
        context: Scope<'s>,
    ) -> Result<Inlines<'s>, Error> {
        let mut list = Vec::new();
        for node in &program.nodes {
            let Node::Inline(inline) = node else { continue };
            let value = self.eval_expr(&inline.name, &context)?;
            let Some(name) = value.as_text() else {
                return Err(context.template.error_at(ErrorKind::PartialName, inline.at));
            };
            list.push((name.to_owned(), &inline.program));
        }
        Ok(Inlines { list, context, parent: context.inlines })
    }
}

fn partial_name(partial: &Partial) -> &str {
    match &partial.name {
        PartialName::Static(name) => name,
        PartialName::Block => "@partial-block",
        PartialName::Dynamic(Expr::Literal(Some(Value::String(text)))) => text,
        PartialName::Dynamic(_) => "(..)",
    }
}
