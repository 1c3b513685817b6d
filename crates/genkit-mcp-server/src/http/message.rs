//! The message of a POST before it is handled: its outline and its session.

use genkit_core::internal::warnings::WarningBudget;
use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;
use http::header::USER_AGENT;
use rmcp::model::{ProtocolVersion, RequestId};

use super::SESSION;
use super::endpoint::{EndpointState, RequestSender};
use super::rejection::HttpRejection;
use super::rules::{ParamsOutline, RequestOutline, Rules};
use super::sessions::SessionInUse;
use crate::engine::{Message, MessageRejection, read_message};
use crate::session::Session;

/// The parts of a message that are needed before it is handled.
pub(super) struct Outline<'a> {
    /// `None` for a response from the client.
    pub method: Option<&'a str>,
    /// Set only for requests.
    pub id: Option<&'a RequestId>,
    pub(super) params: ParamsOutline<'a>,
}

/// The session that a message belongs to.
pub(super) enum MessageSession {
    Existing(SessionInUse),
    /// A new session, which is opened if the handshake succeeds.
    New(Arc<Session>),
    /// No session. This temporary session is only used for the message.
    Temporary(Arc<Session>),
}

impl<'a> Outline<'a> {
    pub(super) fn from_message(message: &'a Message<'_>) -> Self {
        let (method, id, params) = match message {
            Message::Request { id, method, params } => (Some(&**method), Some(id), *params),
            Message::Notification { method, params } => (Some(&**method), None, *params),
            Message::Response { .. } => (None, None, None),
        };
        Self { method, id, params: ParamsOutline::parse_params(params) }
    }

    pub(super) fn request_outline(&self) -> RequestOutline<'_> {
        RequestOutline { method: self.method, is_request: self.id.is_some(), params: &self.params }
    }

    /// Returns whether the message is the handshake of a new session. Clients can also send handshakes within a
    /// session.
    fn opens_session(&self, headers: &HeaderMap) -> bool {
        let opens = self.id.is_some() && self.method == Some("initialize");
        opens && !headers.contains_key(SESSION)
    }

    pub(super) fn changes_session(&self) -> bool {
        matches!(
            self.method,
            Some("logging/setLevel" | "resources/subscribe" | "resources/unsubscribe")
        )
    }
}

impl MessageSession {
    pub(super) fn session(&self) -> Arc<Session> {
        Arc::clone(match self {
            Self::Existing(kept) => &kept.session,
            Self::New(session) | Self::Temporary(session) => session,
        })
    }
}

/// Parses the message in a body.
pub(super) fn message_in(body: &[u8]) -> Result<Message<'_>, HttpRejection> {
    read_message(body).map_err(|rejected| match rejected {
        MessageRejection::Answer(answer) => HttpRejection::InvalidMessage(Some(answer)),
        MessageRejection::Silent(reason) => {
            tracing::debug!(reason, "rejected a body that is not a valid message");
            HttpRejection::InvalidMessage(None)
        }
    })
}

impl EndpointState {
    /// Returns the session that a message belongs to, or a temporary session.
    pub(super) async fn session_for_message(
        &self,
        message: &Message<'_>,
        outline: &Outline<'_>,
        rules: Rules,
        headers: &HeaderMap,
        sender: &RequestSender<'_>,
    ) -> Result<MessageSession, HttpRejection> {
        match (&self.sessions, rules) {
            (Some(sessions), Rules::Handshake(_)) if outline.opens_session(headers) => {
                let quotas = &self.engine.shared.quotas;
                let room = sessions.make_room(quotas, &sender.client);
                let (quota, counted) = room.ok_or(HttpRejection::TooManySessions)?;
                Ok(MessageSession::New(Arc::new(Session::new(quota, Some(counted)))))
            }
            (Some(_), Rules::Handshake(_)) => {
                let kept = self.find_session(headers, sender).await?;
                self.check_is_expected(message, &kept.session)?;
                Ok(MessageSession::Existing(kept))
            }
            (..) if matches!(message, Message::Response { .. }) => Err(HttpRejection::NothingAsked),
            (_, rules) => {
                let name = calls_itself(&outline.params, headers);
                Ok(MessageSession::Temporary(without_session(rules, sender, &name)))
            }
        }
    }

    /// If there can be other instances, checks that a response from a client answers a question of this
    /// instance.
    fn check_is_expected(
        &self,
        message: &Message<'_>,
        session: &Session,
    ) -> Result<(), HttpRejection> {
        if let Message::Response { id, .. } = message
            && self.store.is_some()
            && !session.connection.has_question(id)
        {
            static WARNINGS: WarningBudget = WarningBudget::new();
            if let Some(warnings) = WARNINGS.count_warning() {
                tracing::warn!(
                    warnings,
                    "rejected an answer to a question that this instance did not ask or that is no longer pending"
                );
            }
            return Err(HttpRejection::NotAskedHere);
        }
        Ok(())
    }
}

/// Returns the temporary session for a message without a session.
fn without_session(rules: Rules, sender: &RequestSender<'_>, name: &str) -> Arc<Session> {
    let version = match rules {
        Rules::Handshake(version) => version,
        Rules::Described => ProtocolVersion::V_2026_07_28,
    };
    let quota = sender.client.open_sessionless(name);
    Arc::new(Session::new(quota, None).without_handshake(version))
}

/// Returns the name that distinguishes programs at the same address.
fn calls_itself<'a>(params: &ParamsOutline<'a>, headers: &'a HeaderMap) -> Cow<'a, str> {
    let agent = || headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    params.client_name().or_else(|| agent().map(Cow::Borrowed)).unwrap_or_default()
}
