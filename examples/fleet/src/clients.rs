//! Two clients of the fleet, one per protocol.

#![allow(clippy::print_stdout, reason = "an interactive program")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use genkit::mcp::host::{McpClient, McpHost, ProtocolEra, ServerConfig};
use genkit::{Elicited, ErrorContext as _, Result};
use serde_json::json;

/// The duration of the load.
pub(crate) const LOAD: Duration = Duration::from_secs(2);

/// The maximum number of attempts per call.
const TRIES: u32 = 5;

pub(crate) struct Clients {
    host: McpHost,
    newer: McpClient,
    older: McpClient,
}

/// The results of a client under load.
#[derive(Default)]
struct LoadResults {
    first_try: u32,
    repeated: u32,
    lost: u32,
}

impl Clients {
    pub(crate) async fn connect(url: &str) -> Result<Self> {
        let of = |era| ServerConfig::http(url).protocol(era);
        let host = McpHost::builder()
            .server("newer", of(ProtocolEra::Stateless))
            .server("older", of(ProtocolEra::Sessions))
            .on_elicit(|_| async { Elicited::Accepted(json!({ "name": "Ada" })) })
            .build()?;
        let (newer, older) = (host.client("newer")?, host.client("older")?);
        newer.ready().await?;
        older.ready().await?;
        Ok(Self { host, newer, older })
    }

    pub(crate) async fn show_who_answers(&self) -> Result<()> {
        println!("2026-07-28: answered by {}", instance_names(&self.newer, 6).await?.join(", "));
        let booked = self.newer.call_tool("book", json!({ "seats": 2 })).await?;
        println!("2026-07-28: {}", booked.as_str().unwrap_or_default());
        println!("sessions:   answered by {}", instance_names(&self.older, 6).await?.join(", "));
        Ok(())
    }

    /// Calls continuously with both clients.
    pub(crate) fn load(&self) -> impl Future<Output = Result<()>> + use<> {
        let begin = |client: &McpClient| tokio::spawn(under_load(client.clone()));
        let (newer, older) = (begin(&self.newer), begin(&self.older));
        async move {
            for (name, seen) in [("2026-07-28:", newer), ("sessions:  ", older)] {
                let LoadResults { first_try: at_once, repeated, lost } =
                    seen.await.context("a client panicked")?;
                let calls = at_once + repeated + lost;
                println!(
                    "{name} {calls} calls: {at_once} answered, {repeated} failed and answered when repeated, \
                     {lost} lost"
                );
            }
            Ok(())
        }
    }

    pub(crate) async fn show_who_is_left(&self) -> Result<()> {
        let mut left = BTreeSet::new();
        for client in [&self.newer, &self.older] {
            left.extend(instance_names(client, 6).await?);
        }
        println!("answered afterwards by {}", left.into_iter().collect::<Vec<_>>().join(", "));
        Ok(())
    }

    pub(crate) async fn close(&self) {
        self.host.close().await;
    }
}

/// Returns the names of the instances that answer a number of successive calls.
async fn instance_names(client: &McpClient, calls: usize) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for _ in 0..calls {
        let name = client.call_tool("answered_by", json!({})).await?;
        names.push(name.as_str().unwrap_or_default().to_owned());
    }
    Ok(names)
}

async fn under_load(client: McpClient) -> LoadResults {
    let (mut seen, end) = (LoadResults::default(), Instant::now() + LOAD);
    while Instant::now() < end {
        let mut tries = 0;
        // The tool is read-only, so it is safe to repeat the call.
        while tries < TRIES && client.call_tool("answered_by", json!({})).await.is_err() {
            tries += 1;
        }
        match tries {
            0 => seen.first_try += 1,
            TRIES => seen.lost += 1,
            _ => seen.repeated += 1,
        }
    }
    seen
}
