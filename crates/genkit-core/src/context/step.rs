//! Steps: named parts of a flow, shown in traces.

use std::future::IntoFuture;

use serde::Serialize;
use serde_json::Value;

use super::Context;
use crate::error::{BoxError, Error, Result};
use crate::trace::{self, NewSpan, SpanKind};

impl Context {
    /// Runs `work` as a step: a named part of a flow, which traces and Genkit's developer tools show with its duration
    /// and result. Steps can be nested, and can run concurrently.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{Context, Result, flow};
    ///
    /// async fn look_up(city: &str) -> Result<String> { Ok(format!("{city}: 21 degrees, sun")) }
    ///
    /// /// Suggests what to wear in a city.
    /// #[flow]
    /// async fn what_to_wear(ctx: &Context, city: String) -> Result<String> {
    ///     let weather = ctx.step("weather", look_up(&city)).await?;
    ///     # let model = ScriptedModel::text("A hat.");
    ///     let advice = genkit::generate(format!("What to wear? {weather}")).model(model);
    ///     Ok(ctx.step("advice", advice).await?.text())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let ctx = Context::detached();
    /// assert_eq!(what_to_wear(&ctx, "Rome".into()).await?, "A hat.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of `work`.
    pub async fn step<T, E>(
        &self,
        name: &str,
        work: impl IntoFuture<Output = std::result::Result<T, E>>,
    ) -> Result<T>
    where
        T: Serialize,
        E: Into<BoxError>,
    {
        let step = NewSpan { name, kind: SpanKind::FlowStep, input: &|| Value::Null };
        let work = work.into_future();
        let work = async { work.await.map_err(Error::from_failure) };
        let shown = |done: &T| serde_json::to_value(done).unwrap_or_default();
        trace::trace_work(step, work, shown).await
    }
}
