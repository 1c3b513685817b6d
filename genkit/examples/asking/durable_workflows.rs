//! A durable flow with a child run, a signal and a published status, and a worker with a limit and a schedule.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::durable::{DurableContext as _, FolderStore};
use genkit::{Context, Error, Genkit, Result, flow};
use serde_json::json;

/// Packs the goods of an order.
#[flow]
async fn pack(ctx: &Context, order: u32) -> Result<String> {
    ctx.once("pack", async { Ok::<_, Error>(format!("parcel {order}")) }).await
}

/// Ships an order once it is paid.
#[flow]
async fn ship(ctx: &Context, order: u32) -> Result<String> {
    // The child is created once, runs in any worker, and is cancelled together with this flow.
    let parcel = ctx.start_child_flow("pack", "pack", json!({"order": order})).await?;
    ctx.publish_status("waiting for the payment").await?;
    let cents: u32 = ctx.wait_for_signal("paid").await?; // suspended, for days if needed
    Ok(format!("{} was sent for {cents} cents", parcel.wait().await?))
}

/// Reports on all orders.
#[flow]
async fn report() -> String {
    "nothing to report".to_owned()
}

#[tokio::main]
async fn main() -> Result<()> {
    let genkit = Genkit::builder().durable(FolderStore::open("runs")?).build()?;
    let run = genkit.durable_flow("order-7", "ship", json!({"order": 7})).await?;
    match std::env::args().nth(1).as_deref() {
        // A signal can be sent from any process, even before the flow waits for it.
        Some("paid") => run.signal("paid", 500).await?,
        Some("status") => {
            let status: Option<String> = run.published_status().await?;
            println!("{} {}", run.status().await?.as_str(), status.unwrap_or_default());
        }
        _ => {
            let worker = genkit.work().concurrency_limit("pack", 4);
            worker.schedule_flow("nightly", "0 3 * * *", "report", json!({})).await?;
        }
    }
    Ok(())
}
