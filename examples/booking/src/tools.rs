//! What the agent can do.

use genkit::{Context, Error, Result, tool};

use crate::agency::Agency;

/// Flights to a city, with their prices in euros.
#[tool(read_only)]
pub(crate) async fn search_flights(
    /// The city, for example `Lisbon`.
    to: String,
) -> Vec<String> {
    vec![format!("TP537 to {to}: 129 euros"), format!("LH1172 to {to}: 214 euros")]
}

/// Books a seat on a flight.
#[tool]
pub(crate) async fn book_flight(
    ctx: &Context,
    agency: &Agency,
    /// Its number, as `search_flights` gives it.
    flight: String,
) -> Result<String> {
    booked(ctx, agency, "flight", flight).await
}

/// Books a room.
#[tool]
pub(crate) async fn book_hotel(
    ctx: &Context,
    agency: &Agency,
    city: String,
    #[schemars(range(min = 1, max = 30))] nights: u32,
) -> Result<String> {
    booked(ctx, agency, "hotel", format!("{nights} nights in {city}")).await
}

/// Pays for everything. The user is asked by the program, not by you.
#[tool(needs_approval, destructive)]
pub(crate) async fn pay(
    ctx: &Context,
    agency: &Agency,
    #[schemars(range(min = 1))] euros: u32,
) -> Result<String> {
    booked(ctx, agency, "payment", format!("{euros} euros")).await
}

/// What is in `once` is saved as soon as it is done, and not done again. Where the process ends before that, it is done
/// again with the same key, which the agency knows.
async fn booked(ctx: &Context, agency: &Agency, step: &str, what: String) -> Result<String> {
    let key = ctx.idempotency_key(step);
    let key =
        key.ok_or_else(|| Error::invalid_argument("trips are booked by durable runs alone"))?;
    let number = ctx.once(step, agency.book(key, format!("{step}: {what}"))).await?;
    Ok(format!("{step} {number}: {what}"))
}
