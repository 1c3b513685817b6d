//! Evaluators: functions that judge outputs, one data point at a time.

mod builder;
mod data_point;
mod score;

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use genkit_core::internal::action::CustomAction;
use genkit_core::internal::context::supervise_run;
use genkit_core::internal::to_finite_value;
use genkit_core::internal::trace::{self, NewSpan, SpanKind};
use genkit_core::{
    Action, BoxFuture, Context, Flow, IntoActions, Invocation, Result, SourceLocation,
};

use crate::error::Error;

pub use builder::EvaluatorBuilder;
pub use data_point::DataPoint;
pub(crate) use data_point::value_text;
pub use score::{EvalStatus, IntoScores, Score};

/// The number of data points that an evaluator judges concurrently. Default is 8.
const AT_A_TIME: usize = 8;

/// The time limit of an evaluator for one data point. Default is 10 minutes.
const TIMEOUT: Duration = Duration::from_secs(600);

type Handler = dyn Fn(Context, DataPoint) -> BoxFuture<'static, Result<Vec<Score>>> + Send + Sync;

/// An evaluator, which judges outputs for `evaluate` in a test and for Genkit's developer tools. Cheap to clone.
///
/// ```
/// use genkit::evaluate::{DataPoint, EvalStatus, Evaluator, Score};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let short = Evaluator::builder("short", "Whether an answer is short.")
///     .display_name("Short")
///     .handler(|_, point| async move {
///         let length = point.output_text()?.len();
///         Ok(Score::new(length).with_status(EvalStatus::from_bool(length < 20)))
///     });
/// let scores = short.judge(DataPoint::new("capital?").with_output("Oslo")).await.unwrap();
/// assert_eq!(scores[0].status(), Some(EvalStatus::Pass));
/// # }
/// ```
#[derive(Clone)]
pub struct Evaluator {
    data: Arc<EvaluatorData>,
    /// The flow with the name of the evaluator, which the developer tools run.
    flow: Flow,
}

struct EvaluatorData {
    display_name: Option<String>,
    is_billed: bool,
    handler: Arc<Handler>,
}

/// A request from Genkit's developer tools: the data points of one run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvaluatorInput {
    dataset: Vec<DataPoint>,
    #[serde(default)]
    eval_run_id: Option<String>,
}

impl Evaluator {
    #[track_caller]
    fn from_data(name: String, description: String, data: EvaluatorData) -> Self {
        let data = Arc::new(data);
        let (judging, called) = (Arc::clone(&data), name.clone());
        let flow = Flow::from_fn(name, description, move |context, request| {
            let (data, called) = (Arc::clone(&judging), called.clone());
            Box::pin(async move { data.run_all(&called, &context, request).await })
        });
        Self { data, flow }
    }

    /// Returns the name, without the prefix `/evaluator/`.
    pub fn name(&self) -> &str {
        self.flow.name()
    }

    /// Returns the description of the judged quality.
    pub fn description(&self) -> &str {
        self.flow.description()
    }

    /// Returns the display name.
    pub fn display_name(&self) -> &str {
        self.data.display_name.as_deref().unwrap_or(self.name())
    }

    /// Returns whether running the evaluator costs money. If so, Genkit's CLI asks for confirmation.
    pub fn is_billed(&self) -> bool {
        self.data.is_billed
    }

    /// Returns the source location of the definition.
    pub fn location(&self) -> Option<SourceLocation> {
        self.flow.location()
    }

    /// Returns the metadata for Genkit's developer tools.
    ///
    /// ```
    /// use genkit::evaluate::metrics;
    ///
    /// let metadata = metrics::regex().metadata();
    /// assert_eq!(metadata["evaluator"]["evaluatorIsBilled"], false);
    /// ```
    pub fn metadata(&self) -> Map<String, Value> {
        let mut metadata = Map::new();
        metadata.insert("type".to_owned(), "evaluator".into());
        let evaluator = json!({
            "evaluatorIsBilled": self.is_billed(),
            "evaluatorDisplayName": self.display_name(),
            "evaluatorDefinition": self.description(),
        });
        metadata.insert("evaluator".to_owned(), evaluator);
        metadata
    }

    /// Judges one data point.
    ///
    /// ```
    /// use genkit::evaluate::{DataPoint, metrics};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let point = DataPoint::new("order?").with_output("order 4711").with_reference("[0-9]{4}");
    /// assert_eq!(metrics::regex().judge(point).await?[0].value(), Some(&true.into()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the evaluator, for example if the data point lacks a value that the evaluator needs.
    pub fn judge(&self, point: DataPoint) -> Invocation<Vec<Score>> {
        let data = Arc::clone(&self.data);
        Invocation::new(self.name(), async move |context| (data.handler)(context, point).await)
            .with_limit(Some(TIMEOUT))
    }

    /// Judges the data points of a request from Genkit's developer tools, `{"dataset": [..], "evalRunId": ".."}`. The
    /// result is a list with one element per data point. If a data point fails, its element contains the error and the
    /// others are still judged.
    ///
    /// ```
    /// use genkit::evaluate::metrics;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let dataset = json!([
    ///     {"testCaseId": "one", "input": "q", "output": "a", "reference": "a"},
    ///     {"testCaseId": "two", "input": "q", "reference": "a"},
    /// ]);
    /// let results = metrics::deep_equal().run(json!({"dataset": dataset, "evalRunId": "7"})).await?;
    /// assert_eq!(results[0]["evaluation"]["status"], "PASS");
    /// assert!(results[1]["evaluation"]["error"].as_str().unwrap().contains("output was not provided"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the request is malformed.
    pub fn run(&self, request: impl Serialize) -> Invocation<Value> {
        let (flow, request) = (self.flow.clone(), invocation_input(request));
        Invocation::new(self.name(), async move |context| {
            let request = request?;
            let shown = trace::is_on().then(|| request.clone());
            let input = || shown.clone().unwrap_or_default();
            let kind = SpanKind::Action("evaluator");
            let span = NewSpan { name: flow.name(), kind, input: &input };
            trace::trace_work(span, flow.call(&context, request), Value::clone).await
        })
    }
}

impl EvaluatorData {
    async fn run_all(&self, name: &str, context: &Context, request: Value) -> Result<Value> {
        let EvaluatorInput { dataset, eval_run_id } =
            serde_json::from_value(request).map_err(|why| Error::Request(why.to_string()))?;
        let run_id = eval_run_id.as_deref();
        let judged = stream::iter(dataset.into_iter().enumerate())
            .map(|(index, point)| self.judge_case(name, context, run_id, index, point))
            .buffered(AT_A_TIME);
        Ok(judged.collect::<Vec<Value>>().await.into())
    }

    /// Judges one data point in its own span.
    async fn judge_case(
        &self,
        evaluator: &str,
        context: &Context,
        run_id: Option<&str>,
        index: usize,
        mut point: DataPoint,
    ) -> Value {
        let case = point.test_case_id.get_or_insert_with(|| format!("case-{}", index + 1)).clone();
        let shown = trace::is_on().then(|| trace::to_json(&point));
        let input = || shown.clone().unwrap_or_default();
        let mut ids = None;
        let work = async {
            if let Some(run_id) = run_id {
                trace::annotate_span("genkit:metadata:evaluator:evalRunId", || run_id.into());
            }
            ids = trace::current_ids();
            let context = context.with_limit(TIMEOUT);
            supervise_run(&context, evaluator, (self.handler)(context.clone(), point)).await
        };
        let name = format!("Test Case {case}");
        let span = NewSpan { name: &name, kind: SpanKind::EvaluatorCase, input: &input };
        let judged = trace::trace_work(span, work, trace::to_json).await;
        let mut result = json!({
            "testCaseId": case,
            "sampleIndex": index,
            "evaluation": evaluation_json(judged),
        });
        if let Some((trace_id, span_id)) = ids {
            result["traceId"] = trace_id.to_string().into();
            result["spanId"] = span_id.to_string().into();
        }
        result
    }
}

/// Converts the result to JSON: one score unchanged, several as a list, an error as a score without a value.
fn evaluation_json(judged: Result<Vec<Score>>) -> Value {
    match judged {
        Ok(mut scores) if scores.len() == 1 => trace::to_json(&scores.remove(0)),
        Ok(scores) => trace::to_json(&scores),
        Err(error) => trace::to_json(&Score::failed(error.chain())),
    }
}

fn invocation_input(request: impl Serialize) -> Result<Value> {
    to_finite_value(request).map_err(|why| Error::Request(why.to_string()).into())
}

#[doc(hidden)]
impl CustomAction for Evaluator {
    fn kind(&self) -> &'static str {
        "evaluator"
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction> {
        Arc::new(Self { data: Arc::clone(&self.data), flow })
    }

    fn to_listing(&self) -> Value {
        let dataset = json!({"type": "array", "items": {"type": "object"}});
        json!({
            "inputSchema": {
                "type": "object",
                "properties": {"dataset": dataset, "evalRunId": {"type": "string"}},
                "required": ["dataset"],
            },
            "metadata": self.metadata(),
        })
    }

    fn run(&self, request: Value) -> Invocation<Value> {
        Self::run(self, request)
    }
}

impl From<Evaluator> for Action {
    fn from(evaluator: Evaluator) -> Self {
        Self::Custom(Arc::new(evaluator))
    }
}

#[diagnostic::do_not_recommend]
impl IntoActions for Evaluator {
    fn into_actions(self) -> Vec<Action> {
        vec![self.into()]
    }
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Evaluator").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn evaluate_dataset(evaluator: &Evaluator, dataset: Value) -> Invocation<Value> {
        evaluator.run(json!({ "dataset": dataset, "evalRunId": "r" }))
    }

    #[tokio::test]
    async fn row_that_fails_or_panics_does_not_end_the_rest() {
        let picky = Evaluator::builder("picky", "Fails.").handler(|_, point| async move {
            match point.input().as_u64() {
                Some(1) => Err("one is bad".into()),
                Some(2) => panic!("two is worse"),
                _ => Ok(Score::new(true)),
            }
        });
        let rows =
            json!([{"input": 0}, {"input": 1}, {"input": 2}, {"input": 3, "testCaseId": "x"}]);
        let results = evaluate_dataset(&picky, rows).await.unwrap();
        assert_eq!(results[0]["evaluation"], json!({"score": true}));
        assert_eq!(results[1]["evaluation"], json!({"error": "one is bad"}));
        assert!(results[2]["evaluation"]["error"].as_str().unwrap().contains("panicked"));
        assert_eq!(results[3]["testCaseId"], "x");
        assert_eq!(results[3]["sampleIndex"], 3);
    }

    #[tokio::test]
    async fn several_scores_are_a_list() {
        let two = Evaluator::builder("two", "Two scores.").handler(|_, _| async {
            Ok([Score::new(1).with_id("a"), Score::new("good").with_id("b")])
        });
        let results = evaluate_dataset(&two, json!([{"input": 0}])).await.unwrap();
        let expected = json!([{"id": "a", "score": 1}, {"id": "b", "score": "good"}]);
        assert_eq!(results[0]["evaluation"], expected);
    }

    #[tokio::test]
    async fn invalid_data_set_is_rejected() {
        let any = Evaluator::builder("any", "Any.").handler(|_, _| async { Ok(Score::new(1)) });
        for request in
            [json!(null), json!({}), json!({"dataset": [1]}), json!({"dataset": {"a": 1}})]
        {
            let error = any.run(request).await.unwrap_err();
            assert_eq!(error.kind(), genkit_core::ErrorKind::InvalidArgument, "{error}");
        }
    }
}
