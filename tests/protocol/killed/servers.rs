//! A server of tasks that is killed at each change of its store: an id that was returned is known, the task ends, no
//! effect happens twice, and the user is not asked twice.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::{Duration, Instant};

use genkit::{Genkit, Registry, tools};
use genkit_tests::print_uncaptured;
use serde_json::{Value, json};

use super::deadly::{Role, announced, was_killed};
use super::worker::{Log, pay};
use crate::http::wire::Wire;
use crate::packages::scratch;
use crate::postgres;

const CHILD: &str = "killed::servers::process_that_serves";

/// The time limit of one trial: a task that was created but not begun is not touched for 30 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process of the tests below. If run directly, it only checks that it has no role.
#[test]
fn process_that_serves() {
    let Some(role) = Role::of_this() else {
        assert!(std::env::var_os("GENKIT_TASK_ROLE").is_none());
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let genkit = Genkit::builder()
            .registry(Registry::new().add(tools![pay]))
            .state(Log(role.folder.join("log")))
            .durable(role.store().await)
            .build()
            .unwrap();
        let file = role.folder.join(format!("address-{}", std::process::id()));
        std::fs::write(file, format!("http://{address}/mcp\n")).unwrap();
        genkit.serve_mcp().listener(listener).await.unwrap();
    });
}

/// A server that is restarted after it was killed.
struct Instance {
    role: Role,
    child: Child,
    url: Option<String>,
    lives: usize,
    /// If true, another instance continues after this one was killed.
    is_replaced: bool,
}

impl Instance {
    fn start(role: Role) -> Self {
        let mut child = role.start(CHILD);
        let file = role.folder.join(format!("address-{}", child.id()));
        let url = announced(&mut child, &file);
        Self { role, child, url, lives: 1, is_replaced: false }
    }

    /// Sends a request. Returns `None` if the server was killed by it; the next one reaches another process.
    fn ask(&mut self, method: &str, name: &str, mut params: Value) -> Option<Value> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
        });
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", name),
        ];
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let sent = self
            .url
            .as_ref()
            .map(|url| Wire::to(url).send("POST", &headers, request.to_string().as_bytes()));
        match sent {
            Some(Ok(answer)) => Some(answer.message()),
            _ => {
                assert!(was_killed(&mut self.child), "only a killed server does not answer");
                if self.is_replaced {
                    return None;
                }
                let lives = self.lives + 1;
                *self = Self::start(Role { dies_at: 0, ..self.role.clone() });
                self.lives = lives;
                None
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates a task and follows it to its end, at any instance that responds. Returns its id and the number of questions.
fn see_through(begins: &mut Instance, mut goes_on: Option<&mut Instance>) -> (String, usize) {
    let call = json!({"name": "pay", "arguments": {}});
    let created = loop {
        // If the id was not returned, no client knows the task, so the tool is called again.
        if let Some(created) = begins.ask("tools/call", "pay", call.clone()) {
            break created;
        }
    };
    let id = created["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{created}")).to_owned();
    let (mut asked, mut taken) = (BTreeMap::new(), BTreeSet::new());
    let until = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < until, "the task does not end");
        std::thread::sleep(Duration::from_millis(20));
        let instance = match &mut goes_on {
            Some(other) if begins.child.try_wait().unwrap().is_some() => other,
            _ => &mut *begins,
        };
        let Some(got) = instance.ask("tasks/get", &id, json!({"taskId": id})) else { continue };
        let task = &got["result"];
        assert_eq!(task["taskId"], *id, "a returned id is not known: {got}");
        match task["status"].as_str().unwrap() {
            "working" => {}
            "completed" => {
                assert_eq!(task["result"]["content"][0]["text"], "paid by Ada", "{got}");
                return (id, asked.len());
            }
            "input_required" => {
                let open = task["inputRequests"].as_object().unwrap();
                for key in open.keys() {
                    assert!(!taken.contains(key), "`{key}` is asked again");
                    // The user is asked once for each key.
                    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
                    let answer = asked.entry(key.clone()).or_insert(answer).clone();
                    let answers = json!({"taskId": id, "inputResponses": {key: answer}});
                    if instance.ask("tasks/update", &id, answers).is_some() {
                        taken.insert(key.clone());
                    }
                }
            }
            other => panic!("it ended as {other}: {got}"),
        }
    }
}

/// Kills a server at its first change, the next at its second, and so on, before and after the change.
fn dies_at_each_change(store: &str, name: &str) {
    let mut trials = 0;
    for dies_after in [false, true] {
        for dies_at in 1.. {
            let folder = scratch(&format!("killed-{name}-{dies_after}-{dies_at}"));
            let (store, other, lease_ms) = (store.to_owned(), String::new(), 1);
            let log = Log(folder.join("log"));
            let role = Role { folder, store, dies_at, dies_after, lease_ms, other };
            let mut server = Instance::start(role);
            let (id, asked) = see_through(&mut server, None);
            let (lines, was_killed) = (log.lines(), server.lives > 1);
            let story = || format!("{name} {dies_at} {dies_after}: {lines:?}");
            for step in ["charge", "tell"] {
                let key = format!("{id}/0/0/{step}");
                let times = lines.iter().filter(|line| **line == key).count();
                // Work that was not saved is repeated, with the same key.
                let most = 1 + usize::from(was_killed && !dies_after);
                assert!((1..=most).contains(&times), "{}", story());
            }
            // The first question and the second, which is a different one.
            assert_eq!(asked, 2, "{}", story());
            if !was_killed {
                break;
            }
            trials += 1;
        }
    }
    print_uncaptured(&format!("tasks killed with -9, {name}: {trials} times\n"));
    assert!(trials >= 12, "{trials}");
}

#[test]
fn server_of_tasks_that_is_killed_at_any_change_is_succeeded_with_a_folder() {
    dies_at_each_change("folder", "folder");
}

#[test]
fn server_of_tasks_that_is_killed_at_any_change_is_succeeded_with_sqlite() {
    dies_at_each_change("sqlite", "sqlite");
}

#[test]
fn server_of_tasks_that_is_killed_at_any_change_is_succeeded_with_postgres() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(postgres::Server::start());
    dies_at_each_change(&server.url, "postgres");
}

#[test]
fn another_instance_that_runs_continues_with_the_task_of_one_that_was_killed() {
    // At the `once`, at the question, at the answer, and at the second `once`.
    for dies_at in [2, 3, 4, 5] {
        let folder = scratch(&format!("killed-other-{dies_at}"));
        let (store, other) = ("sqlite".to_owned(), String::new());
        let log = Log(folder.join("log"));
        let role = Role { folder, store, dies_at, dies_after: true, lease_ms: 3000, other };
        let mut living = Instance::start(Role { dies_at: 0, ..role.clone() });
        let mut doomed = Instance::start(role);
        doomed.is_replaced = true;
        let (id, asked) = see_through(&mut doomed, Some(&mut living));
        assert!(doomed.child.try_wait().unwrap().is_some(), "{dies_at}: it was killed");
        let lines = log.lines();
        for step in ["charge", "tell"] {
            let key = format!("{id}/0/0/{step}");
            assert_eq!(lines.iter().filter(|line| **line == key).count(), 1, "{dies_at} {lines:?}");
        }
        assert_eq!(asked, 2, "{dies_at}");
    }
}
