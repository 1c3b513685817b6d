//! Runs an evaluation: calls a flow for each row of a data set and scores the outputs.

use std::future::IntoFuture;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;

use super::data_set::IntoDataSet;
use super::error::Error as E;
use super::report::{CaseReport, MetricScore, Report};
use crate::evaluator::{DataPoint, Evaluator, Score};
use genkit_agent::Instance;
use genkit_core::BoxFuture;
use genkit_core::{Error, Result};
use genkit_core::{Flow, HandlerError};

/// The number of rows that are run and judged concurrently. Default is 4.
const AT_A_TIME: usize = 4;

type Target = dyn Fn(Value) -> BoxFuture<'static, Result<Value>> + Send + Sync;

/// Creates an evaluation of `data`. Add a flow or closure that creates the outputs, unless the rows contain them, and
/// add metrics. See the [module](crate) for an example.
///
/// ```
/// use genkit::evaluate::{DataPoint, evaluate, metrics};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let data = [DataPoint::new("order?").with_output("order 4711").with_reference("[0-9]{4}")];
/// evaluate(data).with(metrics::regex()).await?.assert_all_pass();
/// # Ok(())
/// # }
/// ```
pub fn evaluate(data: impl IntoDataSet) -> Evaluate {
    Evaluate {
        points: data.into_data_set().into_points(),
        target: None,
        evaluators: Vec::new(),
        at_a_time: AT_A_TIME,
    }
}

/// An evaluation that is ready to run. Created by [`evaluate`]. Await it to get a [`Report`].
///
/// ```
/// use genkit::evaluate::{DataSet, Evaluator, Score, evaluate, metrics};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let data = DataSet::from_json(r#"[
///     {"testCaseId": "small", "input": 2, "reference": 4},
///     {"testCaseId": "large", "input": 1000, "reference": 2000}
/// ]"#)?;
/// let short = Evaluator::builder("short", "Whether it is short.")
///     .handler(|_, point| async move { Ok(Score::passed(point.output_text()?.len() < 3)) });
/// let report = evaluate(data)
///     .function(|n: Value| async move { Ok(json!(n.as_u64().unwrap_or_default() * 2)) })
///     .with([metrics::deep_equal(), short])
///     .concurrency(2)
///     .await?;
/// assert_eq!(report.average("genkitEval/deep_equal"), Some(1.0));
/// assert_eq!(report.average("short"), Some(0.5));
/// assert_eq!(report.failures().count(), 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns `InvalidArgument` if rows or metrics are missing. An error in a row is part of the report and does not stop
/// the evaluation.
#[must_use = "an evaluation runs when it is awaited: add `.await`"]
pub struct Evaluate {
    points: Vec<DataPoint>,
    target: Option<Arc<Target>>,
    evaluators: Vec<Evaluator>,
    at_a_time: usize,
}

impl Evaluate {
    /// Sets the flow that creates each output from the input of the row. For a flow that uses state, see
    /// [`flow_in`](Self::flow_in).
    pub fn flow(self, flow: Flow) -> Self {
        self.with_target(move |input| {
            let run = flow.run(input);
            Box::pin(async move { run.await })
        })
    }

    /// Sets the flow that creates each output, by its name in the instance `genkit`, which provides the state.
    ///
    /// ```
    /// use genkit::evaluate::{DataPoint, evaluate, metrics};
    /// use genkit::{Genkit, Registry, flow, flows};
    /// use serde_json::json;
    ///
    /// struct Prices { apple: u32 }
    ///
    /// /// Returns the price of `n` apples.
    /// #[flow]
    /// async fn cost(prices: &Prices, n: u32) -> u32 { prices.apple * n }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let registry = Registry::new().add(flows![cost]);
    /// let shop = Genkit::builder().registry(registry).state(Prices { apple: 3 }).build()?;
    /// let data = [DataPoint::new(json!({"n": 2})).with_reference(6)];
    /// evaluate(data).flow_in(&shop, "cost").with(metrics::deep_equal()).await?.assert_all_pass();
    /// # Ok(())
    /// # }
    /// ```
    pub fn flow_in(self, genkit: &Instance, name: impl Into<String>) -> Self {
        let (genkit, name) = (genkit.clone(), name.into());
        self.with_target(move |input| {
            let (genkit, name) = (genkit.clone(), name.clone());
            Box::pin(async move { genkit.run_flow(&name, input).await })
        })
    }

    /// Sets the function (a closure) that creates each output from the input of the row.
    pub fn function<F, Fut>(self, function: F) -> Self
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, HandlerError>> + Send + 'static,
    {
        self.with_target(move |input| {
            let running = function(input);
            Box::pin(async move { running.await.map_err(HandlerError::into_error) })
        })
    }

    fn with_target(
        mut self,
        target: impl Fn(Value) -> BoxFuture<'static, Result<Value>> + Send + Sync + 'static,
    ) -> Self {
        self.target = Some(Arc::new(target));
        self
    }

    /// Adds one or several evaluators (metrics).
    pub fn with(mut self, evaluators: impl IntoEvaluators) -> Self {
        self.evaluators.extend(evaluators.into_evaluators());
        self
    }

    /// Sets the concurrency: the number of rows that are run and judged at the same time. Default is 4.
    pub fn concurrency(mut self, rows: usize) -> Self {
        self.at_a_time = rows.max(1);
        self
    }

    async fn run_evaluation(self) -> Result<Report> {
        if self.points.is_empty() {
            return Err(E::EmptyDataSet.into());
        }
        if self.evaluators.is_empty() {
            return Err(E::MissingEvaluator.into());
        }
        let Self { points, target, evaluators, at_a_time } = self;
        let (target, evaluators) = (target.as_deref(), &evaluators);
        let cases = stream::iter(points.into_iter().enumerate())
            .map(|(index, point)| run_case(index, point, target, evaluators))
            .buffered(at_a_time)
            .collect::<Vec<_>>();
        Ok(Report::new(cases.await))
    }
}

/// Runs a row, and scores its output with each evaluator.
async fn run_case(
    index: usize,
    mut point: DataPoint,
    target: Option<&Target>,
    evaluators: &[Evaluator],
) -> CaseReport {
    let name = point.test_case_id.get_or_insert_with(|| format!("case-{}", index + 1)).clone();
    if let Some(target) = target {
        // The closure of a test can panic. Then only its row fails.
        let input = point.input.clone();
        let made = AssertUnwindSafe(async { target(input).await }).catch_unwind().await;
        match made {
            Ok(Ok(output)) => point.output = Some(output),
            Ok(Err(error)) => return CaseReport::with_error(name, point, &error),
            Err(_) => {
                let error = Error::from(E::Panicked);
                return CaseReport::with_error(name, point, &error);
            }
        }
    }
    let mut scores = Vec::new();
    for evaluator in evaluators {
        let judged = match evaluator.judge(point.clone()).await {
            Ok(judged) => judged,
            Err(error) => vec![Score::failed(error.chain())],
        };
        let metric = evaluator.name();
        scores.extend(judged.into_iter().map(|score| MetricScore::new(metric, score)));
    }
    CaseReport::with_scores(name, point, scores)
}

impl IntoFuture for Evaluate {
    type Output = Result<Report>;
    type IntoFuture = BoxFuture<'static, Result<Report>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run_evaluation())
    }
}

genkit_core::becomes_a_future!(Evaluate, Result<Report>);

impl std::fmt::Debug for Evaluate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluate")
            .field("rows", &self.points.len())
            .field("evaluators", &self.evaluators)
            .finish_non_exhaustive()
    }
}

/// One or several evaluators for [`Evaluate::with`].
pub trait IntoEvaluators {
    /// Returns the evaluators, in order.
    fn into_evaluators(self) -> Vec<Evaluator>;
}

impl IntoEvaluators for Evaluator {
    fn into_evaluators(self) -> Vec<Evaluator> {
        vec![self]
    }
}

impl IntoEvaluators for Vec<Evaluator> {
    fn into_evaluators(self) -> Vec<Evaluator> {
        self
    }
}

impl<const N: usize> IntoEvaluators for [Evaluator; N] {
    fn into_evaluators(self) -> Vec<Evaluator> {
        self.into()
    }
}
