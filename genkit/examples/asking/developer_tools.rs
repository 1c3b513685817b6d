//! Evaluates a flow and serves it to the Developer UI: the guide page `developer_tools`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::action::{DataPoint, Evaluator, Score};
use genkit::evaluate::{evaluate, metrics};
use genkit::{Flow, Result, flow};

/// Returns the capital of a country.
#[flow]
async fn say_capital(country: String) -> String {
    match country.as_str() {
        "France" => "Paris",
        "Finland" => "Helsinki",
        _ => "I do not know.",
    }
    .to_owned()
}

#[tokio::main]
async fn main() -> Result<()> {
    let short = Evaluator::builder("short", "Whether the answer is one word.").handler(
        |_ctx, point: DataPoint| async move {
            let words = point.output_text()?.split_whitespace().count();
            Ok::<_, genkit::action::HandlerError>(Score::passed(words == 1))
        },
    );
    let cases = ["France", "Finland"].into_iter().zip(["Paris", "Helsinki"]);
    let cases = cases.map(|(country, capital)| {
        let input = serde_json::json!({ "country": country });
        DataPoint::new(input).with_reference(capital)
    });
    let report = evaluate(cases.collect::<Vec<_>>())
        .flow(Flow::of::<say_capital>())
        .with([metrics::deep_equal(), short])
        .await?;
    println!("{report}");
    report.assert_all_pass();

    if std::env::var_os("GENKIT_ENV").is_some() {
        // Keeps the flow available to the Developer UI until Ctrl-C.
        genkit::dev::wait().await?;
    }
    Ok(())
}
