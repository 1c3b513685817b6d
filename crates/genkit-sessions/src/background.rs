//! Background tasks of a model: tools that delegate tasks to other agents, and wait for them in this turn or in a later
//! turn.
//!
//! A task is a session of the other agent. The id of that session contains a hash of the session that started the task,
//! so a model cannot name the tasks of another session.

use std::collections::HashMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use genkit_agent::internal::ask_caller;
use genkit_core::internal::fair_share::{can_take, scaled_floor};
use genkit_core::internal::run_store::short_hash;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Answer, Context, ErrorKind, Interrupt, Message, Result, Role, Tool};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::run::{AgentRun, Caller};
use crate::types::{AgentInit, AgentInput, Snapshot, SnapshotStatus};

/// The prefix of the tools that delegate a task to another agent.
pub(crate) const PREFIX: &str = "delegate_to_";

/// The maximum number of tasks that an agent runs in the background of one process. Default is 64.
const MAX_RUNNING: usize = 64;

/// The maximum number of tasks in one call. Default is 32.
const MAX_TASKS: usize = 32;

/// The time that a model waits for tasks if it does not set a timeout. Default is 60 seconds.
const WAIT: Duration = Duration::from_secs(60);

/// The maximum time that a model waits for tasks. Default is 5 minutes.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// The timeout of the tools. Default is 6 minutes; the time until a question is answered does not count.
const TOOL_TIMEOUT: Duration = Duration::from_secs(360);

/// The polling interval of awaited tasks. Default is 100 milliseconds at first, then up to 1 second.
const POLL: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// The pause after the first attempt to continue an awaited task whose process has ended. Default is 3 seconds; it
/// doubles with each further attempt.
const CONTINUE_PAUSE: Duration = Duration::from_secs(3);

#[derive(Deserialize, JsonSchema)]
struct NewTask {
    /// The task, with all information needed to do it. The agent does not see the rest of the conversation.
    task: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskIds {
    /// The ids of the tasks.
    task_ids: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WaitFor {
    /// The ids of the tasks.
    task_ids: Vec<String>,
    /// The maximum time to wait, in seconds. Default is 60.
    timeout_seconds: Option<u64>,
    /// `all` waits until all tasks have ended, `first` until one has. Default is `all`.
    #[serde(default)]
    wait_for: Until,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Until {
    #[default]
    All,
    First,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MoreWork {
    /// The id of a task that has ended.
    task_id: String,
    /// What to do next. If it is missing, a task that failed or was aborted runs again.
    instructions: Option<String>,
}

/// The status of a task, in the form that the model receives.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskReport {
    task_id: String,
    /// `pending`, `completed`, `waiting` for an answer, `failed` or `aborted`.
    status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct TaskReports {
    tasks: Vec<TaskReport>,
}

/// A task with open questions, which is recorded before the questions are asked.
#[derive(Serialize, Deserialize)]
struct InterruptedTask {
    task: String,
    snapshot: String,
}

/// The tasks of a session.
#[derive(Clone)]
pub(crate) struct Background {
    agent: Agent,
    session: String,
    caller: Caller,
}

impl Background {
    pub(crate) fn new(agent: &Agent, session: &str, caller: Caller) -> Self {
        Self { agent: agent.clone(), session: short_hash(session), caller }
    }

    /// Returns the tools for the model.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let agents = &self.agent.0.background;
        let mut tools: Vec<Tool> = agents.iter().map(|agent| self.start_tool(agent)).collect();
        let own = || self.clone();
        let (this, about) =
            (own(), "Returns the status and the results of tasks in the background.");
        tools.push(new_tool("check_background_tasks", about).handler(
            move |_: Context, ids: TaskIds| {
                let this = this.clone();
                async move { Ok(this.report(&ids.task_ids).await?) }
            },
        ));
        let (this, about) =
            (own(), "Waits until tasks in the background have ended, and returns their results.");
        tools.push(new_tool("wait_for_background_tasks", about).handler(
            move |context: Context, wait: WaitFor| {
                let this = this.clone();
                async move { Ok(this.wait(&context, wait).await?) }
            },
        ));
        let (this, about) = (own(), "Stops tasks in the background.");
        tools.push(new_tool("abort_background_tasks", about).handler(
            move |_: Context, ids: TaskIds| {
                let this = this.clone();
                async move { Ok(this.abort(&ids.task_ids).await?) }
            },
        ));
        let (this, about) =
            (own(), "Gives the agent of an ended task more work. The agent remembers the task.");
        tools.push(new_tool("continue_task", about).handler(
            move |context: Context, more: MoreWork| {
                let this = this.clone();
                async move { Ok(this.go_on(&context, more).await?) }
            },
        ));
        tools
    }

    fn start_tool(&self, agent: &Agent) -> Tool {
        let (this, agent) = (self.clone(), agent.clone());
        let about = format!(
            "Gives a task to the agent `{}`, which works in the background, and returns the id of the task. {}",
            agent.name(),
            agent.description()
        );
        new_tool(format!("{PREFIX}{}", agent.name()), about).handler(
            move |context: Context, new: NewTask| {
                let (this, agent) = (this.clone(), agent.clone());
                async move { Ok(this.start(&context, &agent, new.task).await?) }
            },
        )
    }

    /// Starts a task. A call that is repeated after a crash finds the task that it started before.
    async fn start(&self, context: &Context, agent: &Agent, task: String) -> Result<TaskReport> {
        let key = context.idempotency_key("task");
        let key = key.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let mut id = format!("{}-{}", agent.name(), short_hash(&key));
        id.truncate(agent.name().len() + 9);
        if self.newest(agent, &id).await?.is_none() {
            self.send(agent, &id, AgentInput::from_message(Message::user(task))).await?;
        }
        Ok(TaskReport { task_id: id, status: "pending".into(), response: None, error: None })
    }

    /// Runs a turn of a task in the background.
    async fn send(&self, agent: &Agent, id: &str, input: AgentInput) -> Result<()> {
        let owner = self.caller.share_key();
        let may_start = {
            let workers = lock(&agent.sessions()?.workers);
            let left = MAX_RUNNING.saturating_sub(workers.len());
            // Fair shares apply to clients, not to the program itself.
            let is_shared = !self.caller.is_program;
            let own = workers.values().filter(|it| is_shared && it.owner == *owner).count();
            can_take(own, 1, left, scaled_floor(MAX_RUNNING))
        };
        if !may_start {
            return Err(E::ManyTasks(MAX_RUNNING).into());
        }
        let init = AgentInit::from_session(self.session_name(id));
        let run =
            AgentRun::new(agent.clone(), init, vec![input.detached(true)], self.caller.clone());
        run.output().await?.into_result().map(drop)
    }

    fn session_name(&self, id: &str) -> String {
        format!("task {} {id}", self.session)
    }

    async fn newest(&self, agent: &Agent, id: &str) -> Result<Option<Snapshot>> {
        let init = AgentInit::from_session(self.session_name(id));
        agent.load_snapshot(&init, &self.caller.owner).await
    }

    /// Finds a task of this session, and continues its turn if the process of the turn has ended.
    async fn find(&self, id: &str) -> Result<(&Agent, Snapshot)> {
        let (agent, found) = self.look_up(id).await?;
        Ok((agent, self.continue_expired(agent, found).await?))
    }

    async fn look_up(&self, id: &str) -> Result<(&Agent, Snapshot)> {
        let unknown = || E::NoTask(id.chars().take(64).collect());
        let name = id.rsplit_once('-').map_or("", |(name, _)| name);
        let agent = self.agent.0.background.iter().find(|agent| agent.name() == name);
        let agent = agent.ok_or_else(unknown)?;
        Ok((agent, self.newest(agent, id).await?.ok_or_else(unknown)?))
    }

    async fn continue_expired(&self, agent: &Agent, found: Snapshot) -> Result<Snapshot> {
        match found.status {
            SnapshotStatus::Expired => {
                agent.wait_for(&found.snapshot_id, Duration::ZERO, &self.caller.owner).await
            }
            _ => Ok(found),
        }
    }

    async fn report(&self, ids: &[String]) -> Result<TaskReports> {
        let mut tasks = Vec::new();
        for id in within_limit(ids)? {
            let found = self.find(id).await.map(|(_, found)| found);
            tasks.push(build_report(id, &split_unreadable(found)?));
        }
        Ok(TaskReports { tasks })
    }

    /// Finds tasks, and continues those whose processes have ended. `attempts` holds the time of the next attempt for
    /// each task, and the pause after it, because a process that has ended may still hold the lease.
    async fn find_all<'a>(
        &self,
        ids: &'a [String],
        attempts: &mut HashMap<&'a str, (Instant, Duration)>,
    ) -> Result<Vec<Result<Snapshot>>> {
        let mut tasks = Vec::new();
        for id in within_limit(ids)? {
            let finding = async {
                let (agent, found) = self.look_up(id).await?;
                let now = Instant::now();
                let (next, pause) = attempts.entry(id).or_insert((now, CONTINUE_PAUSE));
                if found.status == SnapshotStatus::Expired && now >= *next {
                    (*next, *pause) = (now + *pause, *pause * 2);
                    return self.continue_expired(agent, found).await;
                }
                Ok(found)
            };
            tasks.push(split_unreadable(finding.await)?);
        }
        Ok(tasks)
    }

    /// Waits for tasks. Their questions are forwarded to the caller, one at a time.
    async fn wait(&self, context: &Context, wait: WaitFor) -> Result<TaskReports> {
        let limit = wait.timeout_seconds.map_or(WAIT, Duration::from_secs).min(MAX_WAIT);
        let (mut deadline, mut asked) = (Instant::now() + limit, 0);
        let (mut pause, mut attempts) = (POLL.0, HashMap::new());
        loop {
            // When the call is repeated with the answers, it asks the recorded questions in the same order.
            let key = format!("asked {asked}");
            let mut found = Vec::new();
            let open = match context.recorded_result(&key) {
                Some(recorded) => serde_json::from_value(recorded).map_err(E::Unreadable)?,
                None => {
                    found = self.find_all(&wait.task_ids, &mut attempts).await?;
                    next_question(&wait.task_ids, &found)
                }
            };
            if let Some(open) = open {
                let open: InterruptedTask =
                    context.once(&key, async { Ok::<_, genkit_core::Error>(open) }).await?;
                self.forward_questions(context, &open, asked).await?;
                (deadline, asked, pause) = (Instant::now() + limit, asked + 1, POLL.0);
                continue;
            }
            let tasks = wait.task_ids.iter().zip(&found).map(|(id, found)| build_report(id, found));
            let report = TaskReports { tasks: tasks.collect() };
            let ended = report.tasks.iter().filter(|task| task.status != "pending").count();
            let is_over = match wait.wait_for {
                Until::All => ended == report.tasks.len(),
                Until::First => ended > 0,
            };
            if is_over || Instant::now() >= deadline {
                return Ok(report);
            }
            tokio::time::sleep_until((Instant::now() + pause).min(deadline)).await;
            pause = (pause * 2).min(POLL.1);
        }
    }

    /// Asks the caller the questions of a task, and continues the task with the answers.
    async fn forward_questions(
        &self,
        context: &Context,
        open: &InterruptedTask,
        round: usize,
    ) -> Result<()> {
        let (agent, _) = self.find(&open.task).await?;
        let init = AgentInit::from_snapshot(&*open.snapshot);
        let asking = agent.load_snapshot(&init, &self.caller.owner).await?;
        let asking = asking.ok_or_else(|| E::NoTask(open.task.clone()))?;
        let mut answers: Vec<Answer> = Vec::new();
        for question in list_questions(&asking) {
            answers.push(ask_caller(context, &question).await?);
        }
        let resuming = async {
            let newest = self.newest(agent, &open.task).await?;
            if newest.is_none_or(|newest| newest.snapshot_id != open.snapshot) {
                return Ok(()); // The task was continued before a crash.
            }
            self.send(agent, &open.task, AgentInput::from_answers(answers)?).await
        };
        context.once(&format!("answered {round}"), resuming).await
    }

    async fn abort(&self, ids: &[String]) -> Result<TaskReports> {
        for id in within_limit(ids)? {
            if let Ok((agent, found)) = split_unreadable(self.find(id).await)? {
                agent.abort_snapshot(&found.snapshot_id, &self.caller.owner).await?;
            }
        }
        self.report(ids).await
    }

    async fn go_on(&self, context: &Context, more: MoreWork) -> Result<TaskReport> {
        let (agent, found) = self.find(&more.task_id).await?;
        let is_repeated = context.recorded_result("from").is_some();
        if !is_repeated && !found.status.is_over() {
            return Err(E::TaskRunning(more.task_id).into());
        }
        let from = async { Ok::<_, genkit_core::Error>(found.snapshot_id) };
        let from: String = context.once("from", from).await?;
        let input = match more.instructions {
            Some(text) => AgentInput::from_message(Message::user(text)),
            None => AgentInput::default(),
        };
        let sending = async {
            let newest = self.newest(agent, &more.task_id).await?;
            if newest.is_none_or(|newest| newest.snapshot_id != from) {
                return Ok(()); // The task was continued before a crash.
            }
            self.send(agent, &more.task_id, input).await
        };
        context.once("continued", sending).await?;
        Ok(build_report(&more.task_id, &Ok(self.find(&more.task_id).await?.1)))
    }
}

fn new_tool(name: impl Into<String>, about: impl Into<String>) -> genkit_core::ToolBuilder {
    Tool::builder(name.into(), about.into()).timeout(TOOL_TIMEOUT)
}

fn within_limit(ids: &[String]) -> Result<&[String], E> {
    match ids.len() {
        1..=MAX_TASKS => Ok(ids),
        found => Err(E::TaskCount { found, limit: MAX_TASKS }),
    }
}

/// Returns the first task that waits for an answer.
fn next_question(ids: &[String], found: &[Result<Snapshot>]) -> Option<InterruptedTask> {
    let readable = |(id, found)| Some((id, Result::as_ref(found).ok()?));
    let mut tasks = ids.iter().zip(found).filter_map(readable);
    let (id, found) = tasks.find(|(_, found)| !list_questions(found).is_empty())?;
    Some(InterruptedTask { task: id.clone(), snapshot: found.snapshot_id.clone() })
}

fn list_questions(snapshot: &Snapshot) -> Vec<Interrupt> {
    match snapshot.status {
        SnapshotStatus::Completed => {
            snapshot.state.messages.last().map(Interrupt::find_all).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Keeps the error of a stored task that cannot be read, so that only this task is reported as failed.
fn split_unreadable<T>(found: Result<T>) -> Result<Result<T>> {
    match found {
        Err(error) if error.kind() != ErrorKind::Internal => Err(error),
        found => Ok(found),
    }
}

fn build_report(id: &str, found: &Result<Snapshot>) -> TaskReport {
    let snapshot = match found {
        Ok(snapshot) => snapshot,
        Err(error) => {
            tracing::warn!(task = %Logged::name(id), error = %Logged::text(error.chain()), "failed to read a background task");
            let (status, error) = ("failed".to_owned(), Some("the task cannot be read".to_owned()));
            return TaskReport { task_id: id.to_owned(), status, response: None, error };
        }
    };
    let status = match snapshot.status {
        SnapshotStatus::Completed if !list_questions(snapshot).is_empty() => "waiting",
        SnapshotStatus::Completed => "completed",
        SnapshotStatus::Failed => "failed",
        SnapshotStatus::Aborted => "aborted",
        _ => "pending",
    };
    let last = snapshot.state.messages.last().filter(|last| last.role != Role::User);
    TaskReport {
        task_id: id.to_owned(),
        status: status.to_owned(),
        response: last.filter(|_| status == "completed").map(Message::text),
        error: snapshot.error.as_ref().map(|error| error.message.clone()),
    }
}
