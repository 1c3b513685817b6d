//! Properties of sessions in every store.

use std::time::{Duration, Instant};

use genkit::context::Progress;
use genkit::mcp::McpServer;
use genkit::{Context, Genkit, Registry, Result, tool, tools};
use serde_json::{Value, json};

use super::{Instance, Place};
use crate::http::raw::Raw;
use crate::http::wire::{Wire, call, in_session};

/// Counts to ten, and says where it is.
#[tool]
async fn count(ctx: &Context, pause: u64) -> &'static str {
    for step in 1..=10 {
        ctx.progress(Progress::new(f64::from(step))).await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    "counted to ten"
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool]
async fn greet(ctx: &Context) -> Result<String> {
    let name = ctx.elicit::<Name>("Who are you?").await?.accepted()?.name;
    Ok(format!("Hello, {name}!"))
}

pub(super) fn server() -> McpServer {
    let registry = Registry::new().add(tools![count, greet]);
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

pub(super) fn all(place: &Place) {
    a_session_goes_on_elsewhere_and_after_a_restart(place);
    a_stream_is_read_elsewhere_to_its_answer(place);
    an_answer_reaches_only_who_asked(place);
    who_waits_for_a_dead_instance_is_told(place);
}

fn a_session_goes_on_elsewhere_and_after_a_restart(place: &Place) {
    let (one, two) = (Instance::of(place), Instance::of(place));
    let session = Wire::to(&one.url()).open(&[]);
    let counts = |instance: &Instance| {
        let answer = Wire::to(&instance.url()).call(&session, "count", &json!({ "pause": 0 }));
        answer.status == 200 && answer.text.contains("counted to ten")
    };
    assert!(counts(&two) && counts(&one));
    drop((one, two));
    let restarted = Instance::of(place);
    assert!(counts(&restarted), "after a restart of all");
    let wire = Wire::to(&restarted.url());
    assert_eq!(wire.send("DELETE", &in_session(&session), b"").expect("an answer").status, 204);
    let later = Instance::of(place);
    assert_eq!(Wire::to(&later.url()).call(&session, "count", &json!({ "pause": 0 })).status, 404);
}

/// Returns a call that requests progress, with this id.
fn watched(id: &str, pause: u64) -> Value {
    let mut call = call("count", &json!({ "pause": pause }));
    call["id"] = id.into();
    call["params"]["_meta"] = json!({ "progressToken": "t" });
    call
}

/// Returns the ids of events, in their order.
fn ids(events: &str) -> Vec<&str> {
    events.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
}

/// Begins a call at an instance, reads some events, and loses the connection. Returns the last id, and everything read.
fn broken_off(at: &Instance, session: &str, call: &Value) -> (String, String) {
    let mut raw = Raw::to(at.address);
    raw.post(&in_session(session), call);
    assert_eq!(raw.head().expect("an answer").status, 200);
    let mut seen = String::new();
    while ids(&seen).len() < 4 {
        seen += &raw.chunk();
    }
    (ids(&seen).last().expect("an id").to_string(), seen)
}

fn resumed(at: &Instance, session: &str, last: &str) -> String {
    let mut raw = Raw::to(at.address);
    raw.get(&[&in_session(session)[..], &[("last-event-id", last)]].concat());
    let head = raw.head().expect("an answer");
    assert_eq!(head.status, 200);
    // A stream without events has a length.
    if head.header("content-length").is_some() { raw.body(&head) } else { raw.chunks() }
}

fn a_stream_is_read_elsewhere_to_its_answer(place: &Place) {
    let (one, two) = (Instance::of(place), Instance::of(place));
    let session = Wire::to(&one.url()).open(&[]);
    let (last, seen) = broken_off(&one, &session, &watched("7", 100));
    let rest = resumed(&two, &session, &last);
    let told = |events: &str| events.matches("notifications/progress").count();
    assert_eq!(told(&seen) + told(&rest), 10, "{seen}{rest}");
    assert!(rest.contains("counted to ten") && rest.contains(r#""id":"7""#), "{rest}");
    // The stream can also be read after it is complete, at each instance and from any event on.
    for instance in [&one, &two] {
        let again = resumed(instance, &session, &last);
        assert_eq!(told(&again), told(&rest), "{again}");
        assert!(again.contains("counted to ten"), "{again}");
        let ids = ids(&rest);
        let end = resumed(instance, &session, ids[ids.len() - 2]);
        assert!(told(&end) == 0 && end.contains("counted to ten"), "{end}");
        assert_eq!(resumed(instance, &session, ids[ids.len() - 1]), "");
        let absurd = last.split_once('-').expect("two numbers").0;
        assert_eq!(resumed(instance, &session, &format!("{absurd}-{}", u64::MAX)), "");
    }
    // A caller that did not open the session can read none of it.
    let other = Wire::to(&two.url()).open(&[]);
    assert_eq!(resumed(&two, &other, &last), "");
}

fn an_answer_reaches_only_who_asked(place: &Place) {
    let (one, two) = (Instance::of(place), Instance::of(place));
    let mut hello = crate::http::wire::initialize();
    hello["params"]["capabilities"] = json!({ "elicitation": {} });
    let wire = Wire::to(&one.url());
    let session = wire.post(&[], &hello).header("mcp-session-id").expect("a session").to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(wire.post(&in_session(&session), &ready).status, 202);
    let ask = |at: &Instance| {
        let mut raw = Raw::to(at.address);
        raw.post(&in_session(&session), &call("greet", &json!({})));
        raw.head().expect("an answer");
        let mut seen = String::new();
        while !seen.contains("elicitation/create") {
            seen += &raw.chunk();
        }
        let mut data = seen.lines().filter_map(|line| line.strip_prefix("data: {"));
        let question: Value =
            serde_json::from_str(&format!("{{{}", data.next_back().unwrap())).unwrap();
        (raw, question["id"].clone())
    };
    // Both ask in one session, and neither uses the other's answer.
    let ((mut of_one, asked_one), (mut of_two, asked_two)) = (ask(&one), ask(&two));
    let answer = |id: &Value, name: &str| {
        let content = json!({ "name": name });
        json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": content } })
    };
    let send =
        |at: &Instance, answer: &Value| Wire::to(&at.url()).post(&in_session(&session), answer);
    for (at, id) in [(&two, &asked_one), (&one, &asked_two)] {
        let refused = send(at, &answer(id, "nobody"));
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text.contains("it was asked by another instance"), "{refused:?}");
    }
    assert_eq!(send(&one, &answer(&asked_one, "Ada")).status, 202);
    assert_eq!(send(&two, &answer(&asked_two, "Grace")).status, 202);
    assert!(of_one.chunks().contains("Hello, Ada!") && of_two.chunks().contains("Hello, Grace!"));
}

fn who_waits_for_a_dead_instance_is_told(place: &Place) {
    let (one, two) = (Instance::of(place), Instance::of(place));
    let session = Wire::to(&one.url()).open(&[]);
    let (last, _) = broken_off(&one, &session, &watched("dead", 5_000));
    drop(one);
    let began = Instant::now();
    let rest = resumed(&two, &session, &last);
    assert!(rest.contains("is gone, and the outcome of the call is unknown"), "{rest}");
    assert!(rest.contains(r#""id":"dead""#), "{rest}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    assert!(resumed(&two, &session, &last).contains("is unknown"), "told again, and at once");
}
