//! Definitions: what every kind of action has, as a `const` of an annotated function and at run time.

use std::sync::Arc;

use serde_json::Value;

use super::call::{ActionHandler, Arguments, Function, NamedFn, Requirement};
use super::info::{Info, StaticInfo};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use genkit_schema::internal::Schemas;
use genkit_schema::internal::strictness::Strictness;

/// The definition of an annotated function: data in a `const`, written by a macro.
pub(crate) struct StaticDefinition<O: 'static> {
    /// `"tool"`
    noun: &'static str,
    info: StaticInfo,
    function: Function<O>,
}

impl<O> StaticDefinition<O> {
    pub(super) const fn new(noun: &'static str, info: StaticInfo, function: Function<O>) -> Self {
        Self { noun, info, function }
    }
}

/// The definition of an action at run time: its info, its schemas, what it needs, what runs.
pub(crate) struct Definition<O: 'static> {
    pub(super) info: Info,
    pub(super) schemas: Schemas,
    pub(super) requirements: Vec<Requirement>,
    pub(super) handler: ActionHandler<O>,
}

impl<O> Definition<O> {
    /// The same with another name. Everything else is shared.
    pub(super) fn renamed(&self, name: String) -> Self {
        self.with_info(Info { name: name.into(), ..self.info.clone() })
    }

    pub(super) fn with_info(&self, info: Info) -> Self {
        Self {
            info,
            schemas: self.schemas.clone(),
            requirements: self.requirements.clone(),
            handler: self.handler.clone(),
        }
    }

    pub(super) fn annotated(
        definition: &'static StaticDefinition<O>,
        needs_approval: bool,
    ) -> Self {
        let StaticDefinition { noun, info, function } = definition;
        let called = [*noun, info.name()];
        let function = NamedFn { function, called, needs_approval };
        Self {
            info: info.info(),
            schemas: Schemas::derived(move || function.input_schema(), function.output_schema()),
            requirements: function.requirements(),
            handler: ActionHandler::Static(function),
        }
    }

    /// For an action made at run time: closures take a `Context`, so nothing is required.
    pub(super) fn dynamic(info: Info, schemas: Schemas, handler: ActionHandler<O>) -> Self {
        Self { info, schemas, requirements: Vec::new(), handler }
    }

    /// Reads the arguments and runs the function.
    pub(super) fn call<'a>(
        &self,
        context: &'a Context,
        value: Value,
        how: Strictness,
    ) -> BoxFuture<'a, Result<O>>
    where
        O: Send,
    {
        match self.schemas.bounds() {
            Ok(bounds) => {
                let bounds = bounds.map(Arc::clone);
                self.handler.call(context, Arguments { value, how, bounds })
            }
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        }
    }
}

/// The getters that every action has, over its `definition()`; `$shown` is what `Debug` shows.
macro_rules! defined {
    ($action:ident, $shown:ident) => {
        impl $action {
            /// The name that callers use.
            pub fn name(&self) -> &str {
                &self.definition().info.name
            }

            /// Title: the name for people, if there is one.
            pub fn title(&self) -> Option<&str> {
                self.definition().info.title.as_deref()
            }

            /// Description: what it is for, and when to use it.
            pub fn description(&self) -> &str {
                &self.definition().info.description
            }

            /// Source location: where it was defined.
            pub fn location(&self) -> Option<$crate::action::SourceLocation> {
                self.definition().info.location
            }

            /// The tags that filters look at.
            pub fn tags(&self) -> impl Iterator<Item = &str> {
                self.definition().info.tags.iter().map(|tag| &**tag)
            }

            /// Icons, by their addresses.
            pub fn icons(&self) -> impl Iterator<Item = &str> {
                self.definition().info.icons.iter().map(|icon| &**icon)
            }

            /// Metadata: data for programs; MCP sends it as `_meta`.
            pub fn metadata(&self) -> &serde_json::Map<String, serde_json::Value> {
                &self.definition().info.metadata
            }

            pub fn info(&self) -> &$crate::action::Info {
                &self.definition().info
            }

            pub fn schemas(&self) -> &genkit_schema::internal::Schemas {
                &self.definition().schemas
            }

            pub(crate) fn requirements(&self) -> &[$crate::action::Requirement] {
                &self.definition().requirements
            }
        }

        impl std::fmt::Debug for $action {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($action)).field(&self.$shown()).finish()
            }
        }
    };
}

pub(super) use defined;
