//! `REGEX`: whether a pattern matches the output.

use regex_lite::{Regex, RegexBuilder};

use genkit_core::internal::blocking::run_blocking;

use crate::error::Error as E;
use crate::evaluator::{Evaluator, Score};

/// The maximum length of a pattern, in bytes. Default is 64 KiB.
const MAX_PATTERN: usize = 64 * 1024;

/// The maximum memory size of a compiled pattern, in bytes. Default is 1 MiB.
const MAX_COMPILED: usize = 1024 * 1024;

/// The size limit with which a pattern is compiled first, in bytes.
const SMALL: usize = 1024;

/// The maximum cost of a search: the KiB of the compiled pattern, times the bytes of the output. Default is 10,000,000, which
/// takes seconds.
const MAX_COST: usize = 10_000_000;

/// Returns the regular expression metric: whether the reference, a pattern, matches anywhere in the output. An output
/// that is not a string is matched as compact JSON.
///
/// The time of a search is proportional to the sizes of the output and the pattern, so no pattern runs forever. If both
/// are large, the metric returns an error for the data point. Back-references and look-around are not supported and
/// also cause an error. Classes such as `\d` match ASCII only.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let point = DataPoint::new("order?").with_output("order 4711 shipped").with_reference("[0-9]{4}");
/// assert_eq!(metrics::regex().judge(point).await?[0].value(), Some(&true.into()));
/// # Ok(())
/// # }
/// ```
pub fn regex() -> Evaluator {
    Evaluator::builder("genkitEval/regex", "Whether the reference, a pattern, matches the output.")
        .display_name("RegExp")
        .handler(|context, point| async move {
            let output = point.output_text()?;
            let pattern = point.reference()?.as_str();
            let pattern = pattern.ok_or(E::NonStringReference("it is used as a pattern"))?;
            if pattern.len() > MAX_PATTERN {
                return Err(E::PatternTooLong(MAX_PATTERN).into());
            }
            let (pattern, size) = compile_pattern(pattern)?;
            let cost = (size / SMALL).saturating_mul(output.len());
            if cost > MAX_COST {
                return Err(E::PatternTooCostly { pattern: size, output: output.len() }.into());
            }
            if cost <= MAX_COST / 1000 {
                return Ok(Score::passed(pattern.is_match(&output)));
            }
            Ok(Score::passed(run_blocking(&context, move || pattern.is_match(&output)).await))
        })
}

/// Compiles a pattern. Returns it with its size: the smallest of the tried limits under which it compiles.
fn compile_pattern(pattern: &str) -> Result<(Regex, usize), E> {
    let mut size = SMALL;
    loop {
        match RegexBuilder::new(pattern).size_limit(size).build() {
            Ok(pattern) => return Ok((pattern, size)),
            Err(_) if size < MAX_COMPILED => size *= 4,
            Err(why) => return Err(E::Pattern(why.to_string())),
        }
    }
}
