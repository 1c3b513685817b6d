//! The work of the servers, and its effects.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use genkit::{Context, Error, Result, tool};

/// A record of what happened, as lines of a file that survives a crash.
#[derive(Clone)]
pub(super) struct Log(pub(super) PathBuf);

impl Log {
    pub(super) fn write(&self, line: &str) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(super) struct Name {
    name: String,
}

/// Pays, asks for a name, and tells.
#[tool(task = "now")]
pub(super) async fn pay(ctx: &Context, log: &Log) -> Result<String> {
    // From here on it is a task.
    tokio::time::sleep(Duration::from_millis(20)).await;
    log.write("begins");
    for (step, asks) in [("charge", true), ("tell", false)] {
        let key = ctx.idempotency_key(step).unwrap();
        let effect = async {
            log.write(&key);
            Ok::<_, Error>(())
        };
        ctx.once(step, effect).await?;
        if asks {
            ctx.elicit::<Name>("Name?").await?.accepted()?;
        }
    }
    let name = ctx.elicit::<Name>("Name?").await?.accepted()?.name;
    Ok(format!("paid by {name}"))
}

/// Works for two seconds.
#[tool(task = "now")]
pub(super) async fn work(log: &Log) -> &'static str {
    tokio::time::sleep(Duration::from_millis(20)).await;
    log.write("begins");
    tokio::time::sleep(Duration::from_secs(2)).await;
    "worked"
}
