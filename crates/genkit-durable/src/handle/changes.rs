//! External changes to a run: answers, signals, retries and cancellation.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Handle;
use crate::answering::build_call_answer;
use crate::drive::wake_parent;
use crate::error::Error as E;
use crate::inside::children::children_to_cancel;
use crate::inside::mail::{Mail, SentHead, join_head, split_head};
use crate::record::{Record, RunBody, to_json};
use crate::unreadable::SkippedRuns;
use genkit_agent::{NextStep, Run};
use genkit_core::{Answer, ErrorKind, Interrupt, Result};
use genkit_core::{RunChange, RunStatus};

impl Handle {
    pub(super) async fn answer_call(&self, call: &str, value: impl Serialize) -> Result<()> {
        let value = to_json(value)?;
        self.change_run(|open| Ok(vec![build_call_answer(&self.id, open, call, value.clone())?]))
            .await
    }

    pub(super) async fn answer_with(
        &self,
        mut answer: impl FnMut(&Interrupt) -> Option<Answer>,
    ) -> Result<()> {
        self.change_run(|open| Ok(open.iter().filter_map(&mut answer).collect())).await
    }

    /// Adds answers to the open questions. Tries again if another process changed the run in the meantime.
    async fn change_run(
        &self,
        mut answers: impl FnMut(&[Interrupt]) -> Result<Vec<Answer>>,
    ) -> Result<()> {
        loop {
            let (stored, record) = self.load_run().await?;
            if stored.at.status != RunStatus::InputRequired {
                let (id, status) = (self.id.to_string(), stored.at.status.as_str());
                return Err(E::AsksNothing { id, status }.into());
            }
            let answers = answers(&record.body.open_questions())?;
            let kept = record.kept;
            let (status, body) = self.apply_answer(record.body, answers, stored.log.len()).await?;
            let parent = kept.parent.clone().filter(|_| status.is_over());
            let (head, log) = Record { kept, ..Record::new(body) }.into_lines(&self.id)?;
            let change = RunChange::new(status, head).with_log(log);
            let change = change.with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                if let Some(parent) = parent {
                    wake_parent(&self.genkit, &self.store, parent).await;
                }
                return Ok(());
            }
        }
    }

    async fn apply_answer(
        &self,
        body: RunBody,
        answers: Vec<Answer>,
        logged: usize,
    ) -> Result<(RunStatus, RunBody)> {
        match body {
            RunBody::Generate(state) => {
                let mut run = Run::resume(&self.genkit, *state).await?;
                for answer in answers {
                    run.answer(answer)?;
                }
                let asks = matches!(run.next(), NextStep::Asks(_));
                let status = if asks { RunStatus::InputRequired } else { RunStatus::Working };
                Ok((status, RunBody::Generate(Box::new(run.state_after(logged)))))
            }
            RunBody::Flow(mut state) => {
                let mut status = RunStatus::InputRequired;
                for answer in answers {
                    status = state.answer_question(answer)?;
                }
                Ok((status, RunBody::Flow(state)))
            }
        }
    }

    pub(crate) async fn retry_run(&self) -> Result<bool> {
        loop {
            let (stored, mut record) = self.load_run().await?;
            let is_failed = stored.at.status == RunStatus::Failed;
            if !is_failed && stored.at.status != RunStatus::Cancelled {
                return Ok(false);
            }
            let (status, body) = match (record.body, record.before.take()) {
                (RunBody::Generate(state), None) if !is_failed => {
                    self.apply_answer(RunBody::Generate(state), Vec::new(), stored.log.len())
                        .await?
                }
                (RunBody::Generate(state), Some(before))
                    if state.messages.len() == stored.log.len() =>
                {
                    (RunStatus::Working, RunBody::Generate(before))
                }
                (RunBody::Generate(_), _) => return Err(E::CannotRetry(self.id.to_string()).into()),
                (RunBody::Flow(mut state), _) => {
                    (state.run_status(), RunBody::Flow(Box::new(state.take_unsaved())))
                }
            };
            let kept = record.kept;
            let (head, log) = Record { kept, ..Record::new(body) }.into_lines(&self.id)?;
            let change = RunChange::new(status, head).with_log(log);
            let change = change.with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                return Ok(true);
            }
        }
    }

    /// Adds mail to a run that is not finished. A run whose calls wait for mail continues
    /// immediately.
    pub(crate) async fn send_mail(
        &self,
        mut add: impl FnMut(&mut Mail) -> std::result::Result<(), E>,
    ) -> Result<()> {
        loop {
            let stored = self.store.load(&self.id).await?;
            let stored = stored.filter(|_| !self.id.is_of_server());
            let stored = stored.ok_or_else(|| E::RunNotFound(self.id.to_string()))?;
            self.check_incarnation(&stored.at)?;
            if stored.at.status.is_over() {
                let (id, status) = (self.id.to_string(), stored.at.status.as_str());
                return Err(E::CannotSignal { id, status }.into());
            }
            let (before, mut mail) = split_head(&stored.head);
            add(&mut mail)?;
            let sent = SentHead::read(&stored.head);
            let change = RunChange::new(stored.at.status, join_head(before, &mail)?)
                .with_wake_at_ms(stored.at.wake_at_ms.filter(|_| !sent.is_listening()))
                .with_error(sent.error_text())
                .with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                return Ok(());
            }
        }
    }

    pub(crate) async fn send_signal(&self, name: &str, value: impl Serialize) -> Result<()> {
        let value = to_json(value)?;
        self.send_mail(|mail| mail.add_signal(name, value.clone())).await
    }

    pub(super) async fn read_published<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let Some(value) = self.load_run().await?.1.kept.published else { return Ok(None) };
        let why = |why: serde_json::Error| E::PublishedType {
            id: self.id.to_string(),
            why: why.to_string(),
        };
        Ok(Some(serde_json::from_value(value).map_err(why)?))
    }

    /// Cancels the run, and then its children. If the run was already cancelled, returns `false` and only cancels the
    /// children that an earlier, interrupted cancellation missed.
    pub(crate) async fn cancel_run(&self) -> Result<bool> {
        let is_new = self.cancel_one().await?;
        if !is_new && self.peek_head().await?.status != RunStatus::Cancelled {
            return Ok(false);
        }
        let (mut cancelled, skipped) = (vec![self.id.clone()], SkippedRuns::default());
        // A program can tag a run as its own child, so skip runs that were already visited.
        let mut seen = BTreeSet::from([self.id.clone()]);
        while let Some(parent) = cancelled.pop() {
            for child in children_to_cancel(&*self.store, &parent).await? {
                if !seen.insert(child.clone()) {
                    continue;
                }
                let handle = Self::new(&self.genkit, Arc::clone(&self.store), child.clone());
                match handle.cancel_one().await {
                    // The child may have been deleted in the meantime.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    // A child that cannot be read is not running, but other children may be.
                    is_new => drop(skipped.skip_unreadable(&child, is_new)?),
                }
                cancelled.push(child);
            }
        }
        Ok(is_new)
    }

    async fn cancel_one(&self) -> Result<bool> {
        loop {
            // Works on the raw head, so that a run that this version cannot read can be cancelled as well.
            let stored = self.store.load(&self.id).await?;
            let stored = stored.ok_or_else(|| E::RunNotFound(self.id.to_string()))?;
            self.check_incarnation(&stored.at)?;
            if stored.at.status.is_over() {
                return Ok(false);
            }
            let parent = SentHead::read(&stored.head).into_parent();
            let change = RunChange::new(RunStatus::Cancelled, stored.head)
                .with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                self.genkit.runs.resting.cancel_run(&self.id);
                if let Some(parent) = parent {
                    wake_parent(&self.genkit, &self.store, parent).await;
                }
                return Ok(true);
            }
        }
    }
}
