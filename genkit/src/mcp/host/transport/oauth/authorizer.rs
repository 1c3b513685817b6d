//! Gets access for all requests of one server, one at a time.

use std::sync::{Arc, Mutex};

use reqwest::Url;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::http::failure::Failure;
use super::OAuth;
use super::authorization_code::Person;
use super::challenge::Challenge;
use super::client_credentials::Machine;
use super::credentials::Token;
use crate::error::{Error, ErrorKind, Result};
use crate::sync::lock;

/// Gets access for all requests of one server.
pub(crate) struct Authorizer {
    shared: Arc<Shared>,
}

/// Access for the next try.
pub(crate) struct Renewed {
    pub(crate) token: String,
    /// Whether it was given just now, and not renewed or given to another request.
    pub(crate) fresh: bool,
}

struct Shared {
    /// Whoever holds it speaks with the authorization server.
    flow: tokio::sync::Mutex<Flow>,
    held: Mutex<Option<Token>>,
    /// How many rounds there were, and how the last one failed.
    rounds: Mutex<(u64, Option<Failure>)>,
    closing: CancellationToken,
}

/// The ways to access.
enum Flow {
    Person(Box<Person>),
    Machine(Box<Machine>),
}

impl Flow {
    /// The access that is there, renewed if it is about to end.
    async fn current(&mut self) -> Result<Option<Token>, Failure> {
        match self {
            Self::Person(flow) => flow.current().await,
            Self::Machine(flow) => flow.current().await,
        }
    }

    /// New access, and whether it was given just now.
    async fn renew(
        &mut self,
        challenge: &Challenge,
        sent: Option<&str>,
        may_ask: bool,
    ) -> Result<(Token, bool), Failure> {
        match self {
            Self::Person(flow) => flow.renew(challenge, sent, may_ask).await,
            Self::Machine(flow) => Ok((flow.renew(challenge).await?, true)),
        }
    }
}

impl Authorizer {
    /// With what ends, once it is dropped, all that is under way.
    pub(crate) fn new(
        key: &str,
        url: &Url,
        oauth: &OAuth,
        busy: watch::Sender<bool>,
    ) -> Result<(Self, DropGuard)> {
        let check = oauth.check().map_err(|error| {
            Error::invalid_argument(format!("the OAuth of server {key:?}: {error}"))
        });
        check?;
        let mut resource = url.clone();
        resource.set_query(None);
        resource.set_fragment(None);
        // What has a host can have a user, so that neither fails.
        let _ = resource.set_username("");
        let _ = resource.set_password(None);
        let flow = if oauth.machine {
            Flow::Machine(Box::new(Machine::new(resource, oauth, busy)))
        } else {
            Flow::Person(Box::new(Person::new(key, resource, oauth, busy)))
        };
        let closing = CancellationToken::new();
        let shared = Arc::new(Shared {
            flow: tokio::sync::Mutex::new(flow),
            held: Mutex::new(None),
            rounds: Mutex::new((0, None)),
            closing: closing.clone(),
        });
        Ok((Self { shared }, closing.drop_guard()))
    }

    /// The access that is there, however old.
    pub(crate) fn held(&self) -> Option<String> {
        Some(self.shared.held()?.secret)
    }

    /// The access to send, if there is any: renewed if it is about to end.
    pub(crate) async fn token(&self) -> Result<Option<String>, Failure> {
        if let Some(token) = self.shared.held().filter(Token::is_fresh) {
            return Ok(Some(token.secret));
        }
        let shared = Arc::clone(&self.shared);
        let current = run(async move {
            let mut flow = shared.flow.lock().await;
            if let Some(token) = shared.held().filter(Token::is_fresh) {
                return Ok(Some(token));
            }
            let current = shared.unless_closing(flow.current()).await;
            match (current, shared.held()) {
                (Ok(current), _) => {
                    shared.hold(current.clone());
                    Ok(current)
                }
                // The server decides whether what is there still does.
                (Err(_), Some(held)) => Ok(Some(held)),
                (Err(failure), None) => Err(failure),
            }
        });
        Ok(current.await?.map(|token| token.secret))
    }

    /// New access after `challenge`, which refused what was `sent`. Only with `may_ask` a person is
    /// asked. A round that has begun goes on also if the request that began it is given up: a
    /// person may be at it.
    pub(crate) async fn renew(
        &self,
        challenge: Challenge,
        sent: Option<String>,
        may_ask: bool,
    ) -> Result<Renewed, Failure> {
        let shared = Arc::clone(&self.shared);
        let before = shared.round();
        run(async move {
            let mut flow = shared.flow.lock().await;
            if let Some(held) = shared.held().filter(|held| sent.as_ref() != Some(&held.secret)) {
                return Ok(Renewed { token: held.secret, fresh: false });
            }
            // Whoever waited for a round that failed does not ask the same person again.
            if let Some(failure) = shared.failed_since(before) {
                return Err(failure);
            }
            let renewing = flow.renew(&challenge, sent.as_deref(), may_ask);
            let renewed = shared.unless_closing(renewing).await;
            // Where nobody was asked, nobody said no to the others.
            if may_ask || renewed.is_ok() {
                shared.end_round(renewed.as_ref().err());
            }
            let (token, fresh) = renewed?;
            shared.hold(Some(token.clone()));
            Ok(Renewed { token: token.secret, fresh })
        })
        .await
    }
}

impl Shared {
    fn held(&self) -> Option<Token> {
        lock(&self.held).clone()
    }

    fn hold(&self, token: Option<Token>) {
        *lock(&self.held) = token;
    }

    fn round(&self) -> u64 {
        lock(&self.rounds).0
    }

    fn end_round(&self, failure: Option<&Failure>) {
        let mut rounds = lock(&self.rounds);
        *rounds = (rounds.0 + 1, failure.cloned());
    }

    fn failed_since(&self, before: u64) -> Option<Failure> {
        let rounds = lock(&self.rounds);
        rounds.1.clone().filter(|_| rounds.0 > before)
    }

    async fn unless_closing<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => {
                Err(Failure::new(ErrorKind::Cancelled, "the connection was closed meanwhile"))
            }
            done = work => done,
        }
    }
}

/// Runs apart from the caller, who may give up.
async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(fault) if fault.is_panic() => {
            Err(Failure::new(ErrorKind::Internal, "what asks for access panicked"))
        }
        Err(_) => Err(Failure::new(ErrorKind::Cancelled, "the program ends")),
    }
}
