//! The ledger: seals the results of runs, and records which interrupted runs were resumed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use genkit_core::Message;
use genkit_core::internal::bounded_json::{ValueBudget, parse_within};
use genkit_core::internal::fair_share::{can_take, scaled_floor};
use genkit_core::internal::seal::Seal;
use genkit_core::internal::sync::lock;
use genkit_core::internal::time::now_ms;
use genkit_core::internal::warnings::WarningBudget;
use genkit_flows::internal::{associated_data, create_seal};

use crate::error::Error as E;

/// The time during which a client can send back the sealed result of a run. Default is 30 days.
const HISTORY_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// The time during which an interrupt can be answered. Default is 1 hour.
pub(crate) const INTERRUPT_TTL: Duration = Duration::from_secs(3600);

/// The maximum number of recorded resumed runs, divided among the clients. Default is 100,000; a client that has used
/// its share cannot resume a run.
const MAX_RESUMED: usize = 100_000;

/// The maximum size of a sealed turn, in bytes. A longer turn is not part of later requests. Default is 1 MiB.
const MAX_SEALED: usize = 1024 * 1024;

/// The domain separator of seals, unique among all uses of the same key.
const DOMAIN: &[u8] = b"genkit/ag-ui/1\0";

/// The output of the model and of the server's tools since the last message from the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SealedTurn {
    /// Distinguishes this state of the turn from all others.
    pub(crate) number: String,
    /// The time at which the turn was sealed, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
    /// The message from the client that contains the seal.
    pub(crate) carrier: String,
    pub(crate) messages: Vec<Message>,
    /// The ids of the open calls that the page executes.
    pub(crate) page_calls: Vec<String>,
}

/// The caller and the thread to which a seal or a stream is bound.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Binding(Vec<u8>);

impl Binding {
    pub(crate) fn new(owner: &str, thread: &str) -> Self {
        Self(associated_data(owner, thread))
    }
}

pub(crate) struct Ledger {
    seal: Seal,
    resumed: Mutex<ResumedTurns>,
}

/// The resumed turns. Each is recorded for at least as long as its interrupts can be answered.
#[derive(Default)]
struct ResumedTurns {
    /// The clients that resumed them, by the number of the turn.
    clients: HashMap<Arc<str>, Arc<str>>,
    /// Oldest first.
    times: VecDeque<(Instant, Arc<str>)>,
    of_clients: HashMap<Arc<str>, usize>,
}

impl ResumedTurns {
    fn forget_expired(&mut self) {
        while let Some((at, number)) = self.times.front()
            && at.elapsed() >= INTERRUPT_TTL
        {
            let number = Arc::clone(number);
            self.times.pop_front();
            let Some(client) = self.clients.remove(&number) else { continue };
            if let Some(own) = self.of_clients.get_mut(&client) {
                *own -= 1;
                if *own == 0 {
                    self.of_clients.remove(&client);
                }
            }
        }
    }

    /// Records a turn, unless `client` already has its share of `total` turns.
    fn record(&mut self, number: &str, client: &str, total: usize) -> Result<(), E> {
        self.forget_expired();
        if self.clients.contains_key(number) {
            return Err(E::AlreadyResumed);
        }
        let known = self.of_clients.get_key_value(client).map(|(known, own)| (known.clone(), *own));
        let (client, own) = known.unwrap_or_else(|| (client.into(), 0));
        if !can_take(own, 1, total.saturating_sub(self.clients.len()), scaled_floor(total)) {
            return Err(E::LedgerFull);
        }
        let number: Arc<str> = number.into();
        self.times.push_back((Instant::now(), Arc::clone(&number)));
        self.of_clients.insert(Arc::clone(&client), own + 1);
        self.clients.insert(number, client);
        Ok(())
    }
}

impl Ledger {
    /// Creates a ledger with a key, or with a random key of this process.
    pub(crate) fn new(key: Option<&[u8]>) -> Result<Self, E> {
        let seal = create_seal(key, DOMAIN).map_err(|(has, min)| E::ShortKey(has, min))?;
        Ok(Self { seal, resumed: Mutex::default() })
    }

    /// Seals a turn. Returns `None` if the turn is too long.
    pub(crate) fn seal_turn(
        &self,
        carrier: &str,
        messages: Vec<Message>,
        page_calls: Vec<String>,
        to: &Binding,
    ) -> Option<(SealedTurn, String)> {
        let number = uuid::Uuid::new_v4().to_string();
        let turn =
            SealedTurn { number, at: now_ms(), carrier: carrier.to_owned(), messages, page_calls };
        let text = serde_json::to_vec(&turn).ok()?;
        if text.len() > MAX_SEALED {
            static WARNINGS: WarningBudget = WarningBudget::new();
            if let Some(warnings) = WARNINGS.count_warning() {
                tracing::warn!(
                    warnings,
                    bytes = text.len(),
                    "the turn is too long to be sealed; the next request of this thread will not contain it"
                );
            }
            return None;
        }
        let sealed = self.seal.seal_text(&text, &to.0, HISTORY_TTL);
        Some((turn, sealed))
    }

    /// Opens a sealed turn. Returns `None` if it was changed, has expired, or belongs to another thread or caller.
    pub(crate) fn open_turn(
        &self,
        sealed: &str,
        to: &Binding,
        budget: &ValueBudget,
    ) -> Result<Option<SealedTurn>, E> {
        let Ok(text) = self.seal.open_text(sealed, &to.0) else { return Ok(None) };
        match parse_within(&text, budget) {
            Ok(turn) => Ok(serde_json::from_value(turn).ok()),
            Err(error) if budget.is_spent() => Err(E::InvalidInput(error.to_string())),
            Err(_) => Ok(None),
        }
    }

    /// Returns the id of a question of the turn with this number. The id is unpredictable and unique.
    pub(crate) fn interrupt_id(
        &self,
        number: &str,
        call: Option<&str>,
        key: &str,
        to: &Binding,
    ) -> String {
        let question = serde_json::json!([number, call, key]).to_string();
        self.seal.digest_text(&to.0, question.as_bytes())
    }

    /// Records that a client resumes a turn. A turn can be resumed only once.
    pub(crate) fn resume_once(&self, turn: &SealedTurn, client: &str) -> Result<(), E> {
        if now_ms().saturating_sub(turn.at) >= millis(INTERRUPT_TTL) {
            return Err(E::Expired);
        }
        lock(&self.resumed).record(&turn.number, client, MAX_RESUMED)
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_client_leaves_room_for_the_answers_of_others() {
        let mut turns = ResumedTurns::default();
        let greedy = (0..).take_while(|n| turns.record(&format!("g{n}"), "eve", 100).is_ok());
        assert_eq!(greedy.count(), 50);
        turns.record("a", "ada", 100).expect("half is left");
        assert!(matches!(turns.record("g0", "ada", 100), Err(E::AlreadyResumed)));
        assert!(matches!(turns.record("a", "eve", 100), Err(E::AlreadyResumed)));
        assert!(matches!(turns.record("g50", "eve", 100), Err(E::LedgerFull)));
    }
}
