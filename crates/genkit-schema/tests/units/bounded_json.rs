//! Tests of JSON with a limit on its values, and with numbers that would be rounded.

use genkit_schema::internal::bounded_json::*;
use serde_json::Value;
use serde_json::json;

#[test]
fn document_is_read_as_serde_json_reads_it() {
    let text = r#" {"a": [1, -2, 3.5, 18446744073709551615, true, null, "x\u00e9"], "b": {}} "#;
    let read: Value = serde_json::from_str(text).unwrap();
    assert_eq!(parse_bounded(text.as_bytes()).unwrap(), read);
    for wrong in ["", "[1", "[1] 2", "1e999", "{1: 2}"] {
        assert!(parse_bounded(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert!(parse_bounded("[".repeat(200).as_bytes()).is_err(), "depth");
    assert_eq!(parse_bounded(b"{}").unwrap(), json!({}));
}

#[test]
fn many_values_are_rejected_before_they_are_built() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    assert!(parse_bounded(list(MAX_JSON_VALUES - CONTAINER_WEIGHT).as_bytes()).is_ok());
    let error = parse_bounded(list(MAX_JSON_VALUES - 2).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("more than 200000 values"), "{error}");
    for (item, weight) in [("[]", 3), ("{}", 3), ("\"\"", 2), ("{\"a\":0}", 6), ("[[0]]", 7)] {
        let items = |count: usize| format!("[{}]", vec![item; count].join(","));
        let most = (MAX_JSON_VALUES - 3) / weight;
        assert!(parse_bounded(items(most).as_bytes()).is_ok(), "{item}");
        assert!(parse_bounded(items(most + 1).as_bytes()).is_err(), "{item}");
    }
    let members: Vec<String> = (0..MAX_JSON_VALUES).map(|at| format!("\"{at}\":0")).collect();
    assert!(parse_bounded(format!("{{{}}}", members.join(",")).as_bytes()).is_err());
}

#[test]
fn numbers_that_would_be_rounded_are_refused() {
    for kept in [
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "1e2",
        "1e20",
        "-0",
        "-0.0",
        "0",
        "0.30000000000000004",
        "0.10000000000000001",
        "0.1000000000000000056",
        "0.2999999999999999889",
        "9007199254740992.0",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072014e-308",
        "-123456789.000000000000000000000",
        "0.000e999999999999999999999999999999999999999999",
        "1234567890123456700000000000.0",
        "[1,-2,1.0]",
        r#""123456789012345678901 \\\" 123456789012345678901""#,
        r#"{"123456789012345678901":1}"#,
    ] {
        parse_bounded(kept.as_bytes()).unwrap_or_else(|error| panic!("{kept}: {error}"));
    }
    for lost in [
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901",
        "3.14159265358979323846",
        "123456789012345678901.5",
        "9007199254740993.0",
        "9007199254740993e0",
        "-90071992547409930.0E-1",
        "1e-400",
        "3e-324",
        "0.1234567890123456789",
        "0.1000000000000000055511151231257827",
        "1234567890123456789e-1",
    ] {
        for text in
            [lost.to_owned(), format!(r#"{{"a\"":["x",{lost}]}}"#), format!("[1e2,{lost} ]")]
        {
            let error = parse_bounded(text.as_bytes()).expect_err(&text).to_string();
            assert!(error.contains(lost) && error.contains("send it as a string"), "{error}");
        }
    }
}

#[test]
fn values_are_counted_outside_strings() {
    let list = format!("[{}0]", "0,".repeat(998));
    assert!(!has_more_values(list.as_bytes(), 1000));
    assert!(has_more_values(list.as_bytes(), 999));
    for many in ["[".repeat(2000), "{\"a\":1,".repeat(2000), "\"\\\"\",".repeat(2000)] {
        assert!(has_more_values(many.as_bytes(), 1000), "{}", &many[..20]);
    }
    let text = format!("\"{}\"", ",[{".repeat(2000));
    assert!(!has_more_values(text.as_bytes(), 1000));
    let escaped = format!("\"{}\"", "\\\",[".repeat(2000));
    assert!(!has_more_values(escaped.as_bytes(), 1000));
}

#[test]
fn text_of_an_f64_in_any_precision_is_kept() {
    for bits in (0..20_000_u64).map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
        let number = f64::from_bits(bits);
        if !number.is_finite() {
            continue;
        }
        let precision = usize::try_from(bits % 3).unwrap();
        for text in [
            format!("{number:?}"),
            format!("{number:e}"),
            format!("{number:.17e}"),
            format!("{number:.*e}", 16 + precision),
        ] {
            assert!(!is_changed_number(text.as_bytes()), "{text}");
        }
    }
    let long = format!("0.1{}1", "0".repeat(1000));
    assert!(is_changed_number(long.as_bytes()));
}
