//! Agents whose processes are killed repeatedly: during turns, in sub-agents and in background tasks. Nothing that was
//! saved happens twice, and the history contains each step once.
//!
//! The tests of each store include this file. `GENKIT_AGENT_KILLS` sets the number of kills.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use genkit::durable::RunStore;
use genkit::message::{Role, ToolRequest};
use genkit::model::{FnModel, ModelResponse, from_fn};
use genkit::sessions::{Agent, AgentBuilder, AgentInput};
use genkit::{Context, Message, Result, Tool};
use serde_json::{Value, json};

/// The environment variable with the folder, for the processes that are killed.
const FOLDER: &str = "GENKIT_TEST_KILLED_AGENTS";

const KILLS: &str = "GENKIT_AGENT_KILLS";

/// The calls of a turn: the name of the tool, and its input without the number of the turn.
const CALLS: [(&str, &str); 5] = [
    ("step", "first"),
    ("helper", "help"),
    ("delegate_to_worker", "work"),
    ("wait_for_background_tasks", ""),
    ("step", "last"),
];

/// Returns a model that makes these calls after each message of the user, one after the other.
fn caller(calls: &'static [(&'static str, &'static str)]) -> FnModel {
    from_fn("caller", move |request, _| async move {
        let told = request.messages.iter().rposition(|it| it.role == Role::User).unwrap();
        let said = request.messages[told].text();
        let results: Vec<Value> = request.messages[told..]
            .iter()
            .flat_map(Message::tool_responses)
            .map(|response| response.output.clone())
            .collect();
        let Some((name, what)) = calls.get(results.len()) else {
            return ModelResponse::from_text(format!("done {said}"));
        };
        let what = format!("{what} {said}");
        let started = results.last().map_or(Value::Null, |it| it["taskId"].clone());
        let input = match *name {
            "step" => json!({ "what": what }),
            "wait_for_background_tasks" => json!({ "taskIds": [started] }),
            _ => json!({ "task": what }),
        };
        let id = format!("call {}", results.len());
        ModelResponse::from_tool_requests([ToolRequest::new(*name, input).with_id(id)])
    })
}

/// Returns a tool with an effect: a line in a file.
fn step(folder: &Path) -> Tool {
    let folder = folder.to_owned();
    Tool::builder("step", "Does a step.").handler(move |context: Context, input: Value| {
        let folder = folder.clone();
        async move {
            let what = input["what"].as_str().unwrap_or_default().to_owned();
            tokio::time::sleep(Duration::from_millis(3)).await;
            let work = async { append(&folder.join("effects"), &what) };
            context.once("effect", work).await?;
            tokio::time::sleep(Duration::from_millis(3)).await;
            Ok(what)
        }
    })
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?
        .write_all(format!("{line}\n").as_bytes())
}

fn lead(folder: &Path, store: &(impl RunStore + Clone)) -> Result<Agent> {
    let agent = |name: &'static str, calls| -> AgentBuilder {
        let agent = Agent::builder(name).model(caller(calls)).tools([step(folder)]);
        agent
            .store(store.clone())
            .lease(Duration::from_millis(300))
            .queue_timeout(Duration::from_secs(300))
    };
    let helper = agent("helper", &[("step", "a"), ("step", "b")]).build()?;
    let worker = agent("worker", &[("step", "c"), ("step", "d")]).build()?;
    agent("lead", &CALLS).tools([helper.into_tool()?]).background_agents([worker]).build()
}

/// Sends the messages that the session does not contain yet, and the last message again, like a client that does not
/// know which messages arrived. Every other turn runs in the background.
async fn work(agent: &Agent, folder: &Path, until: Option<usize>) {
    let session = agent.session(session_of(folder));
    loop {
        let messages = session.messages().await.unwrap();
        let number = messages.iter().filter(|it| it.text().starts_with("done")).count();
        if until.is_some_and(|until| number >= until) {
            return;
        }
        let message = Message::user(format!("turn {number}"));
        let input = AgentInput::from_message(message).detached(number % 2 == 1);
        let output = session.send_input(input).await.unwrap();
        if number % 2 == 1 {
            let id = output.snapshot_id.unwrap();
            agent.wait_for_snapshot(&id, Duration::from_secs(300)).await.unwrap();
        }
    }
}

/// Returns the id of the session. It is unique, because the store may contain sessions of earlier tests.
fn session_of(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("session")).unwrap()
}

/// Returns the folder of the test, in a process that is killed.
pub(crate) fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Runs turns without end, in a process that is killed.
pub(crate) async fn work_until_killed(folder: &Path, store: impl RunStore + Clone) {
    work(&lead(folder, &store).unwrap(), folder, None).await;
}

fn effects(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("effects")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Runs the child until it has had some effects, and kills it at a different time after them in each round.
async fn kill_child(folder: &Path, environment: Option<(&str, &str)>, round: u64) {
    let before = effects(folder).len();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env(FOLDER, folder)
        .envs(environment)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while effects(folder).len() <= before {
        assert!(Instant::now() < deadline, "round {round} has no effect");
        assert!(child.try_wait().unwrap().is_none(), "round {round} failed");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(Duration::from_millis(round * 7 % 61)).await;
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Kills the test `child` of this program repeatedly, and checks the contents of the store afterwards. The number of
/// kills is `default`, unless the environment sets another number.
pub(crate) async fn survives_kills(
    folder: &Path,
    environment: Option<(&str, &str)>,
    default: u64,
    store: impl RunStore + Clone,
) {
    let kills = std::env::var(KILLS).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    std::fs::write(folder.join("session"), format!("customer {}", std::process::id())).unwrap();
    for round in 0..kills {
        kill_child(folder, environment, round).await;
    }
    let agent = lead(folder, &store).unwrap();
    let session = agent.session(session_of(folder));
    let done =
        |messages: &[Message]| messages.iter().filter(|it| it.text().starts_with("done")).count();
    let turns = done(&session.messages().await.unwrap()) + 2;
    work(&agent, folder, Some(turns)).await;

    let messages = session.messages().await.unwrap();
    let each = CALLS.len() * 2 + 2;
    assert_eq!(
        messages.len(),
        turns * each,
        "{:?}",
        messages.iter().map(Message::text).collect::<Vec<_>>()
    );
    for (number, turn) in messages.chunks(each).enumerate() {
        let said = format!("turn {number}");
        assert_eq!(turn[0].text(), said);
        let names = turn.iter().flat_map(Message::tool_requests).map(|call| call.name.clone());
        assert_eq!(names.collect::<Vec<_>>(), CALLS.map(|(name, _)| name));
        let results: Vec<&Value> =
            turn.iter().flat_map(Message::tool_responses).map(|it| &it.output).collect();
        assert_eq!(results[0], &json!(format!("first {said}")));
        assert_eq!(results[1], &json!(format!("done help {said}")));
        assert_eq!(results[3]["tasks"][0]["response"], format!("done work {said}"), "{results:?}");
        assert_eq!(turn[each - 1].text(), format!("done {said}"));
    }
    let mut counts: HashMap<String, u64> = HashMap::new();
    for effect in effects(folder) {
        *counts.entry(effect).or_default() += 1;
    }
    assert_eq!(counts.len(), turns * 6, "{counts:?}");
    // A kill between an effect and its save repeats the effect.
    let repeated: u64 = counts.values().map(|count| count - 1).sum();
    eprintln!("{kills} kills, {turns} turns, {repeated} effects were repeated");
    assert!(repeated <= 2 * kills, "{counts:?}");
}
