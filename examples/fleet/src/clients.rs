//! Two clients of the fleet, one of each protocol.

#![allow(clippy::print_stdout, reason = "this is a program for a person")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use genkit::mcp::host::{McpClient, McpHost, ProtocolEra, ServerConfig};
use genkit::{Elicited, ErrorContext as _, Result};
use serde_json::json;

/// How long the load lasts.
pub(crate) const LOAD: Duration = Duration::from_secs(2);

/// How often a call that failed is repeated.
const TRIES: u32 = 5;

pub(crate) struct Clients {
    host: McpHost,
    newer: McpClient,
    older: McpClient,
}

/// What a client saw under load.
#[derive(Default)]
struct Seen {
    at_once: u32,
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
        println!("2026-07-28: answered by {}", who(&self.newer, 6).await?.join(", "));
        let booked = self.newer.call_tool("book", json!({ "seats": 2 })).await?;
        println!("2026-07-28: {}", booked.as_str().unwrap_or_default());
        println!("sessions:   answered by {}", who(&self.older, 6).await?.join(", "));
        Ok(())
    }

    /// Calls by both, all the time.
    pub(crate) fn load(&self) -> impl Future<Output = Result<()>> + use<> {
        let begin = |client: &McpClient| tokio::spawn(under_load(client.clone()));
        let (newer, older) = (begin(&self.newer), begin(&self.older));
        async move {
            for (name, seen) in [("2026-07-28:", newer), ("sessions:  ", older)] {
                let Seen { at_once, repeated, lost } = seen.await.context("a client ended")?;
                let calls = at_once + repeated + lost;
                println!(
                    "{name} {calls} calls: {at_once} answered, {repeated} told as failed and answered when repeated, \
                     {lost} lost"
                );
            }
            Ok(())
        }
    }

    pub(crate) async fn show_who_is_left(&self) -> Result<()> {
        let mut left = BTreeSet::new();
        for client in [&self.newer, &self.older] {
            left.extend(who(client, 6).await?);
        }
        println!("answered after that by {}", left.into_iter().collect::<Vec<_>>().join(", "));
        Ok(())
    }

    pub(crate) async fn close(&self) {
        self.host.close().await;
    }
}

/// Who answers so many calls, one after the other.
async fn who(client: &McpClient, calls: usize) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for _ in 0..calls {
        let name = client.call_tool("answered_by", json!({})).await?;
        names.push(name.as_str().unwrap_or_default().to_owned());
    }
    Ok(names)
}

async fn under_load(client: McpClient) -> Seen {
    let (mut seen, end) = (Seen::default(), Instant::now() + LOAD);
    while Instant::now() < end {
        let mut tries = 0;
        // It only reads, so that it may be repeated.
        while tries < TRIES && client.call_tool("answered_by", json!({})).await.is_err() {
            tries += 1;
        }
        match tries {
            0 => seen.at_once += 1,
            TRIES => seen.lost += 1,
            _ => seen.repeated += 1,
        }
    }
    seen
}
