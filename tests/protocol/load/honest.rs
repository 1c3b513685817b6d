//! A client that uses a server normally, and knows the expected responses.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Seen;
use crate::raw::{Client, Era, PATIENCE, call_params};

/// Makes `rounds` rounds of calls, all of which have distinct responses.
pub(super) async fn use_it(client: &mut Client, name: usize, rounds: usize) -> Seen {
    let mut seen = Seen::default();
    for round in 0..rounds {
        let mark = format!("{name}-{round}-{:?}", client.era);
        for kind in 0..6 {
            seen.calls += 1;
            let started = Instant::now();
            let one = tokio::time::timeout(PATIENCE, one(client, kind, &mark));
            match one.await.unwrap_or_else(|_| Err("nothing".to_owned())) {
                // The others wait for an answer.
                Ok(()) if kind < 3 => seen.times.push(started.elapsed()),
                Ok(()) => {}
                Err(error) => seen.wrong.push(format!("{mark}, {kind}: {error}")),
            }
            // Clients do not all send at the same moment.
            tokio::time::sleep(Duration::from_millis(10 + (name as u64 * 7) % 20)).await;
        }
    }
    seen
}

async fn one(client: &mut Client, kind: usize, mark: &str) -> Result<(), String> {
    let answer = match kind {
        0 => {
            let arguments = json!({ "name": mark, "email": "1" });
            client.call("json_schema_2020_12_tool", arguments).await?
        }
        1 => {
            let uri = format!("test://template/{mark}/data");
            client.ask("resources/read", json!({ "uri": uri })).await?["result"].take()
        }
        2 => {
            let arguments = json!({ "arg1": mark, "arg2": "b" });
            let params = json!({ "name": "test_prompt_with_arguments", "arguments": arguments });
            client.ask("prompts/get", params).await?["result"].take()
        }
        3 => return progress(client, mark).await,
        4 => return question(client, mark).await,
        _ => {
            let listed = client.ask("tools/list", json!({})).await?;
            let has = listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 10);
            return if has { Ok(()) } else { Err(listed.to_string()) };
        }
    };
    if answer.to_string().contains(mark) { Ok(()) } else { Err(answer.to_string()) }
}

/// Makes a call that reports progress, and checks that it receives only its own.
async fn progress(client: &mut Client, mark: &str) -> Result<(), String> {
    let mut params = call_params("test_tool_with_progress", &json!({}));
    params["_meta"] = json!({ "progressToken": mark });
    let (id, message) = client.request("tools/call", params);
    let answer = client.post(&message).await.map_err(|error| error.to_string())?;
    let messages = answer.messages();
    let (own, told): (Vec<&Value>, Vec<&Value>) =
        messages.iter().partition(|message| message.get("method").is_none());
    let right = own.len() == 1
        && own[0]["id"] == id
        && own[0]["result"]["content"][0]["text"] == "Done."
        && told.len() == 3
        && told.iter().all(|message| message["params"]["progressToken"] == mark);
    if right { Ok(()) } else { Err(format!("{answer:?}")) }
}

/// Makes a call that asks its user, who answers with the mark.
async fn question(client: &mut Client, mark: &str) -> Result<(), String> {
    let content = json!({ "username": mark, "email": "e" });
    let yes = json!({ "action": "accept", "content": content });
    let arguments = json!({ "message": mark });
    let mut params = call_params("test_elicitation", &arguments);
    let last = if client.era == Era::Modern {
        let asked = client.ask("tools/call", params.clone()).await?;
        let requests = asked["result"]["inputRequests"].as_object().cloned().unwrap_or_default();
        let key = requests.keys().next().ok_or_else(|| asked.to_string())?;
        if !requests[key].to_string().contains(mark) {
            return Err(format!("the question of another: {asked}"));
        }
        params["requestState"] = asked["result"]["requestState"].clone();
        params["inputResponses"] = json!({ key.as_str(): yes });
        client.ask("tools/call", params).await?
    } else {
        let begun = client.begin("tools/call", params).await;
        let (id, mut connection) = begun.map_err(|error| error.to_string())?;
        let head = connection.head().await.map_err(|error| error.to_string())?;
        let mut next = async || match connection.event().await {
            Ok(Some(event)) => Ok(event),
            other => Err(format!("{head:?}: {other:?}")),
        };
        let asked = next().await?;
        if asked["params"]["message"] != mark {
            return Err(format!("the question of another: {asked}"));
        }
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": yes });
        client.post(&answer).await.map_err(|error| error.to_string())?;
        let last = next().await?;
        if last["id"] != id {
            return Err(last.to_string());
        }
        last
    };
    let said = format!("username={mark},");
    if last["result"].to_string().contains(&said) { Ok(()) } else { Err(last.to_string()) }
}
