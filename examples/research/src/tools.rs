//! The tools of the model, and the documents as resources.

use std::cmp::Ordering;

use genkit::context::Progress;
use genkit::{Context, Error, Result, resource, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::corpus::Planet;

/// Stop words, which do not distinguish the documents.
const STOP: [&str; 14] = [
    "about", "all", "and", "are", "for", "from", "have", "planet", "planets", "the", "their",
    "what", "which", "with",
];

/// A search result.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// The planet of the document.
    planet: Planet,
    /// The page to `read`.
    page: usize,
    /// The best matching paragraph.
    text: &'static str,
}

/// Finds documents by words, best match first. There is one document per planet.
#[tool(read_only)]
pub(crate) async fn search(
    ctx: &Context,
    /// One or a few words, for example `rings ice`.
    query: String,
) -> Result<Vec<Hit>> {
    let query = query.to_lowercase();
    let words = query.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| word.len() > 2 && !STOP.contains(word)).collect();
    if words.is_empty() {
        return Err(Error::invalid_argument("the query contains only stop words"));
    }
    let total = Planet::ALL.len() as f64;
    let mut found = Vec::new();
    for (at, planet) in Planet::ALL.into_iter().enumerate() {
        let progress = Progress::new((at + 1) as f64).with_total(total);
        ctx.progress(progress.with_message(format!("{planet:?}"))).await;
        if let Some((text, page, hits)) = planet.best(&words) {
            found.push((hits, Hit { planet, page, text }));
        }
    }
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    Ok(found.into_iter().map(|(_, hit)| hit).collect())
}

/// A page of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page {
    /// The page number, starting at 1.
    page: usize,
    /// The number of pages.
    pages: usize,
    /// The text of the page.
    text: String,
}

/// Reads a page of the document about a planet. The first page contains its numbers.
#[tool(read_only)]
pub(crate) async fn read(
    planet: Planet,
    /// The page number, starting at 1.
    #[arg(default = 1)]
    page: usize,
) -> Result<Page> {
    let mut pages = planet.pages();
    let count = pages.len();
    if page == 0 || page > count {
        let said = format!("the document about {planet:?} has the pages 1 to {count}");
        return Err(Error::invalid_argument(said));
    }
    Ok(Page { page, pages: count, text: pages.swap_remove(page - 1) })
}

/// A fact with a number.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fact {
    Diameter,
    Gravity,
    Day,
    Year,
    Distance,
    Moons,
    Temperature,
}

/// The value of one planet.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Row {
    planet: Planet,
    value: f64,
    unit: &'static str,
}

/// Compares planets by a number, largest first.
#[tool(read_only)]
pub(crate) async fn compare(
    /// The planets to compare. The default is all.
    #[arg(default)]
    planets: Vec<Planet>,
    /// The fact to compare by.
    fact: Fact,
) -> Vec<Row> {
    let name = format!("{fact:?}").to_lowercase();
    let wanted = |planet: &Planet| planets.is_empty() || planets.contains(planet);
    let row = |planet: Planet| {
        let (value, unit) = planet.fact(&name)?;
        Some(Row { planet, value, unit })
    };
    let mut rows: Vec<Row> = Planet::ALL.into_iter().filter(wanted).filter_map(row).collect();
    rows.sort_by(|a, b| b.value.partial_cmp(&a.value).unwrap_or(Ordering::Equal));
    rows
}

/// The document about a planet.
#[resource("planet://{name}", title = "A planet", mime_type = "text/plain")]
pub(crate) async fn planet(name: Planet) -> &'static str {
    name.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn search_finds_the_best_first() {
        let ctx = Context::detached();
        let hits = search(&ctx, "rings, ICE".to_owned()).await.unwrap();
        assert_eq!((hits[0].planet, hits[0].page), (Planet::Saturn, 1));
        assert!(search(&ctx, "the planets?!".to_owned()).await.is_err());
        assert!(search(&ctx, "unicorn".to_owned()).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn pages_are_read_one_by_one() {
        let page = read(Planet::Mars, 2).await.unwrap();
        assert_eq!((page.page, page.pages), (2, 3));
        let error = read(Planet::Mars, 9).await.unwrap_err();
        assert_eq!(error.to_string(), "the document about Mars has the pages 1 to 3");
    }

    #[tokio::test]
    async fn planets_are_compared() {
        let rows = compare(vec![Planet::Earth, Planet::Saturn], Fact::Moons).await;
        let moons: Vec<(Planet, f64)> = rows.iter().map(|row| (row.planet, row.value)).collect();
        assert_eq!(moons, [(Planet::Saturn, 146.0), (Planet::Earth, 1.0)]);
        assert_eq!(compare(Vec::new(), Fact::Year).await.len(), 8);
    }

    #[test]
    fn registry_is_sound() {
        genkit::testing::check().unwrap();
    }
}
