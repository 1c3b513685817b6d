//! `DEEP_EQUAL`: whether the output equals the reference.

use serde_json::{Number, Value};

use crate::evaluator::{Evaluator, Score};

/// Returns the deep equality metric: whether the output equals the reference. The order of keys does not matter, but
/// the order of elements does; `1` equals `1.0`; a member that is `null` differs from a missing member.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let point = DataPoint::new("q").with_output(json!({"a": 1})).with_reference(json!({"a": 1.0}));
/// assert_eq!(metrics::deep_equal().judge(point).await?[0].value(), Some(&true.into()));
/// # Ok(())
/// # }
/// ```
pub fn deep_equal() -> Evaluator {
    Evaluator::builder("genkitEval/deep_equal", "Whether the output equals the reference.")
        .display_name("Deep Equals")
        .handler(|_, point| async move {
            Ok(Score::passed(are_equal(point.output()?, point.reference()?)))
        })
}

fn are_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => are_same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, a)| b.get(key).is_some_and(|b| are_equal(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

/// Compares integers exactly, because large integers can be rounded to the same float.
fn are_same_number(a: &Number, b: &Number) -> bool {
    let is_integer = |number: &Number| number.is_i64() || number.is_u64();
    if is_integer(a) && is_integer(b) { a == b } else { a.as_f64() == b.as_f64() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::are_equal;

    #[test]
    fn large_integers_are_distinguished() {
        assert!(!are_equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(are_equal(&json!(u64::MAX), &json!(u64::MAX)));
        assert!(are_equal(&json!(-1), &json!(-1.0)));
    }
}
