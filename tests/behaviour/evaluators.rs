//! Metrics, in the format of the evaluator specification: cases of this repository, and unchanged cases next to the
//! repository or in a folder of `GENKIT_SPEC_DIRS`; and evaluations of flows.

use std::collections::HashMap;

use genkit::evaluate::{DataPoint, DataSet, EvalStatus, Evaluator, Score, evaluate, metrics};
use genkit::model::{Embedding, ModelResponse, embedder_fn};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Flow, Registry, flow};
use genkit_tests::{case_folders, print_uncaptured};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Spec {
    tests: Vec<SpecCase>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecCase {
    name: String,
    metric: String,
    row: Value,
    #[serde(default)]
    judge: Vec<Value>,
    #[serde(default)]
    embeddings: HashMap<String, Vec<f64>>,
    #[serde(default)]
    judge_sees: Vec<Vec<String>>,
    expect: Expected,
    /// The way in which the npm package behaves differently.
    #[serde(default, rename = "differs")]
    _differs: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    score: Option<Value>,
    status: Option<String>,
    reasoning: Option<String>,
    error: Option<String>,
}

fn metric(case: &SpecCase, judge: ScriptedModel) -> Evaluator {
    let vectors = case.embeddings.clone();
    let embedder = embedder_fn("of the case", move |texts| {
        let vectors = vectors.clone();
        async move {
            let vector = |text: &String| vectors.get(text).ok_or(format!("no vector of {text:?}"));
            let found = texts.iter().map(|text| vector(text).map(|v| Embedding::new(v.clone())));
            found.collect::<Result<Vec<_>, String>>()
        }
    });
    match case.metric.as_str() {
        "REGEX" => metrics::regex(),
        "DEEP_EQUAL" => metrics::deep_equal(),
        "JSONATA" => metrics::jsonata(),
        "FAITHFULNESS" => metrics::faithfulness(judge),
        "ANSWER_RELEVANCY" => metrics::answer_relevancy(judge, embedder),
        "ANSWER_ACCURACY" => metrics::answer_accuracy(judge),
        "MALICIOUSNESS" => metrics::maliciousness(judge),
        other => panic!("{}: `{other}` is not a metric", case.name),
    }
}

/// Returns the differences from the expected result of the case.
async fn differences(case: &SpecCase) -> Vec<String> {
    let text = |answer: &Value| match answer {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let script =
        case.judge.iter().map(|answer| Scripted::from(ModelResponse::from_text(text(answer))));
    let judge = ScriptedModel::new(script);
    let evaluator = metric(case, judge.clone());
    // In the format that Genkit's tools send.
    let mut row = case.row.clone();
    row["testCaseId"] = json!("tc1");
    let request = json!({ "dataset": [row], "evalRunId": "run" });
    let results = evaluator.run(request).await.expect("a result");
    let mut found = Vec::new();
    if results[0]["testCaseId"] != "tc1" {
        found.push(format!("the result is not that of the row: {results}"));
    }
    let score: Score = serde_json::from_value(results[0]["evaluation"].clone()).expect("a score");
    let Expected { score: value, status, reasoning, error } = &case.expect;
    if let Some(expected) = error {
        let expected = expected.to_lowercase();
        let said = score.error().map(str::to_lowercase);
        if !said.as_ref().is_some_and(|said| said.contains(&expected)) {
            found.push(format!("error {expected:?}, not {score:?}"));
        }
    } else if let Some(error) = score.error() {
        found.push(format!("failed: {error}"));
    }
    if let Some(expected) = value {
        let is_same = match (expected.as_f64(), score.value().and_then(Value::as_f64)) {
            (Some(expected), Some(given)) => (expected - given).abs() <= 1e-9,
            _ => score.value() == Some(expected),
        };
        if !is_same {
            found.push(format!("score {expected}, not {:?}", score.value()));
        }
    }
    if let Some(expected) = status
        && json!(score.status()) != *expected
    {
        found.push(format!("status {expected}, not {:?}", score.status()));
    }
    if let Some(expected) = reasoning
        && !score.reasoning().is_some_and(|why| why.contains(expected))
    {
        found.push(format!("reasoning {expected:?}, not {:?}", score.reasoning()));
    }
    let requests = judge.requests();
    if error.is_none() && requests.len() != case.judge.len() {
        found.push(format!("{} calls of the judge, not {}", requests.len(), case.judge.len()));
    }
    for (at, pieces) in case.judge_sees.iter().enumerate() {
        let seen: String = requests
            .get(at)
            .map(|request| request.messages.iter().map(|message| message.text()).collect())
            .unwrap_or_default();
        for piece in pieces.iter().filter(|piece| !seen.contains(*piece)) {
            found.push(format!("the judge does not see {piece:?} in call {at}: {seen}"));
        }
    }
    found
}

#[tokio::test]
async fn pattern_that_takes_minutes_is_an_error() {
    let judge = |pattern: &str, output: String| {
        let point = DataPoint::new("x").with_output(output).with_reference(pattern);
        metrics::regex().judge(point)
    };
    let output = "a".repeat(4 * 1024 * 1024);
    let error = judge("[ab]{0,2000}c", output.clone()).await.unwrap_err().to_string();
    assert!(error.contains("too slow to match"), "{error}");
    let scores = judge("b", output).await.unwrap();
    assert_eq!(scores[0].value(), Some(&false.into()));
}

#[tokio::test]
async fn specification_of_metrics_passes_unchanged() {
    let (mut failed, mut lines) = (Vec::new(), String::new());
    for folder in case_folders::find("specs", "GENKIT_SPEC_DIRS", "genkit-specs") {
        let (mut passed, before) = (0, failed.len());
        for (name, path) in folder.files("yaml") {
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !file.starts_with("evaluators") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{name}: {why}"));
            let spec: Spec =
                serde_yaml_ng::from_str(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            for case in spec.tests {
                match differences(&case).await {
                    found if found.is_empty() => passed += 1,
                    found => failed.push(format!("{name}: {}: {}", case.name, found.join("; "))),
                }
            }
        }
        let failures = failed.len() - before;
        lines += &format!("metrics in {}: {passed} passed, {failures} failed\n", folder.name);
        let is_own = folder.name.starts_with("tests/");
        assert!(!is_own || passed + failures >= 20, "only {passed} cases of our own were found");
    }
    print_uncaptured(&lines);
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}

/// The capital of a country.
#[flow]
async fn capital_of(country: String) -> Result<String, String> {
    match country.as_str() {
        "Norway" => Ok("Oslo".to_owned()),
        "Nowhere" => Err("there is no such country".to_owned()),
        other => panic!("{other} is not known"),
    }
}

#[tokio::test]
async fn flow_is_judged_row_by_row_and_a_failing_row_does_not_end_the_rest() {
    let rows = [("Nowhere", "x"), ("Atlantis", "x"), ("Norway", "Oslo"), ("Norway", "Bergen")];
    let rows: String = rows
        .iter()
        .map(|(country, capital)| {
            json!({"testCaseId": format!("{country}/{capital}"), "input": {"country": country}, "reference": capital})
                .to_string()
                + "\n"
        })
        .collect();
    let flow = Flow::of::<capital_of>();
    let run = evaluate(DataSet::from_jsonl(&rows).unwrap()).flow(flow).with(metrics::deep_equal());
    let report = run.concurrency(3).await.unwrap();
    let names: Vec<&str> = report.cases().iter().map(|case| case.test_case_id()).collect();
    assert_eq!(
        names,
        ["Nowhere/x", "Atlantis/x", "Norway/Oslo", "Norway/Bergen"],
        "in their order"
    );
    let [nowhere, atlantis, oslo, bergen] = report.cases() else { panic!("{report}") };
    assert_eq!(nowhere.error(), Some("there is no such country"));
    assert!(atlantis.error().unwrap().contains("panicked"), "{report}");
    assert_eq!(oslo.output(), Some(&json!("Oslo")));
    assert_eq!(oslo.scores()[0].score().status(), Some(EvalStatus::Pass));
    assert_eq!(bergen.scores()[0].score().status(), Some(EvalStatus::Fail));
    assert_eq!(report.failures().count(), 3);
    assert_eq!(report.average("genkitEval/deep_equal"), Some(0.5));
}

#[tokio::test]
async fn evaluation_without_rows_or_metrics_is_an_error() {
    let nothing = evaluate(Vec::<DataPoint>::new()).with(metrics::regex()).await.unwrap_err();
    assert!(nothing.to_string().contains("the data set is empty"), "{nothing}");
    let unjudged = evaluate([DataPoint::new(1)]).await.unwrap_err();
    assert!(unjudged.to_string().contains(".with(metrics::regex())"), "{unjudged}");
}

#[test]
fn two_evaluators_of_one_name_are_found() {
    let twice = Registry::new().add([metrics::regex(), metrics::regex()]);
    let error = twice.check().unwrap_err();
    assert!(error.to_string().contains("evaluator `genkitEval/regex`"), "{error}");
}
