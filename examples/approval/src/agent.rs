//! The agent: its conversation, and the open question in a file.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use genkit::model::IntoModel;
use genkit::{Chat, ErrorContext as _, GenerateResponse, Genkit, Interrupt, Result, tools};

use crate::account::{self, Account};
use crate::person::Person;
use crate::tools::{balance, delete_recipient, transfer};

const SYSTEM: &str = "You look after the user's account. Use the tools; the program asks the user \
                      before anything happens, so do not ask yourself. Answer in one sentence.";

/// An agent whose account and open question live in a folder.
pub(crate) struct Agent {
    chat: Chat,
    /// The interrupted response, as JSON.
    waiting: PathBuf,
    /// Whether to end where it would ask.
    stop: bool,
}

/// How a request ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    Answered,
    /// The question waits in the file.
    Waiting,
}

impl Agent {
    pub(crate) fn open(folder: &Path, model: impl IntoModel, stop: bool) -> Result<Self> {
        std::fs::create_dir_all(folder).context(format!("cannot make {}", folder.display()))?;
        let account = Account::open(folder.join("account.json"))?;
        let genkit = Genkit::builder().state(account).build()?;
        let tools = tools![balance, transfer, delete_recipient];
        let chat = genkit.generate(()).system(SYSTEM).model(model).tools(tools).chat();
        Ok(Self { chat, waiting: folder.join("question.json"), stop })
    }

    /// Goes on with what was asked before the program ended, if anything was.
    pub(crate) async fn go_on<R: BufRead, W: Write>(
        &mut self,
        person: &mut Person<R, W>,
    ) -> Result<Option<Ended>> {
        let stored = match std::fs::read(&self.waiting) {
            Ok(stored) => stored,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let response: GenerateResponse = serde_json::from_slice(&stored)
            .context(format!("{} holds no question", self.waiting.display()))?;
        person.tell("A question was open when this program ended.")?;
        self.chat.keep(&response);
        self.settle(response, person).await.map(Some)
    }

    /// Does what the user asks for.
    pub(crate) async fn ask<R: BufRead, W: Write>(
        &mut self,
        request: &str,
        person: &mut Person<R, W>,
    ) -> Result<Ended> {
        let response = self.chat.send(request).await?;
        self.settle(response, person).await
    }

    /// Asks the person until the model has an answer. Each question is in the file before it is
    /// asked, so that the program can be ended at any time.
    async fn settle<R: BufRead, W: Write>(
        &mut self,
        mut response: GenerateResponse,
        person: &mut Person<R, W>,
    ) -> Result<Ended> {
        while response.is_interrupted() {
            account::write(&self.waiting, &serde_json::to_vec_pretty(&response)?)?;
            let questions = response.interrupts();
            if self.stop {
                let asked = questions.first().and_then(Interrupt::message).unwrap_or("a question");
                let file = self.waiting.display();
                person.tell(&format!(
                    "\n? {asked}\n  Stopped here. The question waits in {file}: start again to answer."
                ))?;
                return Ok(Ended::Waiting);
            }
            let answers: Result<Vec<_>> = questions.iter().map(|q| person.answer(q)).collect();
            response = self.chat.resume_with(answers?).await?;
        }
        if self.waiting.exists() {
            std::fs::remove_file(&self.waiting)?;
        }
        person.tell(&format!("\n{}", response.text()))?;
        Ok(Ended::Answered)
    }
}
