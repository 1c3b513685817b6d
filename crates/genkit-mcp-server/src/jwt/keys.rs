//! The keys of an issuer as they are known: kept, renewed, asked for again where a token names another one;
//! never more often than an issuer can bear.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::error::KeyFault;
use super::fetch::KeyAddress;
use super::jwk::KeySet;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// How old keys may be before they are fetched anew, while they are used. Default is 10 minutes.
const FRESH: Duration = Duration::from_secs(600);

/// How old keys may be at all, where the issuer does not answer: a key that was taken back is not believed
/// for longer. Default is 1 hour.
const USABLE: Duration = Duration::from_secs(3600);

/// How often keys are fetched because a token names one that is unknown: strangers can name what they
/// like. Default is every 10 seconds.
const UNKNOWN_KEY: Duration = Duration::from_secs(10);

/// How long nobody asks after a first failure, and after many. Default is 1 second and 1 minute.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Where the keys of one issuer are looked up.
pub(super) enum IssuerKeys {
    /// The program has them.
    Fixed(Arc<KeySet>),
    Fetched(Arc<FetchedKeys>),
}

pub(super) struct FetchedKeys {
    address: KeyAddress,
    known: Mutex<KnownKeys>,
    /// Held by whoever fetches.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct KnownKeys {
    keys: Option<(Arc<KeySet>, Instant)>,
    /// When it was tried last, and how often it failed since it succeeded.
    tried: Option<Instant>,
    failures: u32,
}

impl KnownKeys {
    fn usable(&self) -> Option<(Arc<KeySet>, Duration)> {
        let (keys, fetched) = self.keys.as_ref()?;
        let age = fetched.elapsed();
        (age < USABLE).then(|| (Arc::clone(keys), age))
    }

    /// Whether the issuer may be asked, `usually` not more often than this.
    fn may_try(&self, usually: Duration) -> bool {
        let factor = 1_u32.checked_shl(self.failures.saturating_sub(1)).unwrap_or(u32::MAX);
        let after_failure = match self.failures {
            0 => Duration::ZERO,
            _ => BACK_OFF.0.saturating_mul(factor).min(BACK_OFF.1),
        };
        self.tried.is_none_or(|tried| tried.elapsed() >= usually.max(after_failure))
    }
}

impl IssuerKeys {
    pub(super) fn fetched(address: KeyAddress) -> Self {
        let (known, fetching) = (Mutex::default(), tokio::sync::Mutex::default());
        Self::Fetched(Arc::new(FetchedKeys { address, known, fetching }))
    }

    /// The keys as they are known, which are fetched where there are none.
    pub(super) async fn current(&self) -> Result<Arc<KeySet>, KeyFault> {
        let fetched = match self {
            Self::Fixed(keys) => return Ok(Arc::clone(keys)),
            Self::Fetched(fetched) => fetched,
        };
        let usable = lock(&fetched.known).usable();
        match usable {
            Some((keys, age)) => {
                if age >= FRESH && lock(&fetched.known).may_try(Duration::ZERO) {
                    // Nobody waits for it while the old ones may be used.
                    drop(fetched.begin(Duration::ZERO));
                }
                Ok(keys)
            }
            None => {
                let ended = fetched.begin(Duration::ZERO).await;
                let fault = ended.unwrap_or(Err(KeyFault::BackingOff)).err();
                let usable = lock(&fetched.known).usable();
                usable.map(|(keys, _)| keys).ok_or_else(|| fault.unwrap_or(KeyFault::BackingOff))
            }
        }
    }

    /// The keys after a token named one that is not among `known`: others, or nothing.
    pub(super) async fn after_unknown(&self, known: &Arc<KeySet>) -> Option<Arc<KeySet>> {
        let Self::Fetched(fetched) = self else { return None };
        let others = || {
            let (keys, _) = lock(&fetched.known).usable()?;
            (!Arc::ptr_eq(&keys, known)).then_some(keys)
        };
        if let Some(others) = others() {
            return Some(others);
        }
        // What failed is in the log; the token is one of an unknown key then.
        let _ = fetched.begin(UNKNOWN_KEY).await;
        others()
    }
}

impl FetchedKeys {
    /// Fetches the keys, unless somebody else just did. It goes on where the request that wants them ends.
    fn begin(self: &Arc<Self>, usually: Duration) -> JoinHandle<Result<(), KeyFault>> {
        let (fetched, asked) = (Arc::clone(self), Instant::now());
        tokio::spawn(async move { fetched.fetch(asked, usually).await })
    }

    async fn fetch(&self, asked: Instant, usually: Duration) -> Result<(), KeyFault> {
        let _fetching = self.fetching.lock().await;
        {
            let mut known = lock(&self.known);
            if known.tried.is_some_and(|tried| tried >= asked) && known.failures == 0 {
                return Ok(());
            }
            if !known.may_try(usually) {
                return Err(KeyFault::BackingOff);
            }
            known.tried = Some(Instant::now());
        }
        let fetched = self.address.fetch().await;
        let mut known = lock(&self.known);
        match fetched {
            Ok(keys) => {
                known.keys = Some((Arc::new(keys), Instant::now()));
                known.failures = 0;
                Ok(())
            }
            Err(fault) => {
                known.failures = known.failures.saturating_add(1);
                let failures = known.failures;
                drop(known);
                tracing::warn!(failures, why = %Logged::text(&fault), "the keys of tokens do not come");
                Err(fault)
            }
        }
    }
}
