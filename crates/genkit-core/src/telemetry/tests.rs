use proptest::prelude::*;
use serde_json::json;

use super::labels::Labels;
use super::*;

const SENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn invalid_traceparent_is_none() {
    assert_eq!(TraceContext::parse(SENT).unwrap().to_string(), SENT);
    let zero_trace = format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32));
    let zero_span = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01", "0".repeat(16));
    let longer = format!("{SENT}-01");
    let (upper, plus) = (SENT.to_uppercase(), SENT.replace("-00f0", "-+0f0"));
    let moved = "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01";
    for none in [
        "",
        "00",
        &zero_trace,
        &zero_span,
        &longer,
        &upper,
        &plus,
        moved,
        &SENT.replacen("00", "ff", 1),
        &SENT.replace('-', "_"),
        &format!(" {SENT}"),
        &SENT.replace("-01", "-0g"),
        &SENT.replace("4bf9", "äf9"),
        &SENT[..54],
    ] {
        assert_eq!(TraceContext::parse(none), None, "{none}");
    }
}

#[test]
fn known_fields_of_future_versions_are_parsed() {
    for sent in [SENT.replacen("00", "01", 1), format!("{}-what", SENT.replacen("00", "cc", 1))] {
        assert_eq!(TraceContext::parse(&sent), TraceContext::parse(SENT), "{sent}");
    }
    assert_eq!(TraceContext::parse(&format!("{}what", SENT.replacen("00", "cc", 1))), None);
    // Unknown flags are not forwarded.
    let flags = TraceContext::parse(&SENT.replace("-01", "-ff")).unwrap().to_string();
    assert!(flags.ends_with("-03"), "{flags}");
}

#[test]
fn tracestate_that_w3c_does_not_allow_is_left_out() {
    let state = |text: &str| TraceContext::parse(SENT).unwrap().with_state(text).state().to_owned();
    for kept in ["a=1", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "a@b=1 , 2c=x y", "a=1,,b=2"] {
        assert_eq!(state(kept), kept);
    }
    let many = (0..33).map(|n| format!("k{n}=v")).collect::<Vec<_>>().join(",");
    let long = format!("a={}", "x".repeat(600));
    for dropped in ["", ",", "a", "A=1", "a=", "a=1=2", "a=1,a=2", "a=\n", "a=ä", &many, &long] {
        assert_eq!(state(dropped), "", "{dropped}");
    }
}

#[test]
fn invalid_meta_entries_are_ignored() {
    let of = |meta: serde_json::Value| TraceContext::from_meta(meta.as_object().unwrap());
    let found = of(json!({"traceparent": SENT, "tracestate": "a=1"})).unwrap();
    assert_eq!((found.to_string().as_str(), found.state()), (SENT, "a=1"));
    assert_eq!(of(json!({"traceparent": SENT, "tracestate": 7})).unwrap().state(), "");
    for none in [json!({}), json!({"traceparent": 7}), json!({"tracestate": "a=1"})] {
        assert_eq!(of(none), None);
    }
}

#[test]
fn baggage_is_propagated_within_the_w3c_limits() {
    assert!(is_baggage("userId=alice,serverNode=DF%2028;a=b"));
    let many = vec!["a=1"; 65].join(",");
    let long = format!("a={}", "x".repeat(8192));
    for refused in ["", "a", "=1", "a=\"1\"", "a=1\r\nb=2", "a=ä", &many, &long] {
        assert!(!is_baggage(refused), "{refused}");
    }
}

#[test]
fn labels_are_bounded() {
    let mut labels = Labels::default();
    assert!((0..1000).all(|n| labels.admit_label(&format!("tool{n}"))));
    assert!(!labels.admit_label("one more") && labels.admit_label("tool7"));
    assert!(!Labels::default().admit_label(&"x".repeat(257)));
}

#[test]
fn each_metric_is_complete() {
    let mut names: Vec<_> = Metric::ALL.iter().map(|metric| metric.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Metric::ALL.len());
    for metric in Metric::ALL {
        let bounds = metric.boundaries();
        assert_eq!(bounds.is_empty(), metric.kind() != MetricKind::Histogram);
        assert!(bounds.is_sorted_by(|a, b| a < b) && metric.description().ends_with('.'));
    }
}

proptest! {
    #[test]
    fn written_headers_parse_back(trace in 1u128.., span in 1u64.., sampled: bool) {
        let context = TraceContext::new(trace, span, sampled).unwrap();
        prop_assert_eq!(TraceContext::parse(&context.to_string()), Some(context));
    }

    #[test]
    fn parser_does_not_panic(text in "\\PC{0,70}", state in "\\PC{0,40}") {
        let read = TraceContext::parse(&text);
        prop_assert!(read.is_none() || text.is_ascii());
        let _ = TraceContext::parse(SENT).unwrap().with_state(&state);
        let _ = is_baggage(&state);
    }
}
