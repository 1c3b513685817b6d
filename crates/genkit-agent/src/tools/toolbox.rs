//! The tools that a run currently offers, and how a name from a model is resolved.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{RwLock, RwLockReadGuard};

use crate::instance::Instance;
use genkit_core::Result;
use genkit_core::Tool;
use genkit_core::ToolDefinition;
use genkit_core::ToolRef;
use genkit_core::internal::context::TypeMap;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::registry::verify_tool;
use genkit_core::internal::suggest;
use genkit_core::internal::sync::write;
use genkit_core::internal::visible::Logged;

/// The tools of one run, which may change between turns.
pub(crate) struct Toolbox {
    genkit: Instance,
    references: Vec<ToolRef>,
    /// The tools of middleware, which do not change.
    fixed: Vec<Tool>,
    /// The tool that finds lazy tools.
    search: Option<Tool>,
    is_live: bool,
    /// Set until the first turn, which uses the tools found by [`find_tools`](Self::find_tools) without a new lookup.
    is_fresh: AtomicBool,
    tools: RwLock<Tools>,
    /// The number of tools of the turn before middleware changes them.
    turn: AtomicUsize,
    offered: RwLock<OfferedTools>,
}

/// The tools that the model calls of a turn offered.
#[derive(Default)]
enum OfferedTools {
    /// No call has been made.
    #[default]
    NotRecorded,
    Only(HashSet<String>),
    All,
}

impl Toolbox {
    /// Finds all `references`, and adds `fixed`. If two tools have the same name, the error names both.
    pub(crate) async fn find_tools(
        references: Vec<ToolRef>,
        fixed: Vec<Tool>,
        genkit: &Instance,
    ) -> Result<Self> {
        let mut tools = Tools::default();
        for reference in &references {
            for tool in reference.find_tools(&genkit.registry).await? {
                verify_tool(&tool, &genkit.states)?;
                tools.add(tool)?;
            }
        }
        for tool in &fixed {
            tools.add(tool.clone())?;
        }
        Ok(Self {
            genkit: genkit.clone(),
            is_live: references.iter().any(ToolRef::is_live),
            references,
            fixed,
            search: None,
            is_fresh: AtomicBool::new(true),
            tools: RwLock::new(tools),
            turn: AtomicUsize::new(0),
            offered: RwLock::default(),
        })
    }

    /// Adds the tool that finds lazy tools. It is not among the definitions, because only some model calls offer it.
    pub(crate) fn add_search(&mut self, search: Tool) -> Result<()> {
        write(&self.tools).add(search.clone())?;
        self.fixed.push(search.clone());
        self.search = Some(search);
        Ok(())
    }

    fn is_search(&self, name: &str) -> bool {
        self.search.as_ref().is_some_and(|search| search.name() == name)
    }

    /// Returns whether there is a tool with this name.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.read().find_tool(name).is_some()
    }

    /// Returns whether any tool is lazy.
    pub(crate) fn has_lazy(&self) -> bool {
        self.read().tools.iter().any(Tool::is_lazy)
    }

    /// Returns whether middleware has a tool with this name.
    pub(crate) fn is_fixed(&self, name: &str) -> bool {
        self.fixed.iter().any(|tool| tool.name() == name)
    }

    /// Looks up the tools again if they may change, and updates `definitions`.
    pub(crate) async fn refresh_definitions(&self, definitions: &mut Vec<ToolDefinition>) {
        if !self.is_live || self.is_fresh.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut found = Tools::default();
        for reference in &self.references {
            match reference.find_tools(&self.genkit.registry).await {
                Ok(tools) => {
                    tools.into_iter().for_each(|tool| found.add_or_leave(tool, &self.genkit.states))
                }
                Err(error) => {
                    let error = Logged::text(error.chain());
                    tracing::warn!(%error, "failed to look up tools; the run keeps its current ones");
                    return;
                }
            }
        }
        for tool in &self.fixed {
            found.add_or_leave(tool.clone(), &self.genkit.states);
        }
        let mut now = write(&self.tools);
        let stays = |tool: &Tool| found.find_tool(tool.name()).is_some_and(|new| new.is(tool));
        let gone: HashSet<&str> =
            now.tools.iter().filter(|tool| !stays(tool)).map(Tool::name).collect();
        // Keep the changes that middleware made to the remaining definitions.
        definitions.retain(|definition| !gone.contains(definition.name.as_str()));
        let is_new = |tool: &&Tool| !now.find_tool(tool.name()).is_some_and(|old| old.is(tool));
        definitions.extend(found.tools.iter().filter(is_new).map(tool_definition));
        *now = found;
    }

    /// Returns the tool that a model refers to: by its name, or by the part of the name after the last `/`, if that
    /// part is unique. Models in other Genkit implementations use this short form.
    pub(crate) fn find_tool(&self, name: &str) -> Option<Tool> {
        self.read().find_intended(name).cloned()
    }

    /// Returns whether the tools may change during the run.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Returns the error for a model that calls an unknown tool.
    pub(crate) fn unknown_tool_text(&self, name: &str) -> String {
        suggest::unknown_name("tool", name, self.read().tools.iter().map(Tool::name))
    }

    /// Records the tools that a model call offers. Tools that were not offered in the turn are not run.
    pub(crate) fn note_offered(&self, definitions: &[ToolDefinition]) {
        let mut offered = write(&self.offered);
        let own = definitions.iter().filter(|tool| !self.is_search(&tool.name)).count();
        if own >= self.turn.load(Ordering::Acquire) {
            *offered = OfferedTools::All;
            return;
        }
        let names = definitions.iter().map(|tool| tool.name.clone());
        match &mut *offered {
            OfferedTools::All => {}
            OfferedTools::Only(before) => before.extend(names),
            OfferedTools::NotRecorded => *offered = OfferedTools::Only(names.collect()),
        }
    }

    /// Starts a turn with this number of tools. All of them may be called until a model call offers fewer.
    pub(crate) fn begin_turn(&self, tools: usize) {
        self.turn.store(tools, Ordering::Release);
        *write(&self.offered) = OfferedTools::NotRecorded;
    }

    /// Returns the tools that the model calls of the turn offered, or `None` if they offered all.
    pub(crate) fn offered_names(&self) -> Option<Vec<String>> {
        match &*genkit_core::internal::sync::read(&self.offered) {
            OfferedTools::Only(names) => {
                let mut names: Vec<String> = names.iter().cloned().collect();
                names.sort_unstable(); // makes the stored state deterministic
                Some(names)
            }
            OfferedTools::NotRecorded | OfferedTools::All => None,
        }
    }

    /// Restores the offered tools of model calls made in another process.
    pub(crate) fn set_offered(&self, names: Option<Vec<String>>) {
        let offered = names.map_or(OfferedTools::NotRecorded, |names| {
            OfferedTools::Only(names.into_iter().collect())
        });
        *write(&self.offered) = offered;
    }

    /// Returns the names of the tools that do not belong to middleware.
    pub(crate) fn own_names(&self) -> Vec<String> {
        let now = self.read();
        let is_own = |tool: &&Tool| !self.fixed.iter().any(|fixed| fixed.is(tool));
        now.tools.iter().filter(is_own).map(|tool| tool.name().to_owned()).collect()
    }

    /// Returns the names of the tools that the registry does not find.
    pub(crate) fn unregistered_names(&self) -> Vec<String> {
        let registry = &self.genkit.registry;
        let is_there = |tool: &Tool| registry.tool(tool.name()).is_some_and(|found| found.is(tool));
        let now = self.read();
        let own = now.tools.iter().filter(|tool| !self.fixed.iter().any(|fixed| fixed.is(tool)));
        own.filter(|tool| !is_there(tool)).map(|tool| tool.name().to_owned()).collect()
    }

    /// Returns whether no model call of the turn offered this tool of the run, because a turn hook or middleware
    /// removed it.
    pub(crate) fn is_withheld(&self, name: &str) -> bool {
        matches!(&*genkit_core::internal::sync::read(&self.offered), OfferedTools::Only(names) if !names.contains(name))
    }

    pub(crate) fn definitions(&self) -> Vec<ToolDefinition> {
        let now = self.read();
        let own = now.tools.iter().filter(|tool| !self.is_search(tool.name()));
        own.map(tool_definition).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Tools> {
        genkit_core::internal::sync::read(&self.tools)
    }
}

/// A list of tools with an index by name.
#[derive(Default)]
struct Tools {
    tools: Vec<Tool>,
    /// The index is empty while there are at most [`FEW`] tools.
    by_name: HashMap<String, usize>,
}

/// The largest number of tools for a linear search, which is then as fast as a lookup.
const FEW: usize = 8;

impl Tools {
    fn add(&mut self, tool: Tool) -> Result<()> {
        if let Some(other) = self.find_tool(tool.name()) {
            if tool.is(other) {
                return Ok(());
            }
            let [one, two] = [&tool, other].map(|tool| tool.info().label("tool"));
            return Err(E::SameToolName(one, two).into());
        }
        self.tools.push(tool);
        if self.tools.len() > FEW {
            let known = self.by_name.len();
            let new = self.tools.iter().enumerate().skip(known);
            self.by_name.extend(new.map(|(at, tool)| (tool.name().to_owned(), at)));
        }
        Ok(())
    }

    /// Adds a tool, or logs a warning and skips it: an invalid tool must not end a running run.
    fn add_or_leave(&mut self, tool: Tool, states: &TypeMap) {
        if let Err(error) = verify_tool(&tool, states).and_then(|()| self.add(tool)) {
            tracing::warn!(error = %Logged::text(error.chain()), "skipping a tool that was added during a run");
        }
    }

    fn find_tool(&self, name: &str) -> Option<&Tool> {
        if self.tools.len() <= FEW {
            return self.tools.iter().find(|tool| tool.name() == name);
        }
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    fn find_intended(&self, name: &str) -> Option<&Tool> {
        if let Some(tool) = self.find_tool(name) {
            return Some(tool);
        }
        let mut short = self
            .tools
            .iter()
            .filter(|tool| tool.name().rsplit_once('/').is_some_and(|(_, short)| short == name));
        match (short.next(), short.next()) {
            (Some(tool), None) => Some(tool),
            _ => None,
        }
    }
}

pub fn tool_definition(tool: &Tool) -> ToolDefinition {
    let [input, output] = tool.schemas().shared();
    let mut definition =
        ToolDefinition::new(tool.name(), tool.description()).with_shared(input, output);
    definition.metadata = tool.metadata().clone();
    definition.lazy = tool.is_lazy();
    definition
}
