//! `examples/desktop`, as started by a user.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::mark::{self, Mark};
use crate::program::{self, Ran};
use crate::{packages, server};

/// The time limit of one start.
const PATIENCE: Duration = Duration::from_secs(120);

/// The desktop with `notes` and a program that does not exist.
struct Desktop {
    mark: Mark,
    config: String,
}

impl Desktop {
    fn new(test: &str) -> Self {
        let mark = Mark::new(&format!("desktop-{test}"));
        let scratch = packages::scratch(&format!("desktop-{test}"));
        let database = scratch.join("notes.db");
        let env = json!({ mark::VARIABLE: mark.name() });
        let servers = json!({"mcpServers": {
            "notes": {"command": server::example("notes"), "args": [database], "env": env},
            "gone": {"command": "no-such-program-anywhere"},
            "off": {"command": "node", "disabled": true},
        }});
        let config = scratch.join("mcp.json");
        std::fs::write(&config, servers.to_string()).unwrap();
        Self { mark, config: config.to_string_lossy().into_owned() }
    }

    /// Runs it to its end, and checks that none of its servers is left.
    fn run(&self, arguments: &[&str]) -> Ran {
        let mut desktop = Command::new(server::example("desktop"));
        desktop.arg(&self.config).args(["--model", "offline"]).args(arguments);
        let ran = program::run(desktop.env_remove("RUST_LOG"), PATIENCE).unwrap();
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        assert_eq!(self.mark.processes(), [0; 0], "{}", ran.story());
        ran
    }

    /// Types these lines, and checks that it succeeds.
    fn talk(&self, lines: &str) -> Ran {
        let ran = self.typed(&[&self.config], lines);
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        ran
    }

    /// Types these lines in the folder of the configuration.
    fn typed(&self, arguments: &[&str], lines: &str) -> Ran {
        let folder = Path::new(&self.config).parent().unwrap();
        let input = folder.join("typed.txt");
        std::fs::write(&input, lines).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "input=$1; shift; exec \"$0\" --model offline \"$@\" < \"$input\""]);
        shell.arg(server::example("desktop")).arg(&input).args(arguments).current_dir(folder);
        let ran = program::run(shell.env_remove("RUST_LOG"), PATIENCE).unwrap();
        assert_eq!(self.mark.processes(), [0; 0], "{}", ran.story());
        ran
    }
}

#[test]
fn list_shows_every_server_and_all_that_it_offers() {
    let ran = Desktop::new("list").run(&["--list"]);
    let rows: Vec<Vec<&str>> =
        ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    let has = |row: &[&str]| {
        assert!(rows.iter().any(|found| found.starts_with(row)), "{row:?}\n{}", ran.story());
    };
    has(&["SERVER", "STATE", "PROTOCOL"]);
    has(&["notes", "connected", "2026-07-28", "notes"]);
    has(&["tool", "add_note", "Saves", "a", "note."]);
    has(&["tool", "!", "delete_note", "Deletes"]);
    has(&["prompt", "summarize"]);
    has(&["resource", "note://{id}"]);
    has(&["gone", "failed", "-", "cannot", "find", "the", "program"]);
    has(&["off", "disabled", "-"]);
    assert!(!ran.stdout.contains("answer"), "{}", ran.story());
}

#[test]
fn demo_calls_a_tool_and_shows_each_step() {
    let ran = Desktop::new("demo").run(&["--demo"]);
    let steps: Vec<_> = ran.stdout.lines().skip_while(|line| !line.starts_with('>')).collect();
    let [_, call, result, answer] = steps[..] else { panic!("{}", ran.story()) };
    assert!(call.starts_with("call      notes/add_note({"), "{}", ran.story());
    assert!(result.starts_with("result    {\"id\":1,"), "{}", ran.story());
    assert!(answer.starts_with("answer    ") && answer.contains("buy milk"), "{}", ran.story());
    assert!(ran.stderr.contains("(model: offline, which"), "{}", ran.story());
}

#[test]
fn destructive_call_asks_for_approval() {
    let desktop = Desktop::new("chat");
    desktop.run(&["--demo"]);
    let ran = desktop.talk("Delete note 1.\nno\n\n");
    assert!(ran.stdout.contains("? Call notes/delete_note with"), "{}", ran.story());
    assert!(ran.stdout.contains("[y/N] no\n"), "{}", ran.story());
    assert!(!ran.stdout.contains("result    {\"id\":1"), "{}", ran.story());
    // First the desktop asks, and then the server.
    let ran = desktop.talk("Delete note 1.\ny\ny\n\n");
    assert!(ran.stdout.contains("result    {\"id\":1,\"text\":\"buy milk\""), "{}", ran.story());
    let asked = ran.stdout.matches("\n? ").count();
    assert_eq!(asked, 2, "{}", ran.story());
    assert_eq!(desktop.mark.processes(), [0; 0]);
}

/// The hints of a server's tools are not trusted: `add_note` declares that it destroys nothing, and still needs
/// approval.
#[test]
fn each_call_asks_until_the_user_answers_always() {
    let desktop = Desktop::new("always");
    let asked = |ran: &Ran| ran.stdout.matches("? Call notes/add_note with").count();
    let add = |what: &str| format!("Add a note that says: {what}.\n");
    let ran = desktop.talk(&format!("{}n\n{}y\n\n", add("buy milk"), add("buy bread")));
    assert_eq!(asked(&ran), 2, "{}", ran.story());
    assert_eq!(ran.stdout.matches("result    {\"id\":").count(), 1, "{}", ran.story());
    let ran = desktop.talk(&format!("{}a\n{}\n", add("buy salt"), add("buy rice")));
    assert_eq!(asked(&ran), 1, "{}", ran.story());
    assert_eq!(ran.stdout.matches("result    {\"id\":").count(), 2, "{}", ran.story());
    // For this start only.
    let ran = desktop.talk(&format!("{}\n\n", add("buy tea")));
    assert_eq!(asked(&ran), 1, "{}", ran.story());
}

/// The configuration in a folder determines which programs are started.
#[test]
fn discovered_configuration_requires_confirmation() {
    let desktop = Desktop::new("folder");
    for (arguments, lines) in
        [(vec![], "n\n"), (vec![], ""), (vec!["--list"], ""), (vec!["--demo"], "y\n")]
    {
        let ran = desktop.typed(&arguments, lines);
        assert_eq!(ran.code, Some(1), "{}", ran.story());
        assert!(
            !ran.stdout.contains("connected") && !ran.stderr.contains("is connec"),
            "{}",
            ran.story()
        );
        assert!(ran.stderr.contains("pass its path"), "{}", ran.story());
    }
    let ran = desktop.typed(&[], "y\n\n");
    assert_eq!(ran.code, Some(0), "{}", ran.story());
    let (question, rest) = ran.stdout.split_once("? Start the servers in ").unwrap();
    assert!(!question.contains("connected") && rest.contains("connected"), "{}", ran.story());
}

#[test]
fn missing_configuration_error_names_the_path() {
    let mut desktop = Command::new(server::example("desktop"));
    let ran = program::run(desktop.arg("/nowhere/mcp.json"), PATIENCE).unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.story());
    assert!(ran.stderr.contains("examples/desktop/mcp.json"), "{}", ran.story());
}
