//! A request that was made for one model, as another takes it.

use super::history::place_documents;
use super::output::unbind_output;
use genkit_core::ModelRequest;
use genkit_model::Model;

/// What belongs to the model that the request was made for: a key goes to its own provider alone.
const OWN: [&str; 4] = ["apiKey", "baseUrl", "apiVersion", "version"];

/// The request as `model` takes it.
pub(crate) fn for_other_model(mut request: ModelRequest, model: &dyn Model) -> ModelRequest {
    for own in OWN {
        request.config.shift_remove(own);
    }
    let supports = model.info().supports;
    place_documents(&mut request, supports.as_ref());
    unbind_output(&mut request, supports.as_ref());
    request
}
