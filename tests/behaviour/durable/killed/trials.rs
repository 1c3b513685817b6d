//! Runs with everything that is durable and MCP tasks, whose processes are killed at random changes of the store and at
//! system calls, or whose system calls fail. For any store: `open_store` and `Temp` of the parent module open it.
//!
//! `GENKIT_KILLS` sets the number of kills for each store and each kind of kill.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use genkit::Genkit;
use genkit::durable::{FlowOutcome, RunFilter, RunStatus};
use serde_json::json;

use super::calls::{CallKill, Fault, Points, is_strace_available, strace};
use super::everything::{Deadly, ProcessRole, program};
use super::process::Log;
use super::tasks::check_task;
use super::{Temp, open_store};

/// The number of kills at changes for each store, unless `GENKIT_KILLS` sets another.
const KILLS: usize = 25;

/// The number of kills at system calls for each store, unless `GENKIT_KILLS` sets another.
const CALL_KILLS: usize = 50;

/// The model calls of an undisturbed run.
const MODEL_CALLS: usize = 6;

/// The work of the processes that are killed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    /// A run with everything that is durable.
    Everything,
    /// An MCP task.
    Task,
}

impl Work {
    /// Returns the name of the test that is the process.
    fn process(self) -> String {
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = match self {
            Self::Everything => "everything::process_that_does_everything",
            Self::Task => "tasks::process_that_serves_a_task",
        };
        module.replace("trials", test)
    }
}

/// The way in which a process ends before its run.
enum Kill {
    /// At the change of the store with this number; 0 if the process survives.
    Change(usize),
    Call(CallKill),
}

/// Checks that no effect happened after its `once` had returned, and that all happened.
fn check_effects(text: &str, kills: usize) {
    let mut returned = BTreeSet::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("returned", key)) => drop(returned.insert(key)),
            Some(("effect", key)) => assert!(!returned.contains(key), "{key} again: {text}"),
            _ => {}
        }
    }
    assert_eq!(returned.len(), 6, "{text}");
    // A kill may interrupt the model calls of two agents.
    let models = text.lines().filter(|line| *line == "model").count();
    assert!((MODEL_CALLS..=MODEL_CALLS + 2 * kills).contains(&models), "{models}: {text}");
}

/// A run or a task in a store, with its folder.
struct Trial {
    work: Work,
    store: String,
    id: String,
    temp: Temp,
    genkit: Genkit,
}

impl Trial {
    /// Opens the store, which is passed to `open_store`, and starts the run. The first process starts a task.
    async fn start(work: Work, store: &str, kind: &str, number: usize) -> Self {
        let id = format!("{}-{kind}-{number}", store.split(':').next().unwrap());
        let temp = Temp::new(&format!("{work:?}-{id}"));
        let opened = Deadly::new(open_store(store, temp.as_ref()).await, 0);
        let genkit = program(opened, &Log(temp.as_ref().join("log")));
        let this = Self { work, store: store.to_owned(), id, temp, genkit };
        if work == Work::Task {
            return this;
        }
        for run in this.genkit.runs().list(this.children()).await.unwrap() {
            this.genkit.runs().delete(run.id.as_str()).await.unwrap(); // of an earlier test on the same server
        }
        this.genkit.runs().delete(&*this.id).await.unwrap();
        let run = this.genkit.durable_flow(&*this.id, "everything", json!({})).await.unwrap();
        run.signal("number", 7).await.unwrap();
        this
    }

    fn children(&self) -> RunFilter {
        RunFilter::new().tag(format!("parent:{}", self.id))
    }

    /// Runs a process that works on the run, with these options of `strace` if there are any.
    fn run(&self, options: Option<&[String]>) -> Output {
        self.run_until(0, options)
    }

    fn run_until(&self, dies_at: usize, options: Option<&[String]>) -> Output {
        let program = std::env::current_exe().unwrap();
        let mut command = match options {
            Some(options) => strace(program.as_os_str(), options),
            None => Command::new(program),
        };
        let (store, run) = (self.store.clone(), self.id.clone());
        let folder = self.temp.as_ref().to_owned();
        ProcessRole { store, dies_at, run, folder }.pass_to(&mut command);
        command.args(["--exact", &self.work.process()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
    }

    /// Runs a process. Returns whether it was killed.
    fn is_killed(&self, kill: &Kill) -> bool {
        use std::os::unix::process::ExitStatusExt as _;
        let ended = match kill {
            Kill::Change(at) => self.run_until(*at, None),
            Kill::Call(kill) => self.run(Some(&kill.options())),
        };
        let text = String::from_utf8_lossy(&ended.stdout);
        let is_killed = ended.status.signal() == Some(9);
        assert!(is_killed || (ended.status.success() && text.contains("1 passed")), "{text}");
        is_killed
    }

    /// Performs the run under `strace`, and returns its system calls; see [`Points::recording`].
    fn record(&self, files: Vec<String>) -> Points {
        let folder: &Path = self.temp.as_ref();
        let record = folder.join("calls");
        let ended = self.run(Some(&Points::recording(&record, files)));
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        Points::read(&record)
    }

    /// Checks the results of the run and its children, and their effects.
    async fn check(&self, kills: usize) {
        if self.work == Work::Task {
            return check_task(self.temp.as_ref());
        }
        let id = &self.id;
        let run = self.genkit.find_durable_flow(&**id).await.unwrap().unwrap();
        let outcome = run.wait().await.unwrap();
        assert_eq!(outcome, FlowOutcome::Returned(json!("child done done 7")), "{id}");
        let published: Option<String> = run.published_status().await.unwrap();
        assert_eq!(published.as_deref(), Some("signalled"));
        let children = self.genkit.runs().list(self.children()).await.unwrap();
        let statuses: Vec<_> = children.iter().map(|child| child.status).collect();
        assert_eq!(statuses, [Some(RunStatus::Completed); 2], "{id}");
        let text = std::fs::read_to_string(self.temp.as_ref().join("log")).unwrap();
        check_effects(&text, kills);
    }
}

/// Returns the next number of a xorshift generator, so that a failure can be repeated.
fn next_random(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

fn wanted_kills(default: usize) -> usize {
    let kills = std::env::var("GENKIT_KILLS").ok().and_then(|kills| kills.parse().ok());
    kills.unwrap_or(default)
}

/// Kills the processes of runs until there were enough kills.
async fn kill_until_enough(
    work: Work,
    store: &str,
    kind: &str,
    wanted: usize,
    mut next: impl FnMut(u64) -> Kill,
    mut killed: impl FnMut(&Kill),
) {
    let (mut all, mut random) = (0, 88_172_645_463_325_252_u64);
    for number in 0.. {
        let trial = Trial::start(work, store, kind, number).await;
        let mut kills = 0;
        loop {
            let is_enough = all + kills >= wanted;
            let kill = if is_enough { Kill::Change(0) } else { next(next_random(&mut random)) };
            if !trial.is_killed(&kill) {
                break;
            }
            killed(&kill);
            kills += 1;
        }
        trial.check(kills).await;
        all += kills;
        if all >= wanted {
            break;
        }
    }
}

/// Kills the processes of runs at changes. `store` is passed to `open_store`.
pub(super) async fn survives_kills(store: &str) {
    let next = |random: u64| Kill::Change(5 + (random % 20) as usize);
    kill_until_enough(Work::Everything, store, "changes", wanted_kills(KILLS), next, |_| {}).await;
}

/// Kills the processes of runs at their system calls, at each kind of call in turn. `store` is passed to `open_store`.
pub(super) async fn survives_kills_at_calls(work: Work, store: &str) {
    if !is_strace_available() {
        return;
    }
    let trial = Trial::start(work, store, "recorded", 0).await;
    let points = trial.record(Vec::new());
    trial.check(0).await;
    let (mut number, mut calls) = (0, BTreeMap::<String, usize>::new());
    let next = |random: u64| {
        number += 1;
        Kill::Call(points.kill(number, random))
    };
    let killed = |kill: &Kill| {
        if let Kill::Call(kill) = kill {
            *calls.entry(kill.call.clone()).or_default() += 1;
        }
    };
    kill_until_enough(work, store, "calls", wanted_kills(CALL_KILLS), next, killed).await;
    let name = store.split(':').next().unwrap();
    eprintln!(
        "{work:?}, {name}: kills at {} of {} system calls: {calls:?}",
        calls.len(),
        points.calls()
    );
    assert!(calls.len() > 3, "{calls:?}");
}

/// Runs a process whose system calls fail for a while, at several times of the run. The process finishes the run.
/// `store` is passed to `open_store`.
pub(super) async fn survives_faults(store: &str, faults: &[Fault]) {
    if !is_strace_available() {
        return;
    }
    for fault in faults {
        let trial =
            Trial::start(Work::Everything, store, &format!("recorded-{}", fault.call), 0).await;
        let numbers = trial.record(fault.files(trial.temp.as_ref())).numbers(fault.call).to_vec();
        trial.check(0).await;
        for (number, at) in [numbers.len() / 2, numbers.len() * 3 / 4].into_iter().enumerate() {
            let trial = Trial::start(Work::Everything, store, fault.call, number).await;
            let (at, folder): (_, &Path) = (numbers[at], trial.temp.as_ref());
            let ended = trial.run(Some(&fault.options(folder, &format!("{at}..{}", at + 2))));
            let text = String::from_utf8_lossy(&ended.stdout);
            assert!(ended.status.success(), "{fault:?} {at}: {text}");
            trial.check(1).await;
        }
    }
}
