//! Link-time registration: the static definitions that the linker collects.

#![allow(missing_docs, reason = "for expansions and hidden")]

use super::flow::StaticFlow;
use super::prompt::StaticPrompt;
use super::resource::StaticResource;
use super::tool::StaticTool;

/// What the linker collects.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Linked {
    Tool(&'static StaticTool),
    Prompt(&'static StaticPrompt),
    Resource(&'static StaticResource),
    Flow(&'static StaticFlow),
}

#[cfg(feature = "inventory")]
inventory::collect!(Linked);
