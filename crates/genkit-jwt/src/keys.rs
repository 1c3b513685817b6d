//! The cache of an issuer's keys. It refreshes keys periodically and when a token has an unknown key
//! id, and limits how often the issuer is contacted.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::error::KeyError;
use crate::fetch::FetchUrl;
use crate::jwk::KeySet;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// The age at which keys in use are fetched again. Default is 10 minutes.
const REFRESH_AGE: Duration = Duration::from_secs(600);

/// The age at which keys are no longer used if the issuer does not respond. This limits how long a revoked
/// key is trusted. Default is 1 hour.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// The minimum interval between fetches because of unknown key ids, which untrusted clients can invent.
/// Default is 10 seconds.
const UNKNOWN_KEY_INTERVAL: Duration = Duration::from_secs(10);

/// The delay before the next attempt after the first failure, and the maximum delay. Default is 1 second
/// and 1 minute.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// The source of the keys of one issuer.
pub(crate) enum IssuerKeys {
    /// Keys that the program supplied.
    Fixed(Arc<KeySet>),
    Fetched(Arc<FetchedKeys>),
}

pub(crate) struct FetchedKeys {
    address: FetchUrl,
    known: Mutex<KnownKeys>,
    /// Held during a fetch.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct KnownKeys {
    keys: Option<(Arc<KeySet>, Instant)>,
    /// The time of the last attempt, and the number of failures since the last success.
    tried: Option<Instant>,
    failures: u32,
}

impl KnownKeys {
    fn usable_keys(&self) -> Option<(Arc<KeySet>, Duration)> {
        let (keys, fetched) = self.keys.as_ref()?;
        let age = fetched.elapsed();
        (age < MAX_AGE).then(|| (Arc::clone(keys), age))
    }

    /// Returns whether the issuer can be contacted now; `usually` is the minimum interval without failures.
    fn can_fetch(&self, usually: Duration) -> bool {
        let factor = 1_u32.checked_shl(self.failures.saturating_sub(1)).unwrap_or(u32::MAX);
        let after_failure = match self.failures {
            0 => Duration::ZERO,
            _ => BACK_OFF.0.saturating_mul(factor).min(BACK_OFF.1),
        };
        self.tried.is_none_or(|tried| tried.elapsed() >= usually.max(after_failure))
    }
}

impl IssuerKeys {
    pub(crate) fn fetched(address: FetchUrl) -> Self {
        let (known, fetching) = (Mutex::default(), tokio::sync::Mutex::default());
        Self::Fetched(Arc::new(FetchedKeys { address, known, fetching }))
    }

    /// Returns the current keys, and fetches them first if there are none.
    pub(crate) async fn current_keys(&self) -> Result<Arc<KeySet>, KeyError> {
        let fetched = match self {
            Self::Fixed(keys) => return Ok(Arc::clone(keys)),
            Self::Fetched(fetched) => fetched,
        };
        let usable = lock(&fetched.known).usable_keys();
        match usable {
            Some((keys, age)) => {
                if age >= REFRESH_AGE && lock(&fetched.known).can_fetch(Duration::ZERO) {
                    // Fetch in the background, because the old keys are still usable.
                    drop(fetched.start_fetch(Duration::ZERO));
                }
                Ok(keys)
            }
            None => {
                let ended = fetched.start_fetch(Duration::ZERO).await;
                let fault = ended.unwrap_or(Err(KeyError::BackingOff)).err();
                let usable = lock(&fetched.known).usable_keys();
                usable.map(|(keys, _)| keys).ok_or_else(|| fault.unwrap_or(KeyError::BackingOff))
            }
        }
    }

    /// Returns newer keys for a token whose key is not in `known`; `None` if newer keys cannot be fetched now.
    pub(crate) async fn refresh_for_unknown_key(&self, known: &Arc<KeySet>) -> Option<Arc<KeySet>> {
        let Self::Fetched(fetched) = self else { return None };
        let others = || {
            let (keys, _) = lock(&fetched.known).usable_keys()?;
            (!Arc::ptr_eq(&keys, known)).then_some(keys)
        };
        if let Some(others) = others() {
            return Some(others);
        }
        // The task logs a failure, and the caller then rejects the token because of its unknown key.
        let _ = fetched.start_fetch(UNKNOWN_KEY_INTERVAL).await;
        others()
    }
}

impl FetchedKeys {
    /// Fetches the keys, unless another caller has just done so. The fetch continues if the request that
    /// needs the keys is dropped.
    fn start_fetch(self: &Arc<Self>, usually: Duration) -> JoinHandle<Result<(), KeyError>> {
        let (fetched, asked) = (Arc::clone(self), Instant::now());
        tokio::spawn(async move { fetched.fetch(asked, usually).await })
    }

    async fn fetch(&self, asked: Instant, usually: Duration) -> Result<(), KeyError> {
        let _fetching = self.fetching.lock().await;
        {
            let mut known = lock(&self.known);
            if known.tried.is_some_and(|tried| tried >= asked) && known.failures == 0 {
                return Ok(());
            }
            if !known.can_fetch(usually) {
                return Err(KeyError::BackingOff);
            }
            known.tried = Some(Instant::now());
        }
        let fetched = self.address.fetch_keys().await;
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
                tracing::warn!(failures, why = %Logged::text(&fault), "cannot fetch the keys that verify tokens");
                Err(fault)
            }
        }
    }
}
