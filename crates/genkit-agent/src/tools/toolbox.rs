//! Toolbox: the tools that a run offers now, and which of them a model means.

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

/// The tools of one run, as they come and go.
pub(crate) struct Toolbox {
    genkit: Instance,
    references: Vec<ToolRef>,
    /// Those of middleware, which stay.
    fixed: Vec<Tool>,
    is_live: bool,
    /// They were looked up, and no turn was made with them yet.
    is_fresh: AtomicBool,
    tools: RwLock<Tools>,
    /// How many tools the turn has before middleware.
    turn: AtomicUsize,
    offered: RwLock<Offered>,
}

/// What the model calls of a turn were offered.
#[derive(Default)]
enum Offered {
    /// No call was made.
    #[default]
    Untold,
    Only(HashSet<String>),
    All,
}

impl Toolbox {
    /// Finds all of `references`, and `fixed`; two of one name are an error that names both.
    pub(crate) async fn find(
        references: Vec<ToolRef>,
        fixed: Vec<Tool>,
        genkit: &Instance,
    ) -> Result<Self> {
        let mut tools = Tools::default();
        for reference in &references {
            for tool in reference.find(&genkit.registry).await? {
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
            is_fresh: AtomicBool::new(true),
            tools: RwLock::new(tools),
            turn: AtomicUsize::new(0),
            offered: RwLock::default(),
        })
    }

    /// Looks again where tools come and go, and brings `definitions` up to date.
    pub(crate) async fn refresh(&self, definitions: &mut Vec<ToolDefinition>) {
        if !self.is_live || self.is_fresh.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut found = Tools::default();
        for reference in &self.references {
            match reference.find(&self.genkit.registry).await {
                Ok(tools) => {
                    tools.into_iter().for_each(|tool| found.add_or_leave(tool, &self.genkit.states))
                }
                Err(error) => {
                    let error = Logged::text(error.chain());
                    tracing::warn!(%error, "tools cannot be looked up: the run keeps those it has");
                    return;
                }
            }
        }
        for tool in &self.fixed {
            found.add_or_leave(tool.clone(), &self.genkit.states);
        }
        let mut now = write(&self.tools);
        let stays = |tool: &Tool| found.get(tool.name()).is_some_and(|new| new.is(tool));
        let gone: HashSet<&str> =
            now.tools.iter().filter(|tool| !stays(tool)).map(Tool::name).collect();
        // What middleware made of the others stays.
        definitions.retain(|definition| !gone.contains(definition.name.as_str()));
        let is_new = |tool: &&Tool| !now.get(tool.name()).is_some_and(|old| old.is(tool));
        definitions.extend(found.tools.iter().filter(is_new).map(definition));
        *now = found;
    }

    /// The tool that a model means: by its name, or by the part after the last `/` where only one
    /// has it, as Genkit's models name them.
    pub(crate) fn get(&self, name: &str) -> Option<Tool> {
        self.read().meant(name).cloned()
    }

    /// Whether tools come and go during the run.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// What the model is told when it asks for a tool that is not there.
    pub(crate) fn unknown(&self, name: &str) -> String {
        suggest::unknown("tool", name, self.read().tools.iter().map(Tool::name))
    }

    /// Notes what a model call is offered. Tools that no call of the turn was offered are not run.
    pub(crate) fn note_offered(&self, definitions: &[ToolDefinition]) {
        let mut offered = write(&self.offered);
        if definitions.len() >= self.turn.load(Ordering::Acquire) {
            *offered = Offered::All;
            return;
        }
        let names = definitions.iter().map(|tool| tool.name.clone());
        match &mut *offered {
            Offered::All => {}
            Offered::Only(before) => before.extend(names),
            Offered::Untold => *offered = Offered::Only(names.collect()),
        }
    }

    /// A turn begins with so many tools, and all of them may be called until a model call says otherwise.
    pub(crate) fn begin_turn(&self, tools: usize) {
        self.turn.store(tools, Ordering::Release);
        *write(&self.offered) = Offered::Untold;
    }

    /// The tools that the model calls of the turn were offered, where those were not all.
    pub(crate) fn offered(&self) -> Option<Vec<String>> {
        match &*genkit_core::internal::sync::read(&self.offered) {
            Offered::Only(names) => {
                let mut names: Vec<String> = names.iter().cloned().collect();
                names.sort_unstable(); // one text for one state
                Some(names)
            }
            Offered::Untold | Offered::All => None,
        }
    }

    /// Takes over what model calls elsewhere were offered.
    pub(crate) fn set_offered(&self, names: Option<Vec<String>>) {
        let offered =
            names.map_or(Offered::Untold, |names| Offered::Only(names.into_iter().collect()));
        *write(&self.offered) = offered;
    }

    /// The names of the tools that are none of middleware's.
    pub(crate) fn own_names(&self) -> Vec<String> {
        let now = self.read();
        let is_own = |tool: &&Tool| !self.fixed.iter().any(|fixed| fixed.is(tool));
        now.tools.iter().filter(is_own).map(|tool| tool.name().to_owned()).collect()
    }

    /// Those of them that the registry does not find by their name.
    pub(crate) fn unregistered(&self) -> Vec<String> {
        let registry = &self.genkit.registry;
        let is_there = |tool: &Tool| registry.tool(tool.name()).is_some_and(|found| found.is(tool));
        let now = self.read();
        let own = now.tools.iter().filter(|tool| !self.fixed.iter().any(|fixed| fixed.is(tool)));
        own.filter(|tool| !is_there(tool)).map(|tool| tool.name().to_owned()).collect()
    }

    /// Whether no model call of the turn was offered a tool of the run: a turn or a middleware left it out.
    pub(crate) fn is_withheld(&self, name: &str) -> bool {
        matches!(&*genkit_core::internal::sync::read(&self.offered), Offered::Only(names) if !names.contains(name))
    }

    pub(crate) fn definitions(&self) -> Vec<ToolDefinition> {
        self.read().tools.iter().map(definition).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Tools> {
        genkit_core::internal::sync::read(&self.tools)
    }
}

/// Some tools, in order and by name.
#[derive(Default)]
struct Tools {
    tools: Vec<Tool>,
    /// Empty while there are [`FEW`].
    by_name: HashMap<String, usize>,
}

/// How many tools are found as fast by looking at each.
const FEW: usize = 8;

impl Tools {
    fn add(&mut self, tool: Tool) -> Result<()> {
        if let Some(other) = self.get(tool.name()) {
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

    /// In the middle of a run one tool too many is no reason to end it.
    fn add_or_leave(&mut self, tool: Tool, states: &TypeMap) {
        if let Err(error) = verify_tool(&tool, states).and_then(|()| self.add(tool)) {
            tracing::warn!(error = %Logged::text(error.chain()), "a tool that came during a run is left out");
        }
    }

    fn get(&self, name: &str) -> Option<&Tool> {
        if self.tools.len() <= FEW {
            return self.tools.iter().find(|tool| tool.name() == name);
        }
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    fn meant(&self, name: &str) -> Option<&Tool> {
        if let Some(tool) = self.get(name) {
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

pub fn definition(tool: &Tool) -> ToolDefinition {
    let [input, output] = tool.schemas().shared();
    let mut definition =
        ToolDefinition::new(tool.name(), tool.description()).with_shared(input, output);
    definition.metadata = tool.metadata().clone();
    definition
}
