//! Evaluators created at run time.

use std::borrow::Cow;
use std::sync::Arc;

use genkit_core::{Context, HandlerResult};

use super::{DataPoint, Evaluator, EvaluatorData, IntoScores};

impl Evaluator {
    /// Creates a builder for an evaluator with this name. The `description` states the judged quality.
    ///
    /// ```
    /// use genkit::Registry;
    /// use genkit::evaluate::{Evaluator, Score};
    ///
    /// let polite = Evaluator::builder("polite", "Whether an answer says please.")
    ///     .handler(|_, point| async move { Ok(Score::passed(point.output_text()?.contains("please"))) });
    /// let registry = Registry::new().add(polite);
    /// assert!(!registry.is_empty());
    /// ```
    pub fn builder(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> EvaluatorBuilder {
        let (name, description) = (name.into(), description.into());
        EvaluatorBuilder { name, description, display_name: None, is_billed: false }
    }
}

/// A builder of an [`Evaluator`]. Created by [`Evaluator::builder`].
///
/// ```
/// use genkit::evaluate::{EvalStatus, Evaluator, Score};
///
/// let short = Evaluator::builder("short", "How short an answer is.")
///     .display_name("Short")
///     .billed(false)
///     .handler(|_, point| async move {
///         let length = point.output_text()?.len();
///         Ok(Score::new(1.0 / (1 + length) as f64).with_status(EvalStatus::from_bool(length < 100)))
///     });
/// assert_eq!(short.display_name(), "Short");
/// ```
#[must_use = "call `.handler(..)` to build the evaluator"]
pub struct EvaluatorBuilder {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    display_name: Option<String>,
    is_billed: bool,
}

impl EvaluatorBuilder {
    /// Sets the display name. Default is the name.
    pub fn display_name(mut self, name: impl Into<String>) -> Self {
        self.display_name = Some(name.into());
        self
    }

    /// Sets whether running the evaluator costs money. Default is `false`.
    pub fn billed(mut self, yes: bool) -> Self {
        self.is_billed = yes;
        self
    }

    /// Sets the handler, a closure that judges a data point, and builds the evaluator. The closure returns one or more
    /// [`Score`](super::Score)s, and can return any error with `?`. An error becomes the result of that data point;
    /// other data points are not affected.
    #[track_caller]
    pub fn handler<F, Fut>(self, function: F) -> Evaluator
    where
        F: Fn(Context, DataPoint) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: HandlerResult<Value: IntoScores>> + Send + 'static,
    {
        let Self { name, description, display_name, is_billed } = self;
        let function = Arc::new(function);
        let handler = Arc::new(move |context, point| {
            let judging = function(context, point);
            let judged = async move { judging.await.into_result().map(IntoScores::into_scores) };
            Box::pin(judged) as _
        });
        let data = EvaluatorData { display_name, is_billed, handler };
        Evaluator::from_data(name.into_owned(), description.into_owned(), data)
    }
}

impl std::fmt::Debug for EvaluatorBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluatorBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
