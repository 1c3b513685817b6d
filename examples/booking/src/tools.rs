//! The tools of the agent.

use genkit::{Context, Error, Result, tool};

use crate::agency::Agency;

/// Searches for flights to a city, with their prices in euros.
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
    /// The flight number from `search_flights`.
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

/// Pays for everything. The program asks the user for approval, so do not ask yourself.
#[tool(needs_approval, destructive)]
pub(crate) async fn pay(
    ctx: &Context,
    agency: &Agency,
    #[schemars(range(min = 1))] euros: u32,
) -> Result<String> {
    booked(ctx, agency, "payment", format!("{euros} euros")).await
}

/// Books once: the result of `once` is saved and not computed again. If the process ends before the result is saved,
/// the booking is repeated with the same key, and the agency returns the existing booking.
async fn booked(ctx: &Context, agency: &Agency, step: &str, what: String) -> Result<String> {
    let key = ctx.idempotency_key(step);
    let key = key.ok_or_else(|| Error::invalid_argument("booking needs a durable run"))?;
    let number = ctx.once(step, agency.book(key, format!("{step}: {what}"))).await?;
    Ok(format!("{step} {number}: {what}"))
}
