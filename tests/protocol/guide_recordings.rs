//! Terminal sessions on the pages and in the README match the output of the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::guide_programs::{calls, gemini, text};
use crate::{packages, program, server};

const PATIENCE: Duration = Duration::from_secs(60);

/// A block with one or several commands, and their output.
struct Recording {
    /// The page, for a failure message.
    page: String,
    /// The program of the page.
    example: Option<String>,
    /// The name in the mark: `quickstart --demo`.
    marked: Option<String>,
    lines: Vec<String>,
}

/// Returns the input of a user, and the model's responses, for a program of a page.
fn script(name: &str) -> (&'static str, Vec<(u16, Value)>) {
    match name {
        "generate_text" => {
            let call = calls("get_weather", json!({"city": "Baltimore"}));
            ("", vec![call, text("It is sunny in Baltimore, at 63°F.")])
        }
        "structured_output" => {
            let soup = r#"{"name": "Soup", "ingredients": ["water", "salt"], "minutes": 20}"#;
            ("", vec![text(soup)])
        }
        "human_in_the_loop" => {
            let call = calls("pay_invoice", json!({"to": "Ada", "amount": 50.0}));
            ("y\n", vec![call, text("The 50 euros are on their way to Ada.")])
        }
        _ => ("", Vec::new()),
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the recordings of a page.
fn recordings(page: &Path) -> Vec<Recording> {
    let source = fs::read_to_string(page).unwrap();
    let between =
        |from: &str, to: &str| Some(source.split_once(from)?.1.split_once(to)?.0.to_owned());
    let example = between("<!-- example: ", " -->");
    let mut found = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let Some(mark) = line.strip_prefix("<!-- terminal") else { continue };
        let marked = mark.strip_suffix(" -->").expect("a comment").strip_prefix(": ");
        assert_eq!(lines.next(), Some("```text"), "{}: {line}", page.display());
        found.push(Recording {
            page: page.display().to_string(),
            example: example.clone(),
            marked: marked.map(str::to_owned),
            lines: lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect(),
        });
    }
    found
}

/// Splits a command into words as a shell does.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => is_quoted ^= true,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is one").push(letter),
        }
    }
    words
}

impl Recording {
    /// Returns each command with the lines that it prints.
    fn commands(&self) -> Vec<(String, Vec<&str>)> {
        let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
        commands.extend(self.marked.clone().map(|command| (command, Vec::new())));
        for line in &self.lines {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), Vec::new())),
                None => commands.last_mut().expect("a command first").1.push(line),
            }
        }
        commands
    }

    /// Returns the program of a command, its name and its arguments: `cargo run` is the program of the page.
    fn program(&self, command: &str) -> (PathBuf, String, Vec<String>) {
        let mut words = words(command);
        if self.marked.is_some() {
            let name = words.remove(0);
            return (server::example(&name).to_owned(), name, words);
        }
        let name = self.example.clone().expect("the page has a program");
        let own = words.split_off(words.len().min(2));
        assert_eq!(words, ["cargo", "run"], "{}: {command}", self.page);
        let own = own.into_iter().skip_while(|word| word == "--").collect();
        (server::guide_program(&name).to_owned(), name, own)
    }
}

#[test]
fn recordings_are_what_the_programs_print() {
    let pages = fs::read_dir(repository().join("genkit/guide")).unwrap();
    let pages = pages
        .map(|page| page.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"));
    let pages = pages.chain([repository().join("README.md")]);
    let mut seen = 0;
    for recording in pages.flat_map(|page| recordings(&page)) {
        for (line, shown) in recording.commands() {
            seen += 1;
            let (path, name, arguments) = recording.program(&line);
            let (typed, answers) = script(&name);
            let folder = packages::root().join("scratch").join(format!("recorded-{name}"));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            let mut command = Command::new(path);
            command
                .args(arguments)
                .current_dir(folder)
                .env_remove("RUST_LOG")
                .env_remove("GENKIT_ENV")
                .env_remove("GENKIT_MODEL");
            // Without a key the program uses its own stand-in for the model, if it has one.
            for key in ["GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
                command.env_remove(key);
            }
            if !answers.is_empty() {
                command.env("GEMINI_API_KEY", "AIza").env("GEMINI_BASE_URL", gemini(answers));
            }
            let ran = program::run_typing(&mut command, typed, PATIENCE).unwrap();
            assert_eq!(ran.code, Some(0), "{}: {}", recording.page, ran.story());
            // A terminal also shows what is typed.
            let is_printed = |shown: &&str| typed.is_empty() || *shown != typed.trim();
            let shown: Vec<&str> = shown.into_iter().filter(is_printed).collect();
            let printed: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
            let (printed, shown) = match shown.split_last() {
                // More follows.
                Some((&"…", shown)) => (printed.get(..shown.len()).unwrap_or(&printed), shown),
                _ => (&printed[..], &shown[..]),
            };
            assert_eq!(printed, shown, "{}: $ {line}", recording.page);
        }
    }
    assert!(seen >= 7, "only {seen} commands are recorded");
}
