//! Schedules: runs that workers start at the times of cron expressions.

use serde_json::Value;

use super::cron::{Cron, CronTimes};
use crate::error::Error as E;
use crate::runs;
use crate::settings::DurableOptions;
use genkit_agent::{Generate, Instance};
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::time::format_iso8601;
use genkit_core::internal::visible::Logged;
use genkit_core::{ErrorKind, Result, RunId};

/// A schedule of a worker.
pub(super) struct Schedule {
    name: String,
    cron: Cron,
    start: ScheduledStart,
    /// Only scheduled times after this time start runs, in milliseconds since the Unix epoch.
    pub(super) since_ms: u64,
}

/// The flow or run that a schedule starts.
pub(super) enum ScheduledStart {
    Flow(String, Value),
    Run(Box<Generate>),
}

/// A schedule with the time of its next run, in milliseconds since the Unix epoch.
pub(super) struct ActiveSchedule {
    schedule: Schedule,
    times: CronTimes,
    next_ms: Option<u64>,
}

impl Schedule {
    pub(super) fn new(name: String, cron: Cron, start: ScheduledStart) -> Self {
        Self { name, cron, start, since_ms: now_ms() }
    }

    /// Validates the schedule, and computes its next time.
    pub(super) fn activate(self, instance: &Instance) -> Result<ActiveSchedule> {
        let times = self.cron.parse()?;
        RunId::new(&*self.name)?;
        if let ScheduledStart::Flow(flow, _) = &self.start
            && instance.registry.flow(flow).is_none()
        {
            return Err(E::UnknownFlow(flow.clone()).into());
        }
        let next_ms = times.next_after(self.since_ms);
        if next_ms.is_none() {
            return Err(self.cron.invalid("no date matches the expression").into());
        }
        Ok(ActiveSchedule { schedule: self, times, next_ms })
    }
}

impl ActiveSchedule {
    /// Starts the run if it is due. All workers derive the same id, so only one of them creates the run.
    pub(super) async fn start_due(&mut self, instance: &Instance) {
        let Some(time) = self.next_ms.filter(|time| *time <= now_ms()) else { return };
        if let Err(error) = self.start_run(instance, time).await {
            let (schedule, error_text) = (&self.schedule.name, Logged::text(error.chain()));
            tracing::warn!(%schedule, error = %error_text, "failed to start a scheduled run");
            // Retry the start until the next run is due.
            let next = self.times.next_after(time);
            if error.kind() == ErrorKind::Unavailable && next.is_none_or(|next| next > now_ms()) {
                return;
            }
        }
        self.next_ms = self.times.next_after(time.max(now_ms()));
    }

    async fn start_run(&self, instance: &Instance, time: u64) -> Result<()> {
        let Schedule { name, start, .. } = &self.schedule;
        // Such as `nightly-2026-11-27T03.00`, in UTC.
        let minute: String = format_iso8601(time).chars().take(16).collect();
        let id = format!("{name}-{}", minute.replace(':', "."));
        let options = DurableOptions::new().tag(format!("schedule:{name}"));
        match start {
            ScheduledStart::Flow(flow, input) => {
                runs::durable_flow(instance, id, flow, input, options).await.map(drop)
            }
            ScheduledStart::Run(run) => {
                runs::durable_run(instance, id, (**run).clone(), options).await.map(drop)
            }
        }
    }
}
