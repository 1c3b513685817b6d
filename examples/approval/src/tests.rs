//! Runs the agent with a scripted model and scripted answers. Each `Agent` simulates a new process.

use std::path::PathBuf;

use genkit::Result;
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::account::{Account, Transfer};
use crate::agent::{Agent, Outcome};
use crate::person::Person;

/// The state folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("approval-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    /// Resumes an open question or sends a request; returns the output and the outcome.
    async fn run(
        &self,
        model: &ScriptedModel,
        request: &str,
        typed: &str,
    ) -> (String, Result<Option<Outcome>>) {
        let mut agent = Agent::open(&self.0, model.clone(), typed == "stop").unwrap();
        let mut person = Person { input: typed.as_bytes(), output: Vec::new(), echo: true };
        let ended = match agent.resume_open_question(&mut person).await {
            Ok(None) => agent.ask(request, &mut person).await.map(Some),
            ended => ended,
        };
        (String::from_utf8(person.output).unwrap(), ended)
    }

    fn account(&self) -> Account {
        Account::open(self.0.join("account.json")).unwrap()
    }

    fn waits(&self) -> bool {
        self.0.join("question.json").exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn calls(calls: &[(&str, Value)]) -> ScriptedModel {
    let calls = calls.iter().map(|(name, input)| ToolRequest::new(*name, input.clone()));
    ScriptedModel::new([
        ModelResponse::from_tool_requests(calls),
        ModelResponse::from_text("Done."),
    ])
}

fn fifty() -> ScriptedModel {
    calls(&[("transfer", json!({"to": "ada", "euros": 50}))])
}

fn booked(number: u64, to: &str, euros: u64, purpose: &str) -> Transfer {
    Transfer { number, to: to.to_owned(), euros, purpose: purpose.to_owned() }
}

#[tokio::test]
async fn money_moves_after_a_yes_and_a_purpose() {
    let folder = Folder::new("yes");
    let (shown, ended) = folder.run(&fifty(), "50 to Ada", "what?\ny\nlunch\n").await;
    assert_eq!(ended.unwrap(), Some(Outcome::Answered), "{shown}");
    assert!(shown.contains(r#"Allow `transfer` to run with {"to":"ada","euros":50}?"#), "{shown}");
    assert!(shown.contains("purpose (A few words that the recipient reads): lunch"), "{shown}");
    assert!(shown.ends_with("\nDone.\n"), "{shown}");
    assert_eq!(folder.account().transfers(), [booked(1, "Ada", 50, "lunch")]);
    assert_eq!(folder.account().balance(), 950);
    assert!(!folder.waits());
}

#[tokio::test]
async fn denial_is_returned_to_the_model_with_its_reason() {
    let folder = Folder::new("no");
    let model = fifty();
    folder.run(&model, "50 to Ada", "n\ntoo much\n").await.1.unwrap();
    let told = json!({"error": "the user did not approve: too much"});
    assert_eq!(model.tool_outputs("transfer"), [told]);
    assert_eq!(folder.account().balance(), 1000);
}

#[tokio::test]
async fn every_question_survives_the_process() {
    let folder = Folder::new("restart");
    let model = fifty();
    // The process stops at each question, and twice at the last one.
    let (shown, ended) = folder.run(&model, "50 to Ada", "stop").await;
    assert_eq!(ended.unwrap(), Some(Outcome::Waiting));
    assert!(shown.contains("The question is saved in "), "{shown}");
    for typed in ["y\n", ""] {
        let (_, ended) = folder.run(&model, "never asked", typed).await;
        let said = ended.unwrap_err().to_string();
        assert_eq!(said, "no answer; the question remains open");
        assert!(folder.waits());
        assert_eq!(folder.account().balance(), 1000, "nothing happens before the last answer");
    }
    let (shown, ended) = folder.run(&model, "never asked", "lunch\n").await;
    assert_eq!(ended.unwrap(), Some(Outcome::Answered));
    assert!(shown.contains("? Transfer 1, 50 euros to Ada"), "the number was taken once: {shown}");
    assert_eq!(folder.account().transfers(), [booked(1, "Ada", 50, "lunch")]);
    assert_eq!(model.requests().len(), 2);
    assert!(!folder.waits());
}

#[tokio::test]
async fn old_question_moves_no_money_again() {
    let folder = Folder::new("again");
    let model = fifty();
    folder.run(&model, "50 to Ada", "y\n").await.1.unwrap_err();
    let file = folder.0.join("question.json");
    let question = std::fs::read(&file).unwrap();
    folder.run(&model, "", "lunch\n").await.1.unwrap();
    // Simulate a program that was stopped before it deleted the file.
    std::fs::write(&file, question).unwrap();
    folder.run(&ScriptedModel::text("Done."), "", "lunch\n").await.1.unwrap();
    assert_eq!(folder.account().transfers(), [booked(1, "Ada", 50, "lunch")]);
}

#[tokio::test]
async fn edited_call_runs_with_the_new_arguments() {
    let folder = Folder::new("edit");
    let (shown, ended) = folder.run(&fifty(), "50 to Ada", "e\nGrace\n20\nbooks\n").await;
    ended.unwrap();
    assert!(shown.contains("? Transfer 1, 20 euros to Grace"), "{shown}");
    assert_eq!(folder.account().transfers(), [booked(1, "Grace", 20, "books")]);
}

#[tokio::test]
async fn calls_of_one_message_are_asked_together() {
    let folder = Folder::new("two");
    let model = calls(&[
        ("transfer", json!({"to": "Ada", "euros": 1})),
        ("balance", json!({})),
        ("transfer", json!({"to": "Grace", "euros": 2})),
    ]);
    folder.run(&model, "go", "y\ny\ntea\n\n").await.1.unwrap();
    assert_eq!(folder.account().transfers().len(), 1, "the second had no purpose");
    assert_eq!(model.tool_outputs("transfer")[1]["error"], "the user declined to answer");
}

#[tokio::test]
async fn recipient_is_deleted_by_its_name_alone() {
    for (typed, left) in [("Linsu\n", 3), ("Linus\n", 2)] {
        let folder = Folder::new(typed.trim());
        let model = calls(&[("delete_recipient", json!({"name": "linus"}))]);
        let (shown, ended) = folder.run(&model, "Delete Linus", typed).await;
        ended.unwrap();
        assert!(shown.contains("Type Linus to delete this recipient:"), "{shown}");
        assert_eq!(folder.account().recipients().len(), left);
    }
}

#[tokio::test]
async fn unpayable_transfer_asks_no_more_questions() {
    let folder = Folder::new("poor");
    let model = calls(&[
        ("transfer", json!({"to": "Ada", "euros": 5000})),
        ("transfer", json!({"to": "Bob", "euros": 5})),
    ]);
    folder.run(&model, "go", "y\ny\n").await.1.unwrap();
    let outputs = model.tool_outputs("transfer");
    assert_eq!(outputs[0]["error"], "cannot transfer 5000 euros: the balance is 1000 euros");
    assert_eq!(outputs[1]["error"], "recipient Bob not found; known recipients: Ada, Grace, Linus");
}

#[test]
fn command_line_is_read() {
    let read = |line: &str| super::parse_options(line.split_whitespace().map(str::to_owned));
    let wanted = read("--state d --model m --stop-at-question hi").unwrap();
    assert_eq!((wanted.state, wanted.model), (Some("d".into()), Some("m".to_owned())));
    assert_eq!((wanted.stop, wanted.request), (true, Some("hi".to_owned())));
    for (line, said) in [
        ("--stat", "unknown option --stat"),
        ("--state", "--state needs a value"),
        ("a b", "put quotes around it"),
    ] {
        let error = read(line).err().unwrap().to_string();
        assert!(error.contains(said) && error.contains("usage: "), "{error}");
    }
}

#[test]
fn registry_is_sound() {
    genkit::testing::check().unwrap();
}
