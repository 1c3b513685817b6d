//! The example `booking`: an agent that is killed and resumed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::postgres;
use crate::{packages, program, server};

/// More than 30 seconds, the time for which a dead process keeps its lease.
const PATIENCE: Duration = Duration::from_secs(120);

const PAID: &str = "Two nights in Lisbon are booked and paid.";

/// The number of points in time at which the agent is killed. A response from its model takes as long as two of the
/// intervals between them, and a booking as long as four.
const POINTS: u32 = 20;
const APART: Duration = Duration::from_millis(75);

/// A trip: its store, and the agency's records.
struct Trip {
    folder: PathBuf,
    store: Vec<String>,
}

impl Trip {
    fn new(name: &str, store: Option<&str>) -> Self {
        let folder = packages::scratch(name);
        let trip = format!("{name}-{}", std::process::id());
        let mut options = vec!["--trip".to_owned(), trip];
        options.extend(store.into_iter().flat_map(|url| ["--store".to_owned(), url.to_owned()]));
        Self { folder, store: options }
    }

    fn agent(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(server::example("booking"));
        command.arg("--state").arg(&self.folder).args(&self.store).args(arguments);
        command
    }

    /// Runs a process to its end, and returns its output.
    fn says(&self, arguments: &[&str]) -> String {
        let ran = program::run(&mut self.agent(arguments), PATIENCE).unwrap();
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        ran.stdout
    }

    /// Starts the agent, and kills it after `life`.
    fn is_killed(&self, life: Duration) {
        let slow = (2 * APART).as_millis().to_string();
        let mut agent = self.agent(&["--yes", "--slow", &slow]);
        let mut agent = agent.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(life);
        agent.kill().unwrap(); // SIGKILL
        agent.wait().unwrap();
    }

    /// Returns the bookings, in order.
    fn booked(&self) -> Vec<String> {
        let lines = fs::read_to_string(self.folder.join("agency.jsonl")).unwrap_or_default();
        let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        lines.lines().map(|text| line(text)["what"].as_str().unwrap().to_owned()).collect()
    }

    /// Checks that everything is booked exactly once.
    fn is_booked(&self) {
        let mut booked = self.booked();
        booked.sort();
        assert_eq!(booked, ["flight: TP537", "hotel: 2 nights in Lisbon", "payment: 409 euros"]);
    }
}

/// Kills agents at every point of their life, each in its own folder and all at the same time. Another process resumes
/// each of them.
fn is_killed_at_every_point(name: &str, store: Option<&str>) {
    server::example("booking"); // built before anything is timed
    std::thread::scope(|scope| {
        for point in 0..POINTS {
            scope.spawn(move || {
                let trip = Trip::new(&format!("{name}-{point}"), store);
                trip.is_killed(APART * point);
                let said = trip.says(&["--yes"]);
                assert!(said.contains(PAID), "killed at point {point}: {said}");
                trip.is_booked();
                // The run is finished: a repeated request returns the response and has no effects.
                assert!(trip.says(&["--yes"]).contains(PAID));
                trip.is_booked();
            });
        }
    });
}

#[test]
fn agent_that_is_killed_at_any_point_continues_and_books_once() {
    is_killed_at_every_point("booking-sqlite", None);
}

#[cfg(target_os = "linux")]
#[test]
fn agent_that_is_killed_at_any_point_continues_with_postgres() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(postgres::Server::start());
    is_killed_at_every_point("booking-postgres", Some(&server.url));
}

#[test]
fn operator_lists_inspects_and_cancels_runs() {
    let trip = Trip::new("booking-operated", None);
    assert_eq!(trip.says(&["runs", "list"]), "");
    trip.says(&[]);
    let listed = trip.says(&["runs", "list", "--status", "input_required"]);
    let id = listed.split('\t').next().unwrap();
    assert!(id.starts_with("booking-operated-") && listed.lines().count() == 1, "{listed}");
    let shown = trip.says(&["runs", "show", id]);
    assert!(shown.contains("book_hotel") && shown.contains("questions: 1\n"), "{shown}");
    assert_eq!(trip.says(&["runs", "cancel", id]), format!("{id}\tcancelled\n"));
    assert_eq!(trip.says(&["runs", "list", "--status", "input_required"]), "");
    let unknown = program::run(&mut trip.agent(&["runs", "show", "unknown"]), PATIENCE).unwrap();
    assert!(unknown.code == Some(1) && unknown.stderr.contains("unknown"), "{}", unknown.story());
    assert_eq!(trip.booked().len(), 2, "nothing was paid");
}

#[test]
fn nothing_is_paid_before_approval() {
    for (answer, end, paid) in
        [("--yes", PAID, true), ("--no", "Two nights in Lisbon are booked, but not paid.", false)]
    {
        let trip = Trip::new(&format!("booking-asks{answer}"), None);
        let said = trip.says(&[]);
        assert!(said.contains("? Allow `pay` to run with {\"euros\":409}?"), "{said}");
        assert!(
            said.ends_with("The run is waiting for an answer; start again with --yes or --no.\n"),
            "{said}"
        );
        assert_eq!(trip.booked().len(), 2);
        let said = trip.says(&[answer]);
        assert!(said.contains("resumed: input_required") && said.contains(end), "{said}");
        assert_eq!(trip.booked().len(), 2 + usize::from(paid));
    }
}
