//! `JSONATA`: whether an expression holds for the output.

mod error;
mod growth;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jsonata_core::evaluator::{Context as Variables, Evaluator as Expression, EvaluatorOptions};
use jsonata_core::parser;
use jsonata_core::value::JValue;
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use self::error::Error as ExpressionError;
use crate::error::Error as E;
use crate::evaluator::{Evaluator, Score};
use genkit_core::Result;

/// The time limit of an expression. Default is 1 second.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum number of expressions that run at once. Default is 2.
const MAX_RUNNING: usize = 2;

/// How long an expression waits for earlier ones. Default is 60 seconds.
const WAIT: Duration = Duration::from_secs(60);

/// The stack size of a thread that runs an expression, in bytes. Default is 8 MiB.
const STACK: usize = 8 * 1024 * 1024;

/// The maximum depth of nested calls in an expression. Default is 500.
const MAX_CALLS: usize = 500;

/// The maximum length of a sequence in an expression. Default is 100,000.
const MAX_SEQUENCE: usize = 100_000;

/// The maximum length of an expression, in bytes. Default is 16 KiB.
const MAX_EXPRESSION: usize = 16 * 1024;

/// Returns the JSONata metric: whether the reference, an [expression](https://docs.jsonata.org), holds for the output.
/// It holds if its value is true, or is a string, number or list that JSONata casts to true. Feature `jsonata`.
///
/// Limits apply to the length of an expression (16 KiB), its time (1 second; a JSONata function is not interrupted, but
/// the row fails after 2 seconds), its depth (500 calls), its lists (100,000 items), and the number of expressions that
/// run at once (2, in separate threads). `$eval` is rejected, and `$pad` is rejected unless its width is a literal
/// number up to 10,000. Memory is not limited: a string that is repeatedly joined to itself grows for as long as the
/// expression runs. Use data sets only from sources that you trust.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let point = DataPoint::new("q").with_output(json!({"items": [{"n": 1}, {"n": 5}]}));
/// let point = point.with_reference("items[n > 3]");
/// assert_eq!(metrics::jsonata().judge(point).await?[0].value(), Some(&true.into()));
/// # Ok(())
/// # }
/// ```
pub fn jsonata() -> Evaluator {
    let description = "Whether the reference, a JSONata expression, holds for the output.";
    Evaluator::builder("genkitEval/jsonata", description).display_name("JSONata").handler(
        |_, point| async move {
            let output = point.output()?.clone();
            let expression = point.reference()?.as_str();
            let expression = expression.ok_or(E::ReferenceNoText("it is an expression"))?;
            if expression.len() > MAX_EXPRESSION {
                return Err(E::PatternTooLong(MAX_EXPRESSION).into());
            }
            let expression = expression.to_owned();
            Ok(Score::passed(
                run_in_thread(move || evaluate_condition(&expression, &output)).await?,
            ))
        },
    )
}

/// Runs `work`, which can panic or never end, in a separate thread, so that neither the row nor the exit of the program
/// waits for it.
async fn run_in_thread(work: impl FnOnce() -> Result<bool> + Send + 'static) -> Result<bool> {
    static RUNNING: OnceLock<Arc<Semaphore>> = OnceLock::new();
    let running = RUNNING.get_or_init(|| Arc::new(Semaphore::new(MAX_RUNNING)));
    run_within(running, work).await
}

async fn run_within(
    running: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<bool> + Send + 'static,
) -> Result<bool> {
    let permit = tokio::time::timeout(WAIT, Arc::clone(running).acquire_owned()).await;
    let Ok(Ok(permit)) = permit else { return Err(ExpressionError::Busy(MAX_RUNNING).into()) };
    let (done, ended) = oneshot::channel();
    let thread = std::thread::Builder::new().name("genkit-jsonata".to_owned()).stack_size(STACK);
    let started = thread.spawn(move || {
        // Held while the work runs, even if its row has failed.
        let _permit = permit;
        let _ = done.send(work());
    });
    started.map_err(|why| ExpressionError::Failed(why.to_string()))?;
    match tokio::time::timeout(2 * TIMEOUT, ended).await {
        Ok(Ok(holds)) => holds,
        Ok(Err(_)) => Err(ExpressionError::Failed("it panicked".to_owned()).into()),
        Err(_) => Err(ExpressionError::TooSlow(2 * TIMEOUT).into()),
    }
}

fn evaluate_condition(expression: &str, output: &Value) -> Result<bool> {
    let failed = |why: &dyn std::fmt::Display| ExpressionError::Failed(why.to_string());
    let tree = parser::parse(expression).map_err(|why| failed(&why))?;
    growth::check(&tree)?;
    let data = JValue::from_json_str(&output.to_string()).map_err(|why| failed(&why))?;
    let options = EvaluatorOptions {
        timeout_ms: Some(TIMEOUT.as_millis() as u64),
        max_stack_depth: Some(MAX_CALLS),
        max_sequence_length: Some(MAX_SEQUENCE),
        ..EvaluatorOptions::default()
    };
    let given = Expression::with_options(Variables::new(), options)
        .evaluate(&tree, &data)
        .map_err(|why| failed(&why))?;
    Ok(is_true(&given))
}

/// Returns what JSONata's `$boolean` would return. The value is not converted to JSON, because a value with shared
/// parts can be too large for memory as JSON.
fn is_true(value: &JValue) -> bool {
    match value {
        JValue::Bool(yes) => *yes,
        JValue::Number(number) => *number != 0.0 && !number.is_nan(),
        JValue::String(text) => !text.is_empty(),
        JValue::Array(items) => items.iter().any(is_true),
        JValue::Object(members) => !members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_counts_as_true_is_what_jsonata_says() {
        let data = json!({"a": 1, "none": null, "zero": 0, "list": [0, ""], "text": "x"});
        for (expression, expected) in [
            ("a", true),
            ("none", false),
            ("zero", false),
            ("list", false),
            ("text", true),
            ("missing", false),
            ("{}", false),
            ("a = 1 and text = 'x'", true),
        ] {
            assert_eq!(evaluate_condition(expression, &data).unwrap(), expected, "{expression}");
        }
    }

    #[test]
    fn hostile_expressions_end() {
        let (deep, nested) = ("(".repeat(8_000), "[".repeat(8_000));
        for expression in [
            "($f := function($n) { $f($n + 1) }; $f(0))",
            "($f := function($n) { $n + $f($n + 1) }; $f(0))",
            "$map([1..100000], function($a) { $map([1..100000], function($b) { $a * $b }) })",
            "[1..100000000]",
            "$eval('$eval($eval)')",
            "$pad('a', 100000000)",
            "($p := $pad; $p('a', 100000000))",
            "$eval('$pad(\\'a\\', 100000000)')",
            &deep,
            &nested,
            "\u{0}",
            "a[",
        ] {
            let error = evaluate_condition(expression, &json!({"a": 1})).unwrap_err();
            assert_eq!(
                error.kind(),
                genkit_core::ErrorKind::InvalidArgument,
                "{expression:.40}: {error}"
            );
        }
        // A value that would be huge as JSON is not converted to JSON.
        let shared = "$reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, {'a': 1})";
        assert!(evaluate_condition(shared, &json!({})).unwrap());
        // Matching takes time in proportion to the length of the text.
        let text = json!("a".repeat(100_000) + "!");
        assert!(!evaluate_condition("$match($, /^(a+)+$/)", &text).unwrap());
    }
    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_fails_its_row_and_is_limited_in_number() {
        let running = Arc::new(Semaphore::new(1));
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let endless = move || {
            let _ = ends.recv();
            Ok(true)
        };
        let error = run_within(&running, endless).await.unwrap_err();
        assert!(error.to_string().contains("longer than 2s"), "{error}");
        let error = run_within(&running, || Ok(true)).await.unwrap_err();
        assert!(error.to_string().contains("still run"), "{error}");
        drop(end);
        tokio::time::resume();
        let error = run_within(&running, || panic!("a bug")).await.unwrap_err();
        assert!(error.to_string().contains("it panicked"), "{error}");
        assert!(run_within(&running, || Ok(true)).await.unwrap());
    }
}
