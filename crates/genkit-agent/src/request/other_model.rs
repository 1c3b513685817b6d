//! Adapting a request for one model to another model.

use super::history::place_documents;
use super::output::unbind_output;
use genkit_core::ModelRequest;
use genkit_model::Model;

/// Settings that apply only to the original model. An API key must be sent only to its own provider.
const MODEL_SETTINGS: [&str; 4] = ["apiKey", "baseUrl", "apiVersion", "version"];

/// Adapts the request to `model`.
pub(crate) fn adapt_request(mut request: ModelRequest, model: &dyn Model) -> ModelRequest {
    for own in MODEL_SETTINGS {
        request.config.shift_remove(own);
    }
    let supports = model.info().supports;
    place_documents(&mut request, supports.as_ref());
    unbind_output(&mut request, supports.as_ref());
    request
}
