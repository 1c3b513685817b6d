//! The agent: its conversation, and a file with the open question.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use genkit::model::IntoModel;
use genkit::{Chat, ErrorContext as _, GenerateResponse, Genkit, Interrupt, Result, tools};

use crate::account::{self, Account};
use crate::person::Person;
use crate::tools::{balance, delete_recipient, transfer};

const SYSTEM: &str = "You manage the user's account. Use the tools; the program asks the user for \
                      approval, so do not ask yourself. Answer in one sentence.";

/// An agent that stores its account and its open question in a folder.
pub(crate) struct Agent {
    chat: Chat,
    /// The interrupted response, as JSON.
    waiting: PathBuf,
    /// Whether to stop at a question instead of asking it.
    stop: bool,
}

/// The outcome of a request.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Answered,
    /// A question is stored in the file.
    Waiting,
}

impl Agent {
    pub(crate) fn open(folder: &Path, model: impl IntoModel, stop: bool) -> Result<Self> {
        std::fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))?;
        let account = Account::open(folder.join("account.json"))?;
        let genkit = Genkit::builder().state(account).build()?;
        let tools = tools![balance, transfer, delete_recipient];
        let chat = genkit.generate(()).system(SYSTEM).model(model).tools(tools).chat();
        Ok(Self { chat, waiting: folder.join("question.json"), stop })
    }

    /// Resumes the request that was open when the program ended, if any.
    pub(crate) async fn resume_open_question<R: BufRead, W: Write>(
        &mut self,
        person: &mut Person<R, W>,
    ) -> Result<Option<Outcome>> {
        let stored = match std::fs::read(&self.waiting) {
            Ok(stored) => stored,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let response: GenerateResponse = serde_json::from_slice(&stored)
            .context(format!("{} does not contain a question", self.waiting.display()))?;
        person.tell("Resuming the question that was open when the program ended.")?;
        self.chat.replace_history(&response);
        self.settle(response, person).await.map(Some)
    }

    /// Handles a request from the user.
    pub(crate) async fn ask<R: BufRead, W: Write>(
        &mut self,
        request: &str,
        person: &mut Person<R, W>,
    ) -> Result<Outcome> {
        let response = self.chat.send(request).await?;
        self.settle(response, person).await
    }

    /// Asks the user until the model has a final response. Each question is stored in the file before it is
    /// asked, so the program can be stopped at any time.
    async fn settle<R: BufRead, W: Write>(
        &mut self,
        mut response: GenerateResponse,
        person: &mut Person<R, W>,
    ) -> Result<Outcome> {
        while response.is_interrupted() {
            account::write(&self.waiting, &serde_json::to_vec_pretty(&response)?)?;
            let questions = response.interrupts();
            if self.stop {
                let asked = questions.first().and_then(Interrupt::message).unwrap_or("a question");
                let file = self.waiting.display();
                person.tell(&format!(
                    "\n? {asked}\n  Stopped. The question is saved in {file}; start again to answer."
                ))?;
                return Ok(Outcome::Waiting);
            }
            let answers: Result<Vec<_>> = questions.iter().map(|q| person.answer(q)).collect();
            response = self.chat.resume_with_answers(answers?).await?;
        }
        if self.waiting.exists() {
            std::fs::remove_file(&self.waiting)?;
        }
        person.tell(&format!("\n{}", response.text()))?;
        Ok(Outcome::Answered)
    }
}
