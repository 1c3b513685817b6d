//! Completion: suggestions for an argument of a prompt or a resource template.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{CompleteRequestParams, CompleteResult, ErrorData, Reference};
use serde_json::json;

use crate::caller::Request;
use crate::error::{Error as E, protocol_error};
use crate::permission::Item;
use crate::results;
use crate::run::{Run, RunOutcome};
use crate::state::SharedState;
use genkit_core::internal::context::{Outcome, drive_function};

/// Returns suggestions for a partially typed value. The completion function runs under the same limits as all other
/// functions.
pub(crate) async fn complete_argument(
    shared: &Arc<SharedState>,
    params: CompleteRequestParams,
    request: Request,
) -> Result<CompleteResult, ErrorData> {
    shared.wait_for_hosts().await;
    let mut others = BTreeMap::new();
    for (name, value) in params.context.and_then(|it| it.arguments).unwrap_or_default() {
        others.insert(name, value);
    }
    let (argument, value) = (params.argument.name, params.argument.value);
    let caller = shared.caller_for_head(&request.head);
    let refused = |name: &str, why| request.record_refusal("completion/complete", name, why);
    let (name, of, found) = match &params.r#ref {
        Reference::Prompt(wanted) => {
            let name = &wanted.name;
            let prompt = shared
                .find_prompt(name, &caller)
                .map_err(|absent| refused(name, absent.to_error(E::UnknownPrompt(name.clone()))))?;
            (name.clone(), format!("prompt `{name}`"), CompletionTarget::Prompt(prompt))
        }
        Reference::Resource(wanted) => {
            let uri = &wanted.uri;
            let resource = shared
                .find_template(uri, &caller)
                .map_err(|absent| refused(uri, absent.to_error(E::UnknownTemplate(uri.clone()))))?;
            (uri.clone(), format!("resource `{uri}`"), CompletionTarget::Resource(resource))
        }
        other => {
            let kind = other.reference_type();
            return Err(refused(kind, E::ReferenceKind(kind.to_owned())));
        }
    };
    let arguments = json!({ argument.as_str(): value });
    let method = "completion/complete";
    let (run, mut context) =
        Run::admit_request(shared, request, method, &name, &arguments, found.item())?;
    context.limit = Some(shared.settings.timeout);
    let outcome = async move {
        let context = context.build();
        let completion = genkit_core::CompleteRequest {
            argument: argument.clone(),
            value,
            others,
            context: context.clone(),
        };
        let suggestions = match &found {
            CompletionTarget::Prompt(prompt) => prompt.complete_argument(completion),
            CompletionTarget::Resource(resource) => resource.complete_argument(completion),
        };
        let Some(suggestions) = suggestions else {
            return Outcome::Finished(Err(E::NothingToComplete { of, argument }.into()));
        };
        match drive_function(&context, &of, suggestions).await {
            Outcome::Suspended(..) => Outcome::Finished(Err(E::CompletionAsks(of).into())),
            ended => ended,
        }
    };
    match run.into_outcome(outcome.await)? {
        RunOutcome::Finished(Ok(found)) => {
            Ok(CompleteResult::new(results::completion_result(found)))
        }
        RunOutcome::Finished(Err(error)) => Err(protocol_error(&error)),
        RunOutcome::InputRequired(_) => Err(E::NotSealed.into()),
    }
}

enum CompletionTarget {
    Prompt(genkit_core::Prompt),
    Resource(genkit_core::Resource),
}

impl CompletionTarget {
    fn item(&self) -> Item<'_> {
        match self {
            Self::Prompt(prompt) => Item::Prompt(prompt),
            Self::Resource(resource) => Item::Resource(resource),
        }
    }
}
