//! Sequential and concurrent calls.

use std::time::Instant;

use genkit::mcp::host::ProtocolEra;

use super::clients::{Client, Place};
use super::{Effort, median};

/// The number of calls in flight.
const IN_FLIGHT: usize = 64;

/// The clients that take turns in each round. The first is the baseline.
const WHO: [&str; 3] = ["rmcp", "host", "host, newest protocol"];

async fn open(who: usize, place: Place) -> Client {
    match who {
        0 => Client::rmcp(place).await,
        1 => Client::host(place, ProtocolEra::Sessions).await,
        _ => Client::host(place, ProtocolEra::Stateless).await,
    }
}

pub(crate) async fn measure(effort: Effort, place: Place) {
    let mut p50: [Vec<f64>; 3] = Default::default();
    let mut rate: [Vec<f64>; 3] = Default::default();
    for round in 0..effort.rounds {
        for turn in 0..WHO.len() {
            // A different client is first in each round.
            let who = (turn + round) % WHO.len();
            let client = open(who, place).await;
            p50[who].push(one_by_one(&client, effort.calls).await);
            rate[who].push(many_at_once(&client, &effort).await);
            client.close().await;
        }
    }
    let title = place.title();
    // More is better in both columns of ratios.
    show(&format!("{title}, one by one, p50, us"), &p50, |own, rmcp| rmcp / own);
    show(&format!("{title}, {IN_FLIGHT} in flight, calls/s"), &rate, |own, rmcp| own / rmcp);
}

fn show(title: &str, samples: &[Vec<f64>; 3], ratio: impl Fn(f64, f64) -> f64) {
    println!("\n{title:<44}{:>12}{:>16}", "", "speed x rmcp");
    for (who, own) in WHO.iter().zip(samples) {
        let ratios = own.iter().zip(&samples[0]).map(|(own, rmcp)| ratio(*own, *rmcp));
        let (figure, ratio) = (median(own.clone()), median(ratios.collect()));
        let budget = if *who == "host" { "   budget at least 0.95" } else { "" };
        println!("  {who:<42}{figure:>12.1}{ratio:>16.3}{budget}");
    }
}

/// Returns the median time of a call, in microseconds.
async fn one_by_one(client: &Client, calls: usize) -> f64 {
    for a in 0..calls / 10 {
        client.add(a).await;
    }
    let mut times = Vec::with_capacity(calls);
    for a in 0..calls {
        let started = Instant::now();
        client.add(a).await;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    median(times)
}

/// Returns the number of calls per second.
async fn many_at_once(client: &Client, effort: &Effort) -> f64 {
    let (started, burst) = (Instant::now(), effort.burst);
    let callers: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut done = 0;
                while started.elapsed() < burst {
                    client.add(done).await;
                    done += 1;
                }
                done
            })
        })
        .collect();
    let mut done = 0;
    for caller in callers {
        done += caller.await.unwrap();
    }
    done as f64 / started.elapsed().as_secs_f64()
}
