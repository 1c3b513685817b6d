//! Tests of the unit-test context: answers, rejections and recorded reports.

use crate::context::{Context, Elicited};
use crate::error::{ErrorKind, Result};
use serde_json::json;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema, PartialEq)]
struct Name {
    name: String,
}

#[tokio::test]
async fn question_without_an_answer_is_named() {
    let ctx = Context::testing().build();
    let error = ctx.elicit::<Name>("Who?").key("who").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    assert!(error.to_string().contains("elicit `Who?` (key `who`)"), "{error}");
    let error = ctx.roots().await.unwrap_err();
    assert!(error.to_string().contains("roots (key `q2`)"), "{error}");
}

#[tokio::test]
async fn declining_and_closing_are_answers() -> Result<()> {
    let ctx = Context::testing().decline().cancel().decline().cancel().decline().build();
    assert_eq!(ctx.elicit::<Name>("Who?").await?, Elicited::Declined);
    assert_eq!(ctx.elicit::<Name>("Who?").await?, Elicited::Cancelled);
    let denied = ctx.confirm("Pay?").await.unwrap_err();
    assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
    let closed = ctx.interrupt(json!({"message": "Go on?"})).await.unwrap_err();
    assert_eq!(closed.kind(), ErrorKind::PermissionDenied);
    assert!(ctx.sample("a word").await.unwrap_err().to_string().contains("sample `a word`"));
    assert_eq!(ctx.unused_answers(), 0);
    Ok(())
}

#[tokio::test]
async fn answer_of_the_wrong_kind_names_the_expected_kind() -> Result<()> {
    let ctx = Context::testing().answer(5).answer(5).answer(5).answer(5).build();
    for (error, fits) in [
        (ctx.confirm("Pay?").await.unwrap_err(), "an approval must be `true`"),
        (ctx.sample("a word").await.unwrap_err(), "a sampling request must be text"),
        (ctx.roots().await.unwrap_err(), "a list of URIs"),
        (ctx.elicit::<Name>("Who?").await.unwrap_err(), "does not match the form"),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(fits), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn answer_by_key_precedes_closure_and_order() -> Result<()> {
    let ctx = Context::testing()
        .answer("last")
        .answer_with(|asked| (asked.key() != "c").then(|| Elicited::Accepted("second".into())))
        .answer_to("a", "first")
        .build();
    for (key, text) in [("a", "first"), ("b", "second"), ("c", "last"), ("a", "first")] {
        assert_eq!(ctx.sample("?").key(key).await?.text(), text);
    }
    Ok(())
}

#[tokio::test]
async fn form_that_no_client_could_show_fails_in_a_test_too() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    struct Order {
        #[serde(rename = "to")]
        _to: Name,
    }
    let ctx = Context::testing().answer(json!({"to": {"name": "Ada"}})).build();
    let error = ctx.elicit::<Order>("Where to?").await.unwrap_err();
    assert!(error.to_string().contains("the field `to`"), "{error}");
}

#[tokio::test]
async fn reported_events_can_be_read() {
    let ctx = Context::testing().cancelled(true).build();
    assert!(ctx.is_cancelled());
    ctx.progress((1.0, 2.0)).await;
    ctx.warn("careful").await;
    ctx.queue_chunk(json!("piece")).await;
    ctx.resource_updated("note://7");
    let told = ctx.reports();
    assert_eq!(told.progress[0].total(), Some(2.0));
    assert_eq!(told.logs, [(crate::context::LogLevel::Warning, json!("careful"))]);
    assert_eq!(told.chunks, [json!("piece")]);
    assert_eq!(told.updated_resources, ["note://7"]);
}
