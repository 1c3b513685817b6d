//! Handlers: the annotated functions and closures that run when an action is called.

use std::future::Future;
use std::sync::Arc;

use serde_json::Value;

use super::args::{self, Arguments, Strictness};
use super::function::{AnyCall, NamedFn};
use crate::context::Context;
use crate::error::Result;
use crate::future::{BoxFuture, box_in_place};
use genkit_schema::internal::Bounds;

/// The function that runs when an action is called.
pub(crate) enum ActionHandler<O: 'static> {
    /// An annotated function.
    Static(NamedFn<O>),
    /// A closure created at run time.
    Dynamic(Arc<dyn Fn(Context, Arguments) -> BoxFuture<'static, Result<O>> + Send + Sync>),
}

impl<O> Clone for ActionHandler<O> {
    fn clone(&self) -> Self {
        match self {
            Self::Static(function) => Self::Static(*function),
            Self::Dynamic(closure) => Self::Dynamic(Arc::clone(closure)),
        }
    }
}

impl<O: Send + 'static> ActionHandler<O> {
    /// Returns a handler that first runs `check` on the arguments, and calls this handler with the arguments that
    /// `check` returns.
    pub(crate) fn with_check(self, check: fn(Arguments) -> Result<Value>) -> Self {
        let handler = Arc::new(self);
        Self::Dynamic(Arc::new(move |context, arguments| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let how = arguments.how;
                let value = check(arguments)?;
                handler.call(&context, value, how, None).await
            })
        }))
    }
}

impl<O> ActionHandler<O> {
    pub(crate) fn call<'a>(
        &self,
        context: &'a Context,
        value: Value,
        how: Strictness,
        bounds: Option<Arc<Bounds>>,
    ) -> BoxFuture<'a, Result<O>> {
        match self {
            Self::Static(function) => {
                let NamedFn { function, called, needs_approval } = *function;
                box_in_place(move || async move {
                    let (given, _) = args::parse_with(value, how, bounds, &|value| {
                        function.input.read(value, called)
                    })?;
                    let call = match function.call {
                        AnyCall::Plain(call) => call(given),
                        AnyCall::With(call) => call(context, given)?,
                    };
                    // Ask after the arguments have been decoded and before the function runs.
                    if needs_approval {
                        context.approved_to_run().await?;
                    }
                    call.await
                })
            }
            Self::Dynamic(closure) => closure(context.clone(), Arguments { value, how, bounds }),
        }
    }
}

/// Creates a handler that forwards the arguments to another program without decoding them.
pub(crate) fn forward_to<O, F>(function: F) -> ActionHandler<O>
where
    F: Fn(Context, Value) -> BoxFuture<'static, Result<O>> + Send + Sync + 'static,
{
    let function = Arc::new(function);
    ActionHandler::Dynamic(Arc::new(move |context, arguments| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            context.approved_to_run().await?;
            let Arguments { mut value, how, .. } = arguments;
            if how != Strictness::Exact {
                // Programs in other languages read `5.0` as a float.
                args::convert_integral_floats(&mut value);
            }
            function(context, value).await
        })
    }))
}

/// Creates a handler from a typed closure.
pub(crate) fn from_closure<I, O, T, F, Fut, C>(function: F, convert: C) -> ActionHandler<O>
where
    I: serde::de::DeserializeOwned + Send + 'static,
    O: 'static,
    F: Fn(Context, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T>> + Send + 'static,
    T: 'static,
    C: Fn(T) -> Result<O> + Send + Sync + Copy + 'static,
{
    let function = Arc::new(function);
    ActionHandler::Dynamic(Arc::new(move |context, arguments| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            let input = args::parse_arguments(arguments)?;
            context.approved_to_run().await?;
            convert(function(context, input).await?)
        })
    }))
}
