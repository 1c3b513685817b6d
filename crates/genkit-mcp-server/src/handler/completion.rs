//! Completion: suggestions for an argument of a prompt or a resource template.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{CompleteRequestParams, CompleteResult, ErrorData, Reference};
use serde_json::json;

use super::upstream;
use crate::caller::Request;
use crate::error::{Error as E, protocol_error};
use crate::results;
use crate::run::{Invocation, RunOutcome, run};
use crate::state::SharedState;
use genkit_core::internal::context::{Outcome, drive};

/// Returns suggestions for a partially typed value. The completion function runs under the same limits as any other.
pub(crate) async fn complete(
    shared: &Arc<SharedState>,
    params: CompleteRequestParams,
    request: Request,
) -> Result<CompleteResult, ErrorData> {
    shared.with_hosts().await;
    let mut others = BTreeMap::new();
    for (name, value) in params.context.and_then(|it| it.arguments).unwrap_or_default() {
        others.insert(name, value);
    }
    let (argument, value) = (params.argument.name, params.argument.value);
    let caller = shared.caller(&request.head);
    let refused = |name: &str, why| request.refused("completion/complete", name, why);
    let (name, of, found) = match &params.r#ref {
        Reference::Prompt(wanted) => {
            let name = &wanted.name;
            let prompt = shared
                .prompt(name, &caller)
                .map_err(|absent| refused(name, absent.error(E::UnknownPrompt(name.clone()))))?;
            (name.clone(), format!("prompt `{name}`"), Completed::Prompt(prompt))
        }
        Reference::Resource(wanted) => {
            let uri = &wanted.uri;
            let resource = shared
                .template(uri, &caller)
                .map_err(|absent| refused(uri, absent.error(E::UnknownTemplate(uri.clone()))))?;
            (uri.clone(), format!("resource `{uri}`"), Completed::Resource(resource))
        }
        other => {
            let kind = other.reference_type();
            return Err(refused(kind, E::ReferenceKind(kind.to_owned())));
        }
    };
    let invocation = Invocation {
        method: "completion/complete",
        name,
        arguments: json!({ argument.as_str(): value }),
        timeout: None,
        upstream: match &found {
            Completed::Prompt(prompt) => upstream(prompt.metadata()),
            Completed::Resource(resource) => upstream(resource.metadata()),
        },
        state: None,
        responses: None,
    };
    let ended = run(shared, request, invocation, |admitted, _, recording| async move {
        let context = admitted.context(recording, None);
        let completion = genkit_core::CompleteRequest {
            argument: argument.clone(),
            value,
            others,
            context: context.clone(),
        };
        let suggestions = match &found {
            Completed::Prompt(prompt) => prompt.complete(completion),
            Completed::Resource(resource) => resource.complete(completion),
        };
        let Some(suggestions) = suggestions else {
            return Outcome::Finished(Err(E::NothingToComplete { of, argument }.into()));
        };
        match drive(&context, &of, suggestions).await {
            Outcome::Suspended(..) => Outcome::Finished(Err(E::CompletionAsks(of).into())),
            ended => ended,
        }
    });
    match ended?.await? {
        RunOutcome::Finished(Ok(found)) => Ok(CompleteResult::new(results::completion(found))),
        RunOutcome::Finished(Err(error)) => Err(protocol_error(&error)),
        RunOutcome::InputRequired(_) => Err(E::NotSealed.into()),
    }
}

enum Completed {
    Prompt(genkit_core::Prompt),
    Resource(genkit_core::Resource),
}
