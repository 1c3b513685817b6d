//! What a name means at a place of a template.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::value::Val;
use crate::message::Data;
use crate::metadata::Metadata;
use crate::template::{Program, Template};

/// Where a rendering is.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) template: &'s Template,
    /// `this` and what `../` leads to; none where nothing is around.
    pub(super) depth: Option<&'s Depth<'s>>,
    pub(super) params: Option<&'s Params<'s>>,
    pub(super) frame: &'s DataFrame<'s>,
    pub(super) inlines: Option<&'s Inlines<'s>>,
}

/// A value of `this`.
pub(super) struct Depth<'s> {
    pub(super) this: Val<'s>,
    pub(super) parent: Option<&'s Depth<'s>>,
}

/// `as |value key|`
pub(super) struct Params<'s> {
    pub(super) names: &'s [Box<str>],
    pub(super) values: [Val<'s>; 2],
    pub(super) parent: Option<&'s Params<'s>>,
}

/// Variables with `@`.
pub(super) struct DataFrame<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) parent: Option<&'s DataFrame<'s>>,
}

pub(super) enum Kind<'s> {
    Given(&'s Given<'s>),
    Each {
        index: usize,
        key: Option<&'s str>,
        last: bool,
    },
    /// What `@partial-block` is from here on.
    Block(Option<&'s Handed<'s>>),
}

/// What the whole rendering was given.
pub(super) struct Given<'s> {
    pub(super) input: &'s Map<String, Value>,
    pub(super) data: &'s Data,
    pub(super) prompt: &'s Metadata,
    /// `@metadata`, made when it is asked for.
    pub(super) metadata: OnceCell<Value>,
}

/// The block of `{{#> name}}..{{/name}}`, with what surrounds it.
pub(super) struct Handed<'s> {
    pub(super) program: &'s Program,
    pub(super) context: Scope<'s>,
    /// `@partial-block` within it.
    pub(super) outer: Option<&'s Handed<'s>>,
}

/// The `{{#*inline}}` partials of a program, with what surrounds it.
pub(super) struct Inlines<'s> {
    pub(super) list: Vec<(String, &'s Program)>,
    pub(super) context: Scope<'s>,
    pub(super) parent: Option<&'s Inlines<'s>>,
}

impl<'s> Scope<'s> {
    pub(super) fn this(&self) -> Val<'s> {
        self.depth.map_or(Val::Missing, |depth| depth.this.borrow())
    }

    /// The block that was handed to the innermost partial.
    pub(super) fn handed(&self) -> Option<&'s Handed<'s>> {
        let mut frame = Some(self.frame);
        while let Some(DataFrame { kind, parent }) = frame {
            if let Kind::Block(handed) = kind {
                return *handed;
            }
            frame = *parent;
        }
        None
    }

    pub(super) fn inline(&self, name: &str) -> Option<(&'s Program, Scope<'s>)> {
        let mut inlines = self.inlines;
        while let Some(Inlines { list, context, parent }) = inlines {
            // Of two with one name the later counts.
            if let Some((_, program)) = list.iter().rev().find(|(known, _)| known == name) {
                return Some((program, *context));
            }
            inlines = *parent;
        }
        None
    }
}
