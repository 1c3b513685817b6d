//! Cron expressions in a time zone.

use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Error as E;

/// The times of a schedule: a cron expression in a time zone, which is UTC by default.
///
/// An expression has five fields: minute, hour, day of the month, month and weekday (0 or 7 is Sunday). Each field is
/// `*`, a number, a range `1-5`, a step `*/15`, or a list of these. Months and weekdays can be written as names, such
/// as `mon-fri`; `L` is the last day of the month. If both the day of the month and the weekday are restricted, one of
/// them must match.
///
/// On a daylight saving change, a schedule with a single minute and hour, such as `30 2 * * *`, still runs once: at the
/// moment of the change if its time is skipped, and at the first occurrence if its time occurs twice. Other schedules
/// run at each matching time that exists, so `*/30 * * * *` runs every half hour even during the change.
///
/// ```
/// use genkit::durable::Cron;
///
/// let nightly = Cron::new("30 2 * * *").time_zone("Europe/Berlin");
/// # let _ = nightly;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    expression: String,
    time_zone: Option<String>,
}

impl Cron {
    /// Creates a schedule from an expression in UTC. The expression is checked by the worker, which returns
    /// `InvalidArgument` if it is not valid or never matches.
    pub fn new(expression: impl Into<String>) -> Self {
        Self { expression: expression.into(), time_zone: None }
    }

    /// Sets the time zone: an IANA name, such as `Europe/Berlin`. Default is UTC. A worker returns `InvalidArgument`
    /// for an unknown name. Except on Windows, the system must have a time zone database, such as the package `tzdata`.
    #[must_use]
    pub fn time_zone(self, name: impl Into<String>) -> Self {
        Self { time_zone: Some(name.into()), ..self }
    }

    /// Parses the expression and looks up the time zone.
    pub(super) fn parse(&self) -> Result<CronTimes, E> {
        let time_zone = match &self.time_zone {
            None => TimeZone::UTC,
            Some(name) => TimeZone::get(name)
                .map_err(|why| E::TimeZone { name: name.clone(), why: why.to_string() })?,
        };
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed);
        let pattern = parser.build().parse(&self.expression);
        let pattern = pattern.map_err(|why| self.invalid(&why.to_string()))?;
        Ok(CronTimes { pattern, time_zone })
    }

    pub(super) fn invalid(&self, why: &str) -> E {
        E::Cron { text: self.expression.clone(), why: why.to_owned() }
    }
}

impl From<&str> for Cron {
    fn from(expression: &str) -> Self {
        Self::new(expression)
    }
}

impl From<String> for Cron {
    fn from(expression: String) -> Self {
        Self::new(expression)
    }
}

/// The times of a parsed expression.
pub(super) struct CronTimes {
    pattern: croner::Cron,
    time_zone: TimeZone,
}

impl CronTimes {
    /// Returns the first matching time after `ms`, both in milliseconds since the Unix epoch.
    /// Returns `None` if there is none.
    pub(super) fn next_after(&self, ms: u64) -> Option<u64> {
        let start = Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
        let start = start.to_zoned(self.time_zone.clone());
        let next = self.pattern.find_next_occurrence(&start, false).ok()?;
        u64::try_from(next.timestamp().as_millisecond()).ok()
    }
}
