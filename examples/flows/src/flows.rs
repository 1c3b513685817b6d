//! The flows of the example.

use genkit::model::ModelRef;
use genkit::schemars::JsonSchema;
use genkit::serde::Serialize;
use genkit::{Chunks, Context, Error, ErrorKind, Result, flow};

genkit::prompts!("prompts");

/// Greets a person.
#[flow]
pub(crate) async fn greet(
    /// The name of the person.
    who: String,
) -> String {
    format!("hello {who}")
}

/// One streamed number.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
pub(crate) struct Counted {
    i: u32,
}

/// The last number.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
pub(crate) struct Total {
    total: u32,
}

/// Counts to a number and streams each step.
#[flow]
pub(crate) async fn count(
    chunks: &Chunks<Counted>,
    /// The last number.
    n: u32,
) -> Result<Total> {
    for i in 1..=n {
        chunks.send(Counted { i }).await?;
    }
    Ok(Total { total: n })
}

/// Fails with an error message for callers.
#[flow]
pub(crate) async fn fail() -> Result<String> {
    Err(Error::new(ErrorKind::FailedPrecondition, "this flow always fails"))
}

/// A suggested menu and its price.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
pub(crate) struct Menu {
    season: String,
    suggestion: prompts::SuggestOutput,
    cents: usize,
}

/// Suggests a menu in three steps, one of them with a model.
#[flow]
pub(crate) async fn menu(
    ctx: &Context,
    model: &ModelRef,
    /// The theme of the menu.
    theme: String,
    /// The month, 1 to 12.
    month: u8,
) -> Result<Menu> {
    let season = ctx.step("season", season_of(month)).await?;
    let suggest = prompts::suggest(prompts::Suggest::new(theme, season.clone()));
    let suggested = ctx.step("suggest", suggest.model(model.clone())).await?;
    let suggestion: prompts::SuggestOutput = suggested.output()?;
    let cents = ctx.step("price", price_of(&suggestion)).await?;
    Ok(Menu { season, suggestion, cents })
}

async fn season_of(month: u8) -> Result<String> {
    let season = match month {
        12 | 1 | 2 => "winter",
        3..=5 => "spring",
        6..=8 => "summer",
        9..=11 => "autumn",
        _ => return Err(Error::invalid_argument("`month` must be between 1 and 12")),
    };
    Ok(season.to_owned())
}

/// Computes the price: ten cents per letter.
async fn price_of(suggestion: &prompts::SuggestOutput) -> Result<usize> {
    let drink = suggestion.drink.as_deref().unwrap_or_default();
    Ok(10 * (suggestion.dish.len() + drink.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit::testing::ScriptedModel;

    #[tokio::test]
    async fn flow_is_a_function() {
        assert_eq!(greet("Ann".to_owned()).await, "hello Ann");
        let (chunks, sent) = Chunks::collect();
        assert_eq!(count(&chunks, 2).await.unwrap(), Total { total: 2 });
        assert_eq!(sent.take(), [Counted { i: 1 }, Counted { i: 2 }]);
        assert_eq!(fail().await.unwrap_err().kind(), ErrorKind::FailedPrecondition);
    }
    #[tokio::test]
    async fn menu_is_made_in_steps() {
        let ctx = Context::detached();
        let model = ScriptedModel::text(r#"{"dish": "soup", "drink": "tea"}"#);
        let made = menu(&ctx, &model.clone().into(), "rain".to_owned(), 11).await.unwrap();
        assert_eq!((made.season.as_str(), made.suggestion.dish.as_str()), ("autumn", "soup"));
        assert_eq!(made.cents, 70);
        let asked = model.requests()[0].messages.last().unwrap().text();
        assert!(asked.contains("Suggest a menu about rain for the autumn."), "{asked}");
        let wrong = menu(&ctx, &model.into(), "rain".to_owned(), 13).await.unwrap_err();
        assert_eq!(wrong.kind(), ErrorKind::InvalidArgument);
    }

    #[tokio::test]
    async fn model_that_needs_no_key_makes_one_too() {
        let ctx = Context::detached();
        let made = menu(&ctx, &offline::Offline.into(), "rain".to_owned(), 1).await.unwrap();
        assert_eq!(made.season, "winter");
        // The offline model fills the form without knowledge of dishes.
        assert_eq!(made.cents, price_of(&made.suggestion).await.unwrap());
    }
}
