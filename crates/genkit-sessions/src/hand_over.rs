//! Hand-over: an agent passes the conversation to another agent, which responds from then on.

use std::sync::{Arc, OnceLock};

use genkit_agent::Generate;
use genkit_core::{Context, Result, Role, Tool};
use serde_json::Value;

use crate::agent::{Agent, Kind};
use crate::error::Error as E;
use crate::turn::TurnResult;
use crate::types::AgentFinishReason;

/// The maximum number of hand-overs in one turn. Default is 8; a turn with more fails.
pub(crate) const MAX_HAND_OVERS: usize = 8;

/// The prefix of the tools that hand a conversation over, as in other libraries.
const PREFIX: &str = "transfer_to_";

/// The maximum length of a tool name that all providers accept, in bytes. `delegate_to_` and `transfer_to_` have the
/// same length.
const MAX_TOOL_NAME: usize = 64;

/// The agents that can respond in a session: the agent of the session, and all agents that the conversation can be
/// handed over to.
pub(crate) struct Team<'a> {
    /// The first member is the agent of the session.
    members: Vec<&'a Agent>,
}

impl<'a> Team<'a> {
    pub(crate) fn new(own: &'a Agent) -> Self {
        let mut members = vec![own];
        let mut at = 0;
        while let Some(member) = members.get(at).copied() {
            for target in &member.0.hand_overs {
                if !members.iter().any(|known| known.name() == target.name()) {
                    members.push(target);
                }
            }
            at += 1;
        }
        Self { members }
    }

    /// Returns the tools of all members.
    pub(crate) fn known_tools(&self) -> Vec<Tool> {
        let templates = self.members.iter().filter_map(|member| match &member.0.kind {
            Kind::Model(template) => Some(template),
            Kind::Handler(_) => None,
        });
        templates.flat_map(|template| template.known_tools()).collect()
    }

    /// Checks the agents that an agent can hand over to.
    pub(crate) fn check(name: &str, targets: &[Agent]) -> Result<(), E> {
        let mut known: Vec<&Agent> = Vec::new();
        for target in targets.iter().flat_map(|target| Team::new(target).members) {
            let is_long = |name: &&str| PREFIX.len() + name.len() > MAX_TOOL_NAME;
            if let Some(long) = [name, target.name()].into_iter().find(is_long) {
                return Err(E::CalledName(long.to_owned(), MAX_TOOL_NAME - PREFIX.len()));
            }
            let is_other =
                |known: &&&Agent| known.name() == target.name() && !known.is_same(target);
            if target.name() == name || known.iter().any(|known| is_other(&known)) {
                return Err(E::TwoMembers(target.name().to_owned()));
            }
            known.push(target);
        }
        Ok(())
    }

    /// Checks the agents that work for an agent in the background.
    pub(crate) fn check_background(agents: &[Agent]) -> Result<(), E> {
        for (at, agent) in agents.iter().enumerate() {
            let name = || agent.name().to_owned();
            if agent.is_client_managed() {
                return Err(E::NoBackground(name()));
            }
            if PREFIX.len() + agent.name().len() > MAX_TOOL_NAME {
                return Err(E::CalledName(name(), MAX_TOOL_NAME - PREFIX.len()));
            }
            if agents[..at].iter().any(|other| other.name() == agent.name()) {
                return Err(E::TwoMembers(name()));
            }
        }
        Ok(())
    }

    /// Returns the agent that currently responds.
    pub(crate) fn current(&self, name: Option<&str>) -> &'a Agent {
        let Some(name) = name else { return self.members[0] };
        match self.members.iter().find(|member| member.name() == name) {
            Some(member) => member,
            None => {
                tracing::warn!(
                    agent = name,
                    "the agent that the conversation was handed over to does not exist; using the agent of the session"
                );
                self.members[0]
            }
        }
    }

    /// Returns the agents that `agent` can hand over to: its own targets, and the agents that have it as a target.
    pub(crate) fn list_targets(&self, agent: &Agent) -> impl Iterator<Item = &'a Agent> {
        let leads = |from: &Agent, to: &Agent| from.0.hand_overs.iter().any(|it| it.is_same(to));
        let members = self.members.iter().copied();
        members.filter(move |other| leads(agent, other) || leads(other, agent))
    }

    /// Adds the tools that hand the conversation over. After such a call, the other agent continues the turn.
    pub(crate) fn offer_hand_overs(&self, agent: &Agent, mut run: Generate) -> Generate {
        let winner = Arc::default();
        for target in self.list_targets(agent) {
            let tool = transfer_tool(target, &winner);
            run = run.stop_on_tool(tool.name()).tools([tool]);
        }
        run
    }

    /// Returns the name of the agent that a turn was handed over to.
    pub(crate) fn find_hand_over(&self, agent: &Agent, result: &TurnResult) -> Option<String> {
        let message = result.message.as_ref().filter(|message| message.role == Role::Tool)?;
        if result.finish != AgentFinishReason::Stop {
            return None;
        }
        let called = message.tool_responses().filter(|response| response.error().is_none());
        let names: Vec<&str> =
            called.filter_map(|response| response.name.strip_prefix(PREFIX)).collect();
        let mut targets = self.list_targets(agent).map(Agent::name);
        names.into_iter().find(|name| targets.any(|target| target == *name)).map(str::to_owned)
    }
}

/// Returns the tool that hands the conversation over to `target`. The first of several calls is recorded in `winner`, and
/// the others fail.
fn transfer_tool(target: &Agent, winner: &Arc<OnceLock<String>>) -> Tool {
    let name = target.name();
    let about = format!(
        "Hands the conversation over to the agent `{name}`, which sees all of it and answers from then on. {}",
        target.description()
    );
    let (winner, target) = (Arc::clone(winner), name.to_owned());
    Tool::builder(format!("{PREFIX}{name}"), about)
        .input_schema(serde_json::json!({"type": "object", "properties": {}}))
        .handler(move |_: Context, _: Value| {
            let handed_over = match winner.set(target.clone()) {
                Ok(()) => Ok(format!("The conversation was handed over to `{target}`.")),
                Err(_) => Err(E::HandedOver(winner.get().cloned().unwrap_or_default())),
            };
            std::future::ready(handed_over.map_err(|error| genkit_core::Error::from(error).into()))
        })
}
