//! Clients of all kinds, which run until they are stopped.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Era, call_params};
use crate::connection::Connection;
use crate::processes::{Serving, behind};
use crate::tally::Tally;
use crate::timely;

/// The delay after which a notification of a change is late.
const LATE: Duration = Duration::from_secs(2);

/// The delay after which a notification of a change is lost.
const LOST: Duration = Duration::from_secs(10);

/// The interval at which a server behind the proxy is killed.
const RESTART: Duration = Duration::from_secs(7);

/// Starts all clients. Clients that abandon sessions and questions are started only if `leaves` is set.
pub(crate) fn all(serving: &Serving, leaves: bool, tally: &Arc<Tally>) -> JoinSet<()> {
    let mut running = JoinSet::new();
    let [server, proxy] = serving.clone().both();
    for number in 0..8_u8 {
        let era = Era::BOTH[usize::from(number) % 2];
        let from = |group: u8| Ipv4Addr::new(127, 2, group, number + 1);
        running.spawn(calls(server, from(1), era, Arc::clone(tally)));
        running.spawn(sessions(server, from(2), number, leaves, Arc::clone(tally)));
        running.spawn(questions(server, from(3), era, number, leaves, Arc::clone(tally)));
        if leaves {
            running.spawn(subscriptions(server, from(4), era, Arc::clone(tally)));
            running.spawn(leaving(server, from(5), era));
        }
        if number < 4 {
            running.spawn(proxied(proxy, from(6), era, Arc::clone(tally)));
        }
    }
    running.spawn(restarts(serving.mark.clone()));
    running
}

async fn opened(to: SocketAddr, from: Ipv4Addr, era: Era, tally: &Tally) -> Client {
    loop {
        match timely("a handshake", Client::new(to, from, era).opened()).await {
            Ok(client) => return client,
            Err(error) => tally.error(&format!("no session: {error}")),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// The factor by which all waits of clients are multiplied.
pub(crate) static PACE: AtomicU64 = AtomicU64::new(1);

async fn rest(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis * PACE.load(Relaxed))).await;
}

/// Calls a tool that adds two numbers, and checks the sum, which is different for each call.
async fn adds(client: &mut Client, tool: &str, number: i64) -> Result<(), String> {
    let arguments = json!({ "a": number, "b": 1 });
    let result = timely("a call", client.call(tool, arguments)).await?;
    let sum = (number + 1).to_string();
    if result["content"][0]["text"] == *sum { Ok(()) } else { Err(result.to_string()) }
}

/// Makes plain calls, with progress, prompts and lists, with a session or without.
async fn calls(to: SocketAddr, from: Ipv4Addr, era: Era, tally: Arc<Tally>) {
    let mut client = opened(to, from, era, &tally).await;
    for number in 0.. {
        let started = Instant::now();
        let result = match number % 8 {
            6 => {
                let mut params = call_params("steps", &json!({ "count": 3 }));
                params["_meta"] = json!({ "progressToken": number });
                let answer = timely("steps", client.ask("tools/call", params)).await;
                answer.map(drop)
            }
            7 => {
                let params = json!({ "name": "greet", "arguments": { "name": "Ada" } });
                timely("a prompt", client.ask("prompts/get", params)).await.map(drop)
            }
            _ => adds(&mut client, "add", number).await,
        };
        tally.call(started.elapsed(), result);
        rest(20).await;
    }
}

/// Opens sessions, uses them, and ends or abandons them.
async fn sessions(to: SocketAddr, from: Ipv4Addr, number: u8, leaves: bool, tally: Arc<Tally>) {
    for round in 0_u64.. {
        let mut client = opened(to, from, Era::Sessions, &tally).await;
        let result = adds(&mut client, "add", round as i64).await;
        tally.call(Duration::ZERO, result);
        // One in eight is abandoned.
        if !(leaves && (round + u64::from(number)).is_multiple_of(8)) {
            end(&mut client).await;
        }
        rest(250).await;
    }
}

/// Ends the session of a client.
async fn end(client: &mut Client) {
    if let Ok(mut ending) = client.connect().await {
        let _ = ending.send((client.head("DELETE") + "\r\n").as_bytes()).await;
        let _ = tokio::time::timeout(LATE, ending.answer()).await;
    }
}

/// Asks questions that are answered, left open on a connection that stays, or abandoned.
async fn questions(
    to: SocketAddr,
    from: Ipv4Addr,
    era: Era,
    number: u8,
    leaves: bool,
    tally: Arc<Tally>,
) {
    let mut client = opened(to, from, era, &tally).await;
    let mut open: Option<Connection> = None;
    for round in 0_u64.. {
        let word = format!("word-{number}-{round}");
        let params = call_params("ask", &json!({ "message": word }));
        match round % 4 {
            0 if leaves => {
                let left = client.begin("tools/call", params).await;
                rest(100).await;
                // In a session it is cancelled after a while, as a real client would.
                if let Ok((id, _)) = left
                    && era == Era::Sessions
                {
                    let cancel = json!({ "requestId": id });
                    let _ = client.tell("notifications/cancelled", cancel).await;
                }
            }
            1 if leaves && era == Era::Modern => open = None,
            1 if leaves => {
                let begun = client.begin("tools/call", params).await;
                open = begun.ok().map(|(_, connection)| connection);
            }
            _ => {
                let answered = timely("a question", answered(&mut client, params, &word)).await;
                tally.call(Duration::from_millis(1), answered);
            }
        }
        rest(300).await;
        // Before a session reaches its limit of open questions. Half of the sessions are ended with their questions,
        // the others are abandoned.
        if round % 16 == 15 && era == Era::Sessions {
            if round % 32 == 15 || !leaves {
                end(&mut client).await;
            }
            client = opened(to, from, era, &tally).await;
        }
    }
    drop(open);
}

async fn answered(client: &mut Client, mut params: Value, word: &str) -> Result<(), String> {
    let yes = json!({ "action": "accept", "content": { "word": word } });
    let text = |error: std::io::Error| error.to_string();
    let last = if client.era == Era::Modern {
        let asked = client.ask("tools/call", params.clone()).await?;
        let requests = asked["result"]["inputRequests"].as_object().cloned().unwrap_or_default();
        let key = requests.keys().next().ok_or_else(|| asked.to_string())?;
        params["requestState"] = asked["result"]["requestState"].clone();
        params["inputResponses"] = json!({ key.as_str(): yes });
        client.ask("tools/call", params).await?
    } else {
        let (_, mut connection) = client.begin("tools/call", params).await.map_err(text)?;
        let head = connection.head().await.map_err(text)?;
        let asked = connection.event().await.map_err(|error| format!("{head:?}: {error}"))?;
        let asked = asked.ok_or("no question")?;
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": yes });
        client.post(&answer).await.map_err(text)?;
        connection.event().await.map_err(text)?.ok_or("no answer")?
    };
    if last["result"].to_string().contains(word) { Ok(()) } else { Err(last.to_string()) }
}

/// Changes a resource, and expects a notification for each change.
async fn subscriptions(to: SocketAddr, from: Ipv4Addr, era: Era, tally: Arc<Tally>) {
    loop {
        if let Err(error) = listening(to, from, era, &tally).await {
            tally.error(&error);
        }
        rest(200).await;
    }
}

/// Listens to a stream for about ten seconds.
async fn listening(to: SocketAddr, from: Ipv4Addr, era: Era, tally: &Tally) -> Result<(), String> {
    let uri = format!("soak://{from}");
    let mut client = opened(to, from, era, tally).await;
    if era == Era::Sessions {
        let subscribed = client.ask("resources/subscribe", json!({ "uri": uri }));
        timely("a subscription", subscribed).await?;
    }
    let mut stream = client.connect().await.map_err(|error| error.to_string())?;
    let wanted = json!({ "resourceSubscriptions": [uri], "toolsListChanged": true });
    let opened = async {
        let opened = client.listen_over(&mut stream, wanted).await;
        opened.map_err(|error| error.to_string())
    };
    timely("a stream", opened).await?;
    for change in 0..8 {
        let started = Instant::now();
        let (tool, arguments, method) = if change % 4 == 3 {
            ("change", json!({}), "notifications/tools/list_changed")
        } else {
            ("touch", json!({ "uri": uri }), "notifications/resources/updated")
        };
        timely("a change", client.call(tool, arguments)).await?;
        let told = tokio::time::timeout(LOST, async {
            while let Ok(Some(event)) = stream.event().await {
                if event["method"] == method {
                    return true;
                }
            }
            false
        });
        match told.await {
            Ok(true) => {
                tally.told.fetch_add(1, Relaxed);
                tally.late.fetch_add(u64::from(started.elapsed() > LATE), Relaxed);
            }
            _ => {
                tally.lost.fetch_add(1, Relaxed);
            }
        }
        rest(700).await;
    }
    Ok(())
}

/// Clients that listen, make a call and disconnect.
async fn leaving(to: SocketAddr, from: Ipv4Addr, era: Era) {
    loop {
        let Ok(mut client) = Client::new(to, from, era).opened().await else { continue };
        if let Ok(mut stream) = client.connect().await {
            let wanted = json!({ "toolsListChanged": true });
            let _ = tokio::time::timeout(LATE, client.listen_over(&mut stream, wanted)).await;
        }
        let params = call_params("steps", &json!({ "count": 100 }));
        let _ = client.begin("tools/call", params).await;
        rest(400).await;
    }
}

/// Makes calls through the proxy, whose servers are killed from time to time.
async fn proxied(to: SocketAddr, from: Ipv4Addr, era: Era, tally: Arc<Tally>) {
    let mut client = opened(to, from, era, &tally).await;
    for number in 0_i64.. {
        let tool = if number % 2 == 0 { "a__add" } else { "b__add" };
        let started = Instant::now();
        match adds(&mut client, tool, number).await {
            Ok(()) => tally.call(started.elapsed(), Ok(())),
            Err(error) if error.contains("another sum") => tally.error(&error),
            Err(_) => {
                tally.restarting.fetch_add(1, Relaxed);
            }
        }
        rest(50).await;
    }
}

/// Kills the servers behind the proxy alternately.
async fn restarts(mark: String) {
    for number in 0_usize.. {
        tokio::time::sleep(RESTART).await;
        let ids = behind(&mark);
        if let Some(id) = ids.get(number % ids.len().max(1)) {
            let mut kill = std::process::Command::new("kill");
            let _ = kill.args(["-9", &id.to_string()]).status();
        }
    }
}
