//! The scope of names during rendering.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::value::Val;
use crate::message::Data;
use crate::metadata::Metadata;
use crate::template::{Program, Template};

/// The scope at a position in a template.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) template: &'s Template,
    /// `this` and its parents, for `../`, or `None` if there is no enclosing value.
    pub(super) depth: Option<&'s Depth<'s>>,
    pub(super) params: Option<&'s Params<'s>>,
    pub(super) frame: &'s DataFrame<'s>,
    pub(super) inlines: Option<&'s Inlines<'s>>,
}

/// One level of `this`.
pub(super) struct Depth<'s> {
    pub(super) this: Val<'s>,
    pub(super) parent: Option<&'s Depth<'s>>,
}

/// Block parameters: `as |value key|`.
pub(super) struct Params<'s> {
    pub(super) names: &'s [Box<str>],
    pub(super) values: [Val<'s>; 2],
    pub(super) parent: Option<&'s Params<'s>>,
}

/// Variables that start with `@`.
pub(super) struct DataFrame<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) parent: Option<&'s DataFrame<'s>>,
}

pub(super) enum Kind<'s> {
    Root(&'s RenderInput<'s>),
    Each {
        index: usize,
        key: Option<&'s str>,
        last: bool,
    },
    /// The value of `@partial-block` from here on.
    Block(Option<&'s PassedBlock<'s>>),
}

/// The input of the whole rendering.
pub(super) struct RenderInput<'s> {
    pub(super) input: &'s Map<String, Value>,
    pub(super) data: &'s Data,
    pub(super) prompt: &'s Metadata,
    /// The value of `@metadata`, created on first use.
    pub(super) metadata: OnceCell<Value>,
}

/// The block of `{{#> name}}..{{/name}}`, with its scope.
pub(super) struct PassedBlock<'s> {
    pub(super) program: &'s Program,
    pub(super) context: Scope<'s>,
    /// The value of `@partial-block` inside the block.
    pub(super) outer: Option<&'s PassedBlock<'s>>,
}

/// The `{{#*inline}}` partials of a program, with their scope.
pub(super) struct Inlines<'s> {
    pub(super) list: Vec<(String, &'s Program)>,
    pub(super) context: Scope<'s>,
    pub(super) parent: Option<&'s Inlines<'s>>,
}

impl<'s> Scope<'s> {
    pub(super) fn this(&self) -> Val<'s> {
        self.depth.map_or(Val::Missing, |depth| depth.this.borrow())
    }

    /// Returns the block that was passed to the innermost partial.
    pub(super) fn passed_block(&self) -> Option<&'s PassedBlock<'s>> {
        let mut frame = Some(self.frame);
        while let Some(DataFrame { kind, parent }) = frame {
            if let Kind::Block(handed) = kind {
                return *handed;
            }
            frame = *parent;
        }
        None
    }

    pub(super) fn find_inline(&self, name: &str) -> Option<(&'s Program, Scope<'s>)> {
        let mut inlines = self.inlines;
        while let Some(Inlines { list, context, parent }) = inlines {
            // If two have the same name, the later one is used.
            if let Some((_, program)) = list.iter().rev().find(|(known, _)| known == name) {
                return Some((program, *context));
            }
            inlines = *parent;
        }
        None
    }
}
