use genkit::testing::ScriptedModel;
use genkit::{ErrorKind, Result};

use crate::invoice::{Currency, Invoice, Line};
use crate::{SAMPLE, extract, parse_options};

const PIECES: [&str; 4] = [
    "{\"number\": \"2024-0117\", \"supp",
    "lier\": \"North",
    "wind\", \"total\": 60, \"currency\": \"EUR\", \"lines\": [{\"description\": \"Coffee\", ",
    "\"quantity\": 3, \"amount\": 55.5}]}",
];

async fn run(model: ScriptedModel, terminal: bool) -> (Result<Invoice>, String) {
    let mut progress = Vec::new();
    let invoice = extract(SAMPLE, model, &mut progress, terminal).await;
    (invoice, String::from_utf8(progress).unwrap())
}

#[tokio::test]
async fn answer_is_typed_and_grows() {
    let model = ScriptedModel::streaming(PIECES);
    let (invoice, progress) = run(model.clone(), false).await;
    let line = Line { description: "Coffee".to_owned(), quantity: Some(3.0), amount: Some(55.5) };
    let wanted = Invoice {
        number: Some("2024-0117".to_owned()),
        date: None,
        supplier: Some("Northwind".to_owned()),
        total: Some(60.0),
        currency: Some(Currency::Eur),
        lines: vec![line],
    };
    assert_eq!(invoice.unwrap(), wanted);
    let found: Vec<&str> = progress.lines().collect();
    assert_eq!(found[..2], ["found: number 2024-0117", "found: number 2024-0117 · supplier North"]);
    assert!(
        found[2].ends_with("supplier Northwind · total 60 · currency eur · lines 1"),
        "{progress}"
    );
    assert_eq!(found.len(), 3);

    let request = &model.requests()[0];
    assert_eq!(request.messages.last().unwrap().text(), SAMPLE);
    let schema = genkit::serde_json::to_value(&request.output).unwrap().to_string();
    assert!(schema.contains("\"format\":\"date\""), "{schema}");
}

#[tokio::test]
async fn terminal_gets_one_line() {
    let (_, progress) = run(ScriptedModel::streaming(PIECES), true).await;
    assert_eq!(progress.matches('\n').count(), 1, "{progress:?}");
    assert!(progress.starts_with("\r\x1b[2Kfound: number 2024-0117\r"), "{progress:?}");
}

#[tokio::test]
async fn impossible_invoice_is_returned_to_the_model() {
    let wrong = r#"{"total": 6, "lines": [{"description": "Tea", "amount": 60}]}"#;
    let right = r#"{"total": 60, "lines": [{"description": "Tea", "amount": 60}]}"#;
    let model = ScriptedModel::texts([wrong, right]);
    let (invoice, progress) = run(model.clone(), false).await;
    assert_eq!(invoice.unwrap().total, Some(60.0));
    let asked: Vec<&str> = progress.lines().collect();
    let why = "the lines add up to 60.00, which is more than the total of 6.00";
    assert_eq!(
        asked,
        ["found: total 6 · lines 1", &format!("retrying: {why}"), "found: total 60 · lines 1",]
    );
    let told = model.requests()[1].messages.last().unwrap().text();
    assert!(told.contains(why), "{told}");
}

#[tokio::test]
async fn mismatching_output_is_an_error() {
    for (text, kind) in [
        ("I see no invoice.", ErrorKind::InvalidArgument),
        (r#"{"total": "a lot"}"#, ErrorKind::InvalidArgument),
        ("{}", ErrorKind::NotFound),
    ] {
        let (invoice, _) = run(ScriptedModel::texts([text, text]), false).await;
        assert_eq!(invoice.unwrap_err().kind(), kind, "{text}");
    }
}

#[test]
fn missing_and_wrong_fields_are_reported() {
    let mut invoice = Invoice { total: Some(3.0), ..Invoice::default() };
    assert_eq!(invoice.doubts(), ["not found: number, date, supplier, currency, lines"]);
    invoice.lines = vec![Line { amount: Some(2.5), ..Line::default() }];
    let doubts = invoice.doubts();
    assert!(doubts[0].ends_with("currency, lines[0].description, lines[0].quantity"), "{doubts:?}");
    assert_eq!(doubts[1], "the lines add up to 2.50, but the total is 3.00");
}

#[test]
fn command_line_is_read() {
    let read = |line: &str| parse_options(line.split_whitespace().map(str::to_owned));
    let wanted = read("--model m mail.txt").unwrap();
    assert_eq!((wanted.model.as_deref(), wanted.file.as_deref()), (Some("m"), Some("mail.txt")));
    for (line, said) in [
        ("--modle m", "unknown option --modle"),
        ("--model", "needs a value"),
        ("a b", "expected one file"),
    ] {
        let error = read(line).err().unwrap().to_string();
        assert!(error.contains(said) && error.contains("usage: "), "{error}");
    }
    assert!(read("--help").unwrap().help);
    assert!(super::text(&read("/no/such/mail").unwrap()).is_err());
}
