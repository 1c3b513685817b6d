//! Step-up authorization: a caller whose token lacks a scope for the requested item receives the
//! required scopes (MCP's authorization, scope challenge).

use rmcp::model::RequestId;

use super::endpoint::EndpointState;
use super::rejection::HttpRejection;
use super::rules::ParamsOutline;
use crate::permission::Item;
use crate::principal::Principal;
use genkit_mcp::internal::spans::method_name;

impl EndpointState {
    /// Checks the scopes that the requested item requires.
    ///
    /// # Errors
    /// Returns an error if the caller has a token that lacks a scope.
    pub(super) fn check_scopes(
        &self,
        method: &str,
        id: &RequestId,
        params: &ParamsOutline<'_>,
        principal: Option<&Principal>,
    ) -> Result<(), HttpRejection> {
        let Some(principal) = principal.filter(|_| self.steps_up) else { return Ok(()) };
        let Some(mut name) = params.routed_name(method) else { return Ok(()) };
        let shared = &self.engine.shared;
        let arguments = || params.argument_object().filter(|_| method == "tools/call");
        if shared.settings.tool_search
            && let Some((called, _)) = shared.called_tool(&name, arguments().as_ref())
        {
            name = called.into();
        }
        let needed = self.lacking_scopes(method, &name, Some(principal));
        let Some(needed) = needed else { return Ok(()) };
        let scopes = needed.join(" ");
        // Include the scopes that the principal already has: the client requests a token with exactly the scopes of the
        // challenge, and would lose all others.
        let mut all = principal.scopes().to_vec();
        all.extend(needed.into_iter().filter(|scope| !principal.has_scope(scope)));
        Err(HttpRejection::StepUp {
            id: Some(id.clone()),
            method: method_name(method),
            name: name.into(),
            scopes: scopes.into(),
            challenge: self.challenges.for_scopes(&all),
        })
    }

    /// Returns the scopes that the requested item requires, if the caller lacks some of them. Returns `None` for
    /// callers without a token, so that they cannot find out which items exist.
    fn lacking_scopes(
        &self,
        method: &str,
        name: &str,
        principal: Option<&Principal>,
    ) -> Option<Vec<String>> {
        let shared = &self.engine.shared;
        let caller = shared.caller_for(Some(principal?));
        let (lists, registry) = (shared.all_lists(), &shared.genkit.registry);
        let (filter, permissions) = (&shared.settings.filter, &shared.settings.permissions);
        let needed = |item: Item<'_>| {
            let scopes = permissions.lacking_scopes(&caller, item)?;
            Some(scopes.into_iter().map(str::to_owned).collect())
        };
        match method {
            "tools/call" => {
                let tool = registry.tool(lists.tool_name(name)).filter(|it| filter.has_tool(it))?;
                needed(Item::Tool(&tool))
            }
            "prompts/get" => {
                let prompt = registry.prompt(lists.prompt_name(name));
                needed(Item::Prompt(&prompt.filter(|it| filter.has_prompt(it))?))
            }
            "resources/read" | "resources/subscribe" => {
                let (resource, _) =
                    registry.resource_for(name, |it: &_| filter.has_resource(it))?;
                needed(Item::Resource(&resource))
            }
            _ => None,
        }
    }
}
