//! Closures as context providers.

use std::future::Future;

use serde_json::{Map, Value};

use super::error::Error as E;
use super::{ContextProvider, FlowRequest};
use genkit_core::BoxFuture;
use genkit_core::HandlerError;
use genkit_core::Result;

impl<F, Fut> ContextProvider for F
where
    F: Fn(FlowRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = std::result::Result<Value, HandlerError>> + Send + 'static,
{
    fn provide<'a>(
        &'a self,
        request: &'a FlowRequest,
    ) -> BoxFuture<'a, Result<Map<String, Value>>> {
        Box::pin(async move {
            match self(request.clone()).await.map_err(HandlerError::into_error)? {
                Value::Object(context) => Ok(context),
                Value::Null => Ok(Map::new()),
                Value::Bool(_) => Err(E::NotObject("a boolean").into()),
                Value::Number(_) => Err(E::NotObject("a number").into()),
                Value::String(_) => Err(E::NotObject("a string").into()),
                Value::Array(_) => Err(E::NotObject("a list").into()),
            }
        })
    }
}
