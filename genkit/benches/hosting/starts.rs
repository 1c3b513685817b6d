//! The start of many servers, which should take as long as the slowest one, not as long as all of them together.

use std::time::Instant;

use genkit::mcp::host::{McpHost, ServerConfig, ServerState};

use super::{Effort, median};

const MANY: usize = 10;

pub(crate) async fn measure(effort: &Effort) {
    let (mut one, mut many) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        one.push(start(1).await);
        many.push(start(MANY).await);
    }
    let ratios = many.iter().zip(&one).map(|(many, one)| many / one).collect();
    println!("\nstart of servers that take 300 ms each, ms");
    println!("  {:<42}{:>12.0}", "one", median(one.clone()));
    let (figure, ratio) = (median(many.clone()), median(ratios));
    println!("  {:<42}{figure:>12.0}{ratio:>16.2} x one", format!("{MANY} side by side"));
}

/// Returns the milliseconds from the start until all servers are connected.
async fn start(count: usize) -> f64 {
    let myself = std::env::current_exe().unwrap();
    let slow = || ServerConfig::stdio(&myself).args(["--serve", "slow"]).env("RUST_LOG", "off");
    let servers = (0..count).map(|number| (format!("s{number}"), slow()));
    let started = Instant::now();
    let host = McpHost::builder().servers(servers).build().unwrap();
    host.ready().await;
    let took = started.elapsed().as_secs_f64() * 1e3;
    assert!(host.status().iter().all(|status| status.state == ServerState::Connected));
    host.close().await;
    took
}
