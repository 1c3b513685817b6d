//! A command line for operators: `program runs list --status failed`.

use std::fmt::Write as _;
use std::time::Duration;

use super::{RunDetails, Runs, StepKind};
use crate::error::Error as E;
use genkit_core::internal::context::RunWait;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::time::format_iso8601;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{RunEntry, RunFilter, RunId, RunStatus};

const HELP: &str = "\
Durable runs of this program:

  list [FLAGS]          list runs, one per line: id, status, name, last change, tags, last error
    --status STATUS       working, input_required, completed, failed or cancelled; may be repeated
    --name NAME           of this flow or model
    --tag TAG             with this tag
    --error TEXT          whose last error contains this text
    --idle AGE            not changed for this time, such as 30m, 12h or 7d
    --limit N             at most N runs; the default is 100
    --after ID            after this run, for the next page
  show ID               steps, attempts, questions, waits and sizes of a run
  cancel ID..           cancel runs
  signal ID NAME JSON   send a signal with this value
  retry ID..            continue failed or cancelled runs from the step where they ended
  delete ID..           delete runs, whatever their status
  delete-finished AGE   delete the runs that finished more than AGE ago, such as 30d
";

impl Runs {
    /// Performs a command of an operator, and returns the text to print: a list, the details of a run, or the outcome
    /// of the command. `args` are the arguments after `program runs`. Without arguments, returns the help.
    ///
    /// ```
    /// # use genkit::durable::FolderStore;
    /// # use genkit::{Genkit, Registry};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("genkit-command-{}", std::process::id()));
    /// # let store = FolderStore::open(&folder)?;
    /// # let genkit = Genkit::builder().registry(Registry::new()).durable(store).build()?;
    /// let mut args = std::env::args().skip(1);
    /// if args.next().as_deref() == Some("runs") {
    ///     print!("{}", genkit.runs().command(args).await?);
    ///     return Ok(());
    /// }
    /// assert!(genkit.runs().command(["list", "--status", "failed"]).await?.is_empty());
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Runs`]. Returns `InvalidArgument` for an unknown argument or an invalid value.
    pub async fn command(
        &self,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<String> {
        let mut args = args.into_iter().map(Into::into);
        let Some(command) = args.next() else { return Ok(HELP.to_owned()) };
        let rest: Vec<String> = args.collect();
        match &*command {
            "help" | "--help" => Ok(HELP.to_owned()),
            "list" => {
                let listed = self.list(parse_filter(rest)?).await?;
                Ok(listed.iter().map(print_entry).collect())
            }
            "show" => {
                let mut text = String::new();
                for id in ids(&command, rest)? {
                    match self.inspect(&*id).await {
                        Ok(Some(details)) => text.push_str(&print_details(&details)),
                        Ok(None) => return Err(E::RunNotFound(id).into()),
                        Err(error) if is_unreadable(&error) => {
                            let error = error.chain();
                            let _ = writeln!(text, "id: {id}\nerror: {}", Logged::text(error));
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(text)
            }
            "signal" => {
                let [id, name, value] = &rest[..] else {
                    return Err(wrong(
                        &command,
                        "needs the id of a run, a name and a value as JSON",
                    ));
                };
                let value: serde_json::Value =
                    serde_json::from_str(value).map_err(|_| wrong(value, "is not JSON"))?;
                match self.signal(id.as_str(), name, value).await? {
                    true => Ok(format!("{id}\tsent\n")),
                    false => Err(E::RunNotFound(id.clone()).into()),
                }
            }
            "cancel" | "retry" | "delete" => self.change_each(&command, rest).await,
            "delete-finished" => {
                let [age] = &rest[..] else {
                    return Err(wrong(&command, "needs an age, such as `30d`"));
                };
                let deleted = self.delete_finished(parse_age(age)?).await?;
                Ok(format!("deleted {deleted} runs\n"))
            }
            _ => Err(wrong(&command, "is not a command; write `runs help`")),
        }
    }

    async fn change_each(&self, command: &str, rest: Vec<String>) -> Result<String> {
        let mut text = String::new();
        for id in ids(command, rest)? {
            let (changed, done, not) = match command {
                "cancel" => (self.cancel(&*id).await, "cancelled", "is finished or does not exist"),
                "retry" => (
                    self.retry(&*id).await,
                    "continues",
                    "is neither failed nor cancelled, or does not exist",
                ),
                _ => (self.delete(&*id).await, "deleted", "does not exist"),
            };
            let _ = match changed {
                Ok(is_done) => writeln!(text, "{id}\t{}", if is_done { done } else { not }),
                // Continue with the other runs of the command.
                Err(error) if is_unreadable(&error) => {
                    writeln!(text, "{id}\tfailed: {}", Logged::text(error.chain()))
                }
                Err(error) => return Err(error),
            };
        }
        Ok(text)
    }
}

/// Returns whether an error means that a single run cannot be read, which does not affect other runs.
fn is_unreadable(error: &Error) -> bool {
    error.kind() == ErrorKind::Internal
}

fn wrong(word: &str, why: &str) -> Error {
    Error::invalid_argument(format!("`{}` {why}", Logged::name(word)))
}

fn ids(command: &str, rest: Vec<String>) -> Result<Vec<String>> {
    match rest.is_empty() {
        true => Err(wrong(command, "needs the id of a run")),
        false => Ok(rest),
    }
}

fn parse_filter(rest: Vec<String>) -> Result<RunFilter> {
    let mut filter = RunFilter::new();
    let mut rest = rest.into_iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| wrong(&flag, "needs a value"))?;
        filter = match &*flag {
            "--status" => {
                let status = RunStatus::from_name(&value);
                filter.status(
                    status
                        .ok_or_else(|| wrong(&value, "is not a run status; write `runs help`"))?,
                )
            }
            "--name" => filter.name(value),
            "--tag" => filter.tag(value),
            "--error" => filter.error(value),
            "--idle" => filter.updated_before_ms(
                now_ms().saturating_sub(u64::try_from(parse_age(&value)?.as_millis()).unwrap_or(0)),
            ),
            "--limit" => filter.limit(value.parse().map_err(|_| wrong(&value, "is not a number"))?),
            "--after" => filter.after(RunId::new(value)?),
            _ => return Err(wrong(&flag, "is not a flag of `runs list`; write `runs help`")),
        };
    }
    Ok(filter)
}

fn parse_age(text: &str) -> Result<Duration> {
    let units = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];
    let age = units.into_iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(seconds).map(Duration::from_secs)
    });
    age.ok_or_else(|| {
        wrong(text, "is not an age; write a number with `s`, `m`, `h` or `d`, such as `7d`")
    })
}

/// Prints a run on one line. Errors may contain text of models and servers, so it is escaped.
fn print_entry(entry: &RunEntry) -> String {
    let status = entry.status.map_or("unreadable", RunStatus::as_str);
    let tags: Vec<String> = entry.tags.iter().map(|tag| Logged::name(tag).to_string()).collect();
    let error = entry.error.as_deref().map(|error| Logged::text(error).to_string());
    let changed = match entry.updated_ms {
        0 => "unknown".to_owned(),
        ms => format_iso8601(ms),
    };
    format!(
        "{}\t{status}\t{}\t{changed}\t{}\t{}\n",
        entry.id,
        Logged::name(&entry.name),
        tags.join(","),
        error.unwrap_or_default(),
    )
}

fn print_details(details: &RunDetails) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {value}");
    };
    line("id", details.id.to_string());
    line("status", details.head.status.as_str().to_owned());
    if let Some(wakes) = details.head.wake_at_ms.filter(|wakes| *wakes > now_ms()) {
        line("wakes", format_iso8601(wakes));
    }
    for wait in &details.waits {
        line("waits for", print_wait(wait));
    }
    for (kind, name) in
        [("flow", &details.flow), ("model", &details.model), ("build", &details.build)]
    {
        if let Some(name) = name {
            line(kind, Logged::name(name).to_string());
        }
    }
    let step = |step: &super::RunStep| match step.kind {
        StepKind::Model => "model".to_owned(),
        StepKind::Tool | StepKind::Once => Logged::name(&step.name).to_string(),
    };
    let steps: Vec<String> = details.steps.iter().map(step).collect();
    line("steps", format!("{} ({})", steps.len(), steps.join(", ")));
    line("failed attempts", details.attempts.to_string());
    line("ended processes", details.ended_processes.to_string());
    line("questions", details.questions.len().to_string());
    line("unread signals", details.unread_signals.to_string());
    line("size", format!("{} bytes, {} lines", details.bytes, details.saved_lines));
    for (name, value) in [("error", &details.error), ("missing here", &details.missing)] {
        if let Some(value) = value {
            line(name, Logged::text(value).to_string());
        }
    }
    text
}

fn print_wait(wait: &RunWait) -> String {
    match wait {
        RunWait::Signal(name) => format!("the signal `{}`", Logged::name(name)),
        RunWait::Child(id) => format!("the run {id}"),
        RunWait::Time(ms) => format_iso8601(*ms),
        RunWait::Task(tool) => format!("a task of the tool `{}`", Logged::name(tool)),
        _ => "another operation".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(parse_age("7d").expect("an age"), Duration::from_secs(7 * 86_400));
        assert_eq!(parse_age("90s").expect("an age"), Duration::from_secs(90));
        for wrong in ["", "7", "d", "-1d", "1w", "99999999999999999999d"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_flags_and_values_are_errors() {
        let parse = |words: &[&str]| parse_filter(words.iter().map(|&word| word.into()).collect());
        let filter =
            parse(&["--status", "failed", "--tag", "vip", "--limit", "3"]).expect("it parses");
        assert_eq!((filter.limit, filter.tag.as_deref()), (3, Some("vip")));
        for words in [&["--status", "sad"][..], &["--status"], &["--x", "y"], &["--after", ".."]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
