//! `JSONATA`: whether an expression is true for the output.

mod error;
mod guard;
mod memory;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jsonata_core::evaluator::{
    CancelToken, Context as Variables, Evaluator as Expression, EvaluatorOptions,
};
use jsonata_core::parser;
use jsonata_core::value::JValue;
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use self::error::Error as ExpressionError;
use crate::error::Error as E;
use crate::evaluator::{Evaluator, Score};
use genkit_core::Result;
use genkit_schema::internal::size::json_size;

/// The time limit of an expression. Default is 1 second.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum number of expressions that run concurrently. Default is 2.
const MAX_RUNNING: usize = 2;

/// The maximum time that an expression waits for earlier expressions. Default is 60 seconds.
const WAIT: Duration = Duration::from_secs(60);

/// The stack size of a thread that runs an expression, in bytes. Default is 64 MiB, of which little is used.
const STACK: usize = 64 * 1024 * 1024;

/// The maximum growth of the program's memory while an expression runs, in bytes. Default is 256 MiB, on Linux.
const MAX_GROWTH: u64 = 256 * 1024 * 1024;

/// The time between checks of the memory usage. Default is 5 milliseconds.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The maximum size of the output as JSON, in bytes. Default is 4 MiB.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;

/// The maximum depth of nested calls in an expression. Default is 500.
const MAX_CALLS: usize = 500;

/// The maximum length of a sequence in an expression. Default is 100,000.
const MAX_SEQUENCE: usize = 100_000;

/// The maximum length of an expression, in bytes. Default is 16 KiB.
const MAX_EXPRESSION: usize = 16 * 1024;

/// Returns the JSONata metric: whether the reference, an [expression](https://docs.jsonata.org), is true for the
/// output. The value can also be a string, number or list that JSONata casts to true. Requires the feature `jsonata`.
///
/// Limits apply to the length of an expression (16 KiB) and of the output (4 MiB), the time (1 second; a JSONata
/// function is not interrupted, but the row fails after 2 seconds), the depth (500 calls), the lists (100,000 items),
/// the memory (on Linux, the expression ends if the program grows by 256 MiB while it runs), and the number of
/// expressions that run concurrently (2, in separate threads).
///
/// Functions that create text in one step have limits for their arguments: 64 KiB of text and 1,000 bytes of
/// replacement for `$replace`, 1 MiB for `$string`, `$join` and `$split`. `$eval` is rejected, and so is `$pad` unless
/// its width is a literal number up to 10,000. Values of more than 16 MiB cannot be compared with each other, including
/// parts that occur more than once. Additional expressions fail if 2 threads are busy for more than 60 seconds.
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
            let expression =
                expression.ok_or(E::NonStringReference("it is used as an expression"))?;
            if expression.len() > MAX_EXPRESSION {
                return Err(E::PatternTooLong(MAX_EXPRESSION).into());
            }
            if json_size(&output) > MAX_OUTPUT {
                return Err(ExpressionError::LongOutput(MAX_OUTPUT).into());
            }
            let expression = expression.to_owned();
            let work = move |cancel| evaluate_condition(&expression, &output, cancel);
            Ok(Score::passed(run_in_thread(work).await?))
        },
    )
}

/// Runs `work`, which can panic or never end, in a separate thread, so that neither the row nor the exit of the program
/// waits for it.
async fn run_in_thread(
    work: impl FnOnce(CancelToken) -> Result<bool> + Send + 'static,
) -> Result<bool> {
    static RUNNING: OnceLock<Arc<Semaphore>> = OnceLock::new();
    let running = RUNNING.get_or_init(|| Arc::new(Semaphore::new(MAX_RUNNING)));
    run_within(running, work).await
}

async fn run_within(
    running: &Arc<Semaphore>,
    work: impl FnOnce(CancelToken) -> Result<bool> + Send + 'static,
) -> Result<bool> {
    let permit = tokio::time::timeout(WAIT, Arc::clone(running).acquire_owned()).await;
    let Ok(Ok(permit)) = permit else { return Err(ExpressionError::Busy(MAX_RUNNING).into()) };
    let (done, ended) = oneshot::channel();
    let cancel = CancelToken::default();
    let token = cancel.clone();
    let thread = std::thread::Builder::new().name("genkit-jsonata".to_owned()).stack_size(STACK);
    let started = thread.spawn(move || {
        // Held while the work runs, even if its row has failed.
        let _permit = permit;
        let _ = done.send(work(token));
    });
    started.map_err(|why| ExpressionError::Failed(why.to_string()))?;
    let ended = tokio::select! {
        biased;
        ended = ended => ended.map_err(|_| ExpressionError::Failed("it panicked".to_owned())),
        () = memory::wait_for_growth(MAX_GROWTH, MEMORY_CHECK_INTERVAL) => Err(ExpressionError::TooLarge(MAX_GROWTH >> 20)),
        () = tokio::time::sleep(2 * TIMEOUT) => Err(ExpressionError::TooSlow(2 * TIMEOUT)),
    };
    // The expression stops at its next step.
    cancel.cancel();
    ended?
}

fn evaluate_condition(expression: &str, output: &Value, cancel: CancelToken) -> Result<bool> {
    let failed = |why: &dyn std::fmt::Display| ExpressionError::Failed(why.to_string());
    let tree = parser::parse(expression).map_err(|why| failed(&why))?;
    let tree = guard::guard_expression(&tree)?;
    let data = JValue::from_json_str(&output.to_string()).map_err(|why| failed(&why))?;
    #[allow(clippy::needless_update, reason = "newer versions have more fields")]
    let options = EvaluatorOptions {
        timeout_ms: Some(TIMEOUT.as_millis() as u64),
        max_stack_depth: Some(MAX_CALLS),
        max_sequence_length: Some(MAX_SEQUENCE),
        cancel: Some(cancel),
        ..EvaluatorOptions::default()
    };
    let mut evaluator = Expression::with_options(Variables::new(), options);
    guard::register(&mut evaluator).map_err(|why| failed(&why))?;
    let given = evaluator.evaluate(&tree, &data).map_err(|why| failed(&why))?;
    Ok(is_true(&given))
}

/// Converts a value to a boolean, like JSONata's `$boolean`. The value is not converted to JSON, because a value with
/// shared parts can be too large for memory as JSON.
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

    fn evaluate(expression: &str, data: &Value) -> Result<bool> {
        evaluate_condition(expression, data, CancelToken::default())
    }

    #[test]
    fn truthiness_matches_jsonata() {
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
            assert_eq!(evaluate(expression, &data).unwrap(), expected, "{expression}");
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
            "$reduce([1..5], function($a,$b) { $replace($a, 'x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') }, 'x')",
            "$string($reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, 1))",
            "'' & $reduce([1..60], function($a, $b) { [$a, $a] }, [1, 2])",
            "$reduce([1..60], function($a, $b) { [$a, $a] }, [1, 2]) ~> $string()",
            "$reduce([1..60], function($a, $b) { [$a, $a] }, [1, 2]).$string()",
            "$map([$reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, 1)], $string)",
            "$join($map([1..100000], function($i) { 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' }), ',')",
            "$formatInteger(1000000000000000, 'I')",
            "($s := $reduce([1..60], function($a, $b) { [$a, $a] }, 1); $t := $reduce([1..60], function($a, $b) { [$a, $a] }, 1); $s = $t)",
            "($s := $reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, 1); $s != $reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, 1))",
            "($s := $reduce([1..60], function($a, $b) { [$a, $a] }, 1); $s in [[$s]])",
            "\u{0}",
            "a[",
        ] {
            let error = evaluate(expression, &json!({"a": 1})).unwrap_err();
            assert_eq!(
                error.kind(),
                genkit_core::ErrorKind::InvalidArgument,
                "{expression:.40}: {error}"
            );
        }
        // A value that would be huge as JSON is not converted to JSON.
        let shared = "$reduce([1..60], function($a, $b) { {'a': $a, 'b': $a} }, {'a': 1})";
        assert!(evaluate(shared, &json!({})).unwrap());
        // The duration of matching is proportional to the length of the text.
        let text = json!("a".repeat(60_000) + "!");
        assert!(!evaluate("$match($, /^(a+)+$/)", &text).unwrap());
    }

    #[test]
    fn guarded_functions_work_as_before() {
        let data = json!({"text": "a-b-c", "list": ["x", "y"], "n": 12, "o": {"k": 1}});
        for holds in [
            "$replace(text, '-', '+') = 'a+b+c'",
            "text.$replace('-', '+') = 'a+b+c'",
            "text ~> $replace('-', '+') = 'a+b+c'",
            "$replace(text, /[a-c]/, function($m) { $uppercase($m.match) }) = 'A-B-C'",
            "$replace(text, '-', '+', 1) = 'a+b-c'",
            "$join(list, ', ') = 'x, y'",
            "$join(list) = 'xy'",
            "list ~> $join('-') = 'x-y'",
            "$count($split(text, '-')) = 3",
            "$count(text.$split('-')) = 3",
            "$match(text, /b/).index = 2",
            "$contains(text, 'b-c') and $contains(text, /b/) and text.$contains('a')",
            "$count($split(text, /-/)) = 3",
            "$count($distinct(['x', 'y', 'x'])) = 2",
            "$count(['x', 'x'] ~> $distinct) = 1",
            "$string(n) = '12'",
            "n.$string() = '12'",
            "n ~> $string() = '12'",
            "n ~> $string = '12'",
            "$map([1, 2], $string)[0] = '1'",
            "$string(o) = '{\"k\":1}'",
            "text & n & missing & o = 'a-b-c12{\"k\":1}'",
            "$encodeUrlComponent('a b') = 'a%20b'",
            "$base64encode('a') = 'YQ=='",
            "$formatInteger(2026, 'I') = 'MMXXVI'",
            "$formatNumber(n, '000') = '012'",
            "$fromMillis(0, '[Y0001]') = '1970'",
            "[1..3] ~> $map(function($i) { 'n' & $i }) ~> $join = 'n1n2n3'",
            "list = ['x', 'y'] and list != ['x'] and o = {'k': 1} and o.k = [1][0]",
            "'x' in list and $not(n in list) and list[0] in list and o in [o]",
            "$not(missing = absent) and $not(missing != text) and $not(missing = text)",
            "$count(list[$ = $$.list[1]]) = 1 and $count($filter(list, function($x) { $x = $$.list[0] })) = 1",
        ] {
            match evaluate(holds, &data) {
                Ok(yes) => assert!(yes, "{holds}"),
                Err(error) => panic!("{holds}: {error}"),
            }
        }
        let large = json!({"text": "a".repeat(100_000)});
        for slow in [
            "$distinct([1..100000])",
            "$contains(text, /a+b/)",
            "$split(text, /a+b/)",
            "text.$split(/a+b/)",
        ] {
            let error = evaluate(slow, &large).expect_err(slow).to_string();
            assert!(error.contains("too large for a function"), "{slow}: {error}");
        }
        assert!(evaluate("$count($split(text, 'b')) = 1", &large).unwrap());
        for (depth, holds) in [(400, true), (900, false)] {
            let nested = format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
            let thread = std::thread::Builder::new().stack_size(STACK);
            let run = thread.spawn(move || evaluate(&nested, &json!({})).is_ok());
            assert_eq!(run.unwrap().join().unwrap(), holds, "{depth}");
        }
    }

    #[test]
    fn comparisons_have_the_same_result_with_guards() {
        let data =
            json!({"list": ["x", "y"], "items": [{"n": 1}, {"n": 5}, {}], "k": 5, "none": null});
        let json = JValue::from_json_str(&data.to_string()).unwrap();
        for expression in [
            "list = $$.list",
            "items.n = [1, 5]",
            "items.n = items.n",
            "items.n != [1]",
            "items[0].n = [1]",
            "missing = absent",
            "missing != list",
            "none = missing",
            "none = items[5]",
            "[] = []",
            "{} = {}",
            "[1] = [2]",
            "{'k': k} = {'k': k}",
            "[[1], [2]][$ = [2]]",
            "items[n = $$.k]",
            "items[n != $$.k]",
            "items[n != missing].n",
            "k in items.n",
            "list in list",
            "list[0] in list",
            "[1] in [[1]]",
            "missing in list",
            "k in missing",
        ] {
            let tree = parser::parse(expression).unwrap();
            let unguarded = Expression::new().evaluate(&tree, &json).unwrap();
            assert_eq!(evaluate(expression, &data).unwrap(), is_true(&unguarded), "{expression}");
        }
    }

    #[tokio::test]
    async fn growing_expression_is_stopped_with_its_thread() {
        let running = Arc::new(Semaphore::new(1));
        for growing in [
            "$reduce([1..100000], function($a, $b) { $a & $a }, 'xxxxxxxxxxxxxxxx')",
            "($f := function($n) { $f($n & $n) }; $f('xxxxxxxxxxxxxxxx'))",
            "$map([1..100000], function($i) { [1..100000] })",
        ] {
            let work = move |cancel| evaluate_condition(growing, &json!({}), cancel);
            let error = run_within(&running, work).await.unwrap_err();
            assert_eq!(error.kind(), genkit_core::ErrorKind::InvalidArgument, "{error}");
            // The thread of the previous row has ended.
            assert!(run_within(&running, |_| Ok(true)).await.unwrap());
        }
        let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|size| size.trim().trim_end_matches(" kB").parse::<u64>().ok());
        assert!(peak.is_none_or(|kib| kib < 1024 * 1024), "{peak:?} KiB");
    }

    #[tokio::test(start_paused = true)]
    async fn endless_expression_fails_its_row_and_endless_expressions_are_limited() {
        let running = Arc::new(Semaphore::new(1));
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let endless = move |_| {
            let _ = ends.recv();
            Ok(true)
        };
        let error = run_within(&running, endless).await.unwrap_err();
        assert!(error.to_string().contains("longer than 2s"), "{error}");
        let error = run_within(&running, |_| Ok(true)).await.unwrap_err();
        assert!(error.to_string().contains("have not finished"), "{error}");
        drop(end);
        tokio::time::resume();
        let error = run_within(&running, |_| panic!("a bug")).await.unwrap_err();
        assert!(error.to_string().contains("it panicked"), "{error}");
        assert!(run_within(&running, |_| Ok(true)).await.unwrap());
    }
}
