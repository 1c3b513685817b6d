//! The caller of a function under test. It returns the test's answers and records every report.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::Value;

use super::question::AskedQuestion;
use super::reports::Reports;
use crate::context::caller::{Caller, ClientInfo};
use crate::context::capability::Capability;
use crate::context::error::Error as E;
use crate::context::question::{CallerAnswer, Elicited, Question, QuestionKind};
use crate::context::report::{LogLevel, Progress};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::sync::lock;

/// A planned answer, or the reason why it could not be converted to JSON.
pub(super) type Planned = std::result::Result<Elicited<Value>, String>;

/// A function that answers questions. It returns `None` for questions that it does not answer.
pub(super) type Answering = Box<dyn Fn(&AskedQuestion) -> Option<Elicited<Value>> + Send + Sync>;

/// The answers of a test.
#[derive(Default)]
pub(super) struct Answers {
    /// Answers by the keys of their questions, with a flag that is set once the answer is used.
    pub(super) keyed: Vec<(String, Planned, bool)>,
    pub(super) answering: Vec<Answering>,
    /// Answers to the other questions, in order.
    pub(super) next: VecDeque<Planned>,
}

impl Answers {
    fn take_answer(&mut self, asked: &AskedQuestion) -> Result<Elicited<Value>, E> {
        let question = || asked.to_string();
        let keyed = self.keyed.iter_mut().find(|(key, ..)| key == asked.key());
        let planned = if let Some((_, planned, taken)) = keyed {
            *taken = true;
            planned.clone()
        } else if let Some(answer) = self.answering.iter().find_map(|answer| answer(asked)) {
            Ok(answer)
        } else {
            self.next.pop_front().ok_or_else(|| E::MissingTestAnswer { question: question() })?
        };
        planned.map_err(|why| E::TestAnswer { question: question(), why })
    }
}

pub(super) struct TestCaller {
    pub(super) answers: Mutex<Answers>,
    pub(super) reported: Mutex<Reports>,
    pub(super) client: Option<ClientInfo>,
    /// The capabilities that the caller does not have.
    pub(super) missing_capabilities: Vec<Capability>,
}

impl TestCaller {
    pub(super) fn reports(&self) -> Reports {
        lock(&self.reported).clone()
    }

    pub(super) fn unused_answers(&self) -> usize {
        let answers = lock(&self.answers);
        answers.next.len() + answers.keyed.iter().filter(|(.., taken)| !taken).count()
    }

    fn answer_with_plan(&self, question: &Question) -> Result<CallerAnswer> {
        let asked = AskedQuestion::new(question.clone());
        lock(&self.reported).questions.push(asked.clone());
        if let QuestionKind::Elicitation { schema, .. } = &question.kind {
            // A form that no client can show is also rejected in a test.
            genkit_schema::internal::form(schema)?;
        }
        let answer = lock(&self.answers).take_answer(&asked)?;
        Ok(asked.to_caller_answer(answer)?)
    }
}

impl Caller for TestCaller {
    fn has_capability(&self, capability: Capability) -> bool {
        !self.missing_capabilities.contains(&capability)
    }

    fn answer_question<'a>(
        &'a self,
        question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        Some(Box::pin(std::future::ready(self.answer_with_plan(question))))
    }

    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        lock(&self.reported).progress.push(progress);
        Box::pin(std::future::ready(()))
    }

    fn send_log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        lock(&self.reported).logs.push((level, data));
        Box::pin(std::future::ready(()))
    }

    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        lock(&self.reported).chunks.push(chunk);
        Box::pin(std::future::ready(()))
    }

    fn notify_resource_updated(&self, uri: String) {
        lock(&self.reported).updated_resources.push(uri);
    }

    fn client_info(&self) -> Option<ClientInfo> {
        self.client.clone()
    }
}
