use genkit_schema::internal::check_finite;
use std::collections::BTreeMap;

#[derive(serde::Serialize)]
struct Stats {
    mean: f64,
    parts: Vec<Option<f32>>,
    #[serde(flatten)]
    others: BTreeMap<String, f64>,
}

#[test]
fn error_names_the_number_that_is_not_finite() {
    let stats = |mean, part, other| Stats {
        mean,
        parts: vec![None, Some(part)],
        others: BTreeMap::from([("x".to_owned(), other)]),
    };
    assert!(check_finite(&stats(1.0, 1.0, 1.0)).is_ok());
    for (value, expected) in [
        (stats(f64::NAN, 1.0, 1.0), "`mean` is NaN, "),
        (stats(1.0, f32::INFINITY, 1.0), "`parts[1]` is inf, "),
        (stats(1.0, 1.0, f64::NEG_INFINITY), "`x` is -inf, "),
    ] {
        let error = check_finite(&value).expect_err("not finite").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(check_finite(&f64::NAN).expect_err("NaN").to_string().starts_with("the value is"));
}
