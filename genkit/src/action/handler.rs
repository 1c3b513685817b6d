//! The typed call, erased.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use super::args::{self, Strictness};
use super::definition::Call;
use super::input::Arguments;
use crate::context::Context;
use crate::error::Result;

/// A call under way.
pub type Calling<'a, O> = Pin<Box<dyn Future<Output = Result<O>> + Send + 'a>>;

/// A handler made from a closure at run time.
pub(crate) type Closure<O> =
    Arc<dyn Fn(Context, Value, Strictness) -> Calling<'static, O> + Send + Sync>;

/// What runs when an action is called.
pub(crate) enum Handler<O: 'static> {
    /// An annotated function.
    Static(Call<O>),
    /// A closure.
    Dynamic(Closure<O>),
}

impl<O> Handler<O> {
    pub(crate) fn call<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> Calling<'a, O> {
        match self {
            Self::Static(call) => call(context, Arguments { value: arguments, how }),
            Self::Dynamic(closure) => closure(context.clone(), arguments, how),
        }
    }
}

/// Makes a handler from a typed closure.
pub(crate) fn closure<I, O, T, F, Fut, C>(function: F, convert: C) -> Handler<O>
where
    I: serde::de::DeserializeOwned + Send + 'static,
    O: 'static,
    F: Fn(Context, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T>> + Send + 'static,
    T: 'static,
    C: Fn(T) -> Result<O> + Send + Sync + Copy + 'static,
{
    let function = Arc::new(function);
    Handler::Dynamic(Arc::new(move |context, arguments, how| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            let input = args::parse(arguments, how)?;
            context.approved_to_run().await?;
            convert(function(context, input).await?)
        })
    }))
}
