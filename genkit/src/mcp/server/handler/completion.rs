//! Completion: suggestions for an argument of a prompt or of a resource template.

use rmcp::model::{CompleteRequestParams, ErrorData, Reference};

use crate::context::ContextParts;
use crate::mcp::server::error::{Error as E, protocol_error};
use crate::mcp::server::state::SharedState;

/// All suggestions for what the client has typed.
pub(super) async fn complete(
    shared: &SharedState,
    params: CompleteRequestParams,
) -> Result<Vec<String>, ErrorData> {
    let context = ContextParts {
        states: shared.genkit.states.clone(),
        limit: Some(shared.settings.timeout),
        ..ContextParts::default()
    }
    .build();
    let others = params.context.and_then(|context| context.arguments).unwrap_or_default();
    let argument = params.argument.name;
    let completion = crate::action::CompleteRequest {
        argument: argument.clone(),
        value: params.argument.value,
        others: others.into_iter().collect(),
        context: context.clone(),
    };
    let (name, of, suggestions) = match &params.r#ref {
        Reference::Prompt(wanted) => {
            let name = &wanted.name;
            let prompt = shared.prompt(name).ok_or_else(|| E::UnknownPrompt(name.clone()))?;
            (name, format!("prompt `{name}`"), prompt.complete(completion))
        }
        Reference::Resource(wanted) => {
            let uri = &wanted.uri;
            let resource = shared.genkit.registry.resource(uri);
            let resource = resource.filter(|found| shared.settings.filter.resource(found));
            let resource = resource.ok_or_else(|| E::UnknownTemplate(uri.clone()))?;
            (uri, format!("resource `{uri}`"), resource.complete(completion))
        }
        other => return Err(E::ReferenceKind(other.reference_type().to_owned()).into()),
    };
    let Some(suggestions) = suggestions else {
        return Err(E::NothingToComplete { of, argument }.into());
    };
    let found = crate::context::supervise(&context, &of, suggestions).await;
    found.map_err(|error| protocol_error(&shared.for_client(error, name)))
}
