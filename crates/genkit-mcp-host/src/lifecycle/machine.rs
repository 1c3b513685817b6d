//! The state machine of a server's connection: connect, reconnect, back off, give up.
//!
//! It is synchronous: time and random bits are passed in, and the supervisor performs the returned actions.
//!
//! ```text
//! Disabled ─Start─▶ Connecting ─Connected─▶ Connected ─Lost─▶ Closing ─Ended─▶ Connecting | Waiting
//!                      │  ▲                                                        │
//!                Refused  └──────────────── Elapsed | RetryNow | Start ◀─ Waiting ◀┘
//!                      └─▶ Waiting | Failed ─Start─▶ Connecting       Disable, Close: from anywhere
//! ```

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Reconnect;
use crate::limits::{IMMEDIATE_RETRIES, STABLE_AFTER};
use crate::status::ServerState;
use genkit_core::{Error, ErrorKind};

/// The range of random delays, in milliseconds, so that programs that share a server do not reconnect simultaneously.
const JITTER_MS: u64 = 250;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkState {
    Disabled,
    Connecting,
    Connected { since: Instant },
    Closing(AfterClose),
    Waiting,
    Failed,
    Closed,
}

/// The action after a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterClose {
    Disable,
    Connect,
    Wait,
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEvent {
    /// A connection is desired, and replaces an existing one.
    Start,
    Disable,
    Close,
    /// A caller needs the connection now.
    RetryNow,
    Connected,
    Refused(ConnectErrorKind),
    /// The connection ended on its own.
    Lost,
    /// The connection is closed, and its process has ended.
    Ended,
    /// The delay has elapsed.
    Elapsed,
}

/// The kind of a connection error, which determines whether a retry can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectErrorKind {
    /// A retry may succeed.
    Transient,
    /// The configuration is wrong; if it worked before, a retry may succeed.
    Misconfigured,
    /// Access was denied, or the error is fatal.
    Denied,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkAction {
    Connect,
    /// Watch the connection until it ends.
    Hold,
    Close,
    Wait(Duration),
    /// Do nothing until the desired state changes.
    Idle,
    /// Like `Idle`, after an error that a retry does not fix, or after the last retry.
    Fail,
    /// Continue the current work.
    Continue,
    Stop,
}

/// The state of a server's connection, with its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkMachine {
    state: LinkState,
    /// How many connections in a row failed or were lost early.
    tries: u32,
    was_connected: bool,
    reconnect: Reconnect,
}

impl LinkMachine {
    pub(crate) fn new(reconnect: Reconnect) -> Self {
        Self { state: LinkState::Disabled, tries: 0, was_connected: false, reconnect }
    }

    pub(crate) fn tries(&self) -> u32 {
        self.tries
    }

    /// Returns the public state.
    pub(crate) fn server_state(&self) -> ServerState {
        match self.state {
            LinkState::Disabled | LinkState::Closing(AfterClose::Disable) => ServerState::Disabled,
            LinkState::Connecting | LinkState::Closing(AfterClose::Connect | AfterClose::Wait) => {
                ServerState::Connecting
            }
            LinkState::Connected { .. } => ServerState::Connected,
            LinkState::Waiting => ServerState::Waiting,
            LinkState::Failed => ServerState::Failed,
            LinkState::Closed | LinkState::Closing(AfterClose::Stop) => ServerState::Closed,
        }
    }

    /// Handles an event; an event that is unexpected in the current state changes nothing.
    pub(crate) fn handle_event(
        &mut self,
        event: LinkEvent,
        now: Instant,
        random: u64,
    ) -> LinkAction {
        use {AfterClose as After, LinkAction as Action, LinkEvent as Event, LinkState as State};
        if let State::Connected { since } = self.state
            && matches!(event, Event::Start | Event::Disable | Event::Close | Event::Lost)
            && now.saturating_duration_since(since) >= STABLE_AFTER
        {
            self.tries = 0;
        }
        let (state, action) = match (self.state, event) {
            (State::Closed, _) => (State::Closed, Action::Stop),

            (State::Connected { .. }, Event::Close) => (State::Closing(After::Stop), Action::Close),
            (State::Closing(_), Event::Close) => (State::Closing(After::Stop), Action::Continue),
            (_, Event::Close) => (State::Closed, Action::Stop),

            (State::Connected { .. }, Event::Disable) => {
                (State::Closing(After::Disable), Action::Close)
            }
            (State::Closing(_), Event::Disable) => {
                (State::Closing(After::Disable), Action::Continue)
            }
            (_, Event::Disable) => self.enter_disabled(),

            (State::Connected { .. }, Event::Start) => {
                (State::Closing(After::Connect), Action::Close)
            }
            (State::Closing(_), Event::Start) => (State::Closing(After::Connect), Action::Continue),
            (_, Event::Start) => (State::Connecting, Action::Connect),

            (State::Waiting, Event::RetryNow | Event::Elapsed) => {
                (State::Connecting, Action::Connect)
            }

            (State::Connecting, Event::Connected) => {
                self.was_connected = true;
                (State::Connected { since: now }, Action::Hold)
            }
            (State::Connecting, Event::Refused(refusal)) => match refusal {
                ConnectErrorKind::Denied => (State::Failed, Action::Fail),
                ConnectErrorKind::Misconfigured if !self.was_connected => {
                    (State::Failed, Action::Fail)
                }
                ConnectErrorKind::Misconfigured | ConnectErrorKind::Transient => {
                    self.back_off(random)
                }
            },
            // A server that was connected is most likely available again immediately.
            (State::Connected { .. }, Event::Lost)
                if self.tries < IMMEDIATE_RETRIES.min(self.reconnect.max_retries) =>
            {
                self.tries += 1;
                (State::Closing(After::Connect), Action::Close)
            }
            (State::Connected { .. }, Event::Lost) => (State::Closing(After::Wait), Action::Close),

            (State::Closing(After::Disable), Event::Ended) => self.enter_disabled(),
            (State::Closing(After::Connect), Event::Ended) => (State::Connecting, Action::Connect),
            (State::Closing(After::Wait), Event::Ended) => self.back_off(random),
            (State::Closing(After::Stop), Event::Ended) => (State::Closed, Action::Stop),

            // A call does not start an attempt in these states. In particular, it does not retry a server that failed.
            (
                state @ (State::Disabled | State::Connecting | State::Connected { .. })
                | state @ (State::Closing(_) | State::Failed),
                Event::RetryNow,
            ) => (state, Action::Continue),
            (state, Event::Connected | Event::Refused(_) | Event::Lost | Event::Ended)
            | (state, Event::Elapsed) => (state, Action::Continue),
        };
        self.state = state;
        action
    }

    /// Enters the disabled state and clears the failure history.
    fn enter_disabled(&mut self) -> (LinkState, LinkAction) {
        self.tries = 0;
        (LinkState::Disabled, LinkAction::Idle)
    }

    fn back_off(&mut self, random: u64) -> (LinkState, LinkAction) {
        let Some(delay) = self.reconnect.backoff().next_delay(self.tries) else {
            return (LinkState::Failed, LinkAction::Fail);
        };
        self.tries += 1;
        let jitter = Duration::from_millis(random % JITTER_MS);
        (LinkState::Waiting, LinkAction::Wait(delay.saturating_add(jitter)))
    }
}

impl ConnectErrorKind {
    pub(crate) fn for_error(error: &Error) -> Self {
        match error.kind() {
            _ if error.is_fatal() => Self::Denied,
            ErrorKind::Unauthenticated | ErrorKind::PermissionDenied => Self::Denied,
            ErrorKind::InvalidArgument
            | ErrorKind::NotFound
            | ErrorKind::FailedPrecondition
            | ErrorKind::Unimplemented => Self::Misconfigured,
            _ => Self::Transient,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{FIRST_BACKOFF, MAX_BACKOFF};

    use super::{
        AfterClose as After, LinkAction as Action, LinkEvent as Event, LinkState as State, *,
    };

    fn machine(state: State) -> LinkMachine {
        LinkMachine { state, ..LinkMachine::new(Reconnect::new()) }
    }

    /// Every pair of state and event, without a history.
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn each_event_in_each_state() {
        let now = Instant::now();
        let connected = State::Connected { since: now };
        let closing = State::Closing;
        let wait = Action::Wait(FIRST_BACKOFF);
        let states = [
            State::Disabled,
            State::Connecting,
            connected,
            closing(After::Disable),
            closing(After::Connect),
            closing(After::Wait),
            closing(After::Stop),
            State::Waiting,
            State::Failed,
            State::Closed,
        ];
        let go_on = |state| (state, Action::Continue);
        let connect = (State::Connecting, Action::Connect);
        let disabled = (State::Disabled, Action::Idle);
        let failed = (State::Failed, Action::Fail);
        let stop = (State::Closed, Action::Stop);
        // One row for each event, one column for each state, in the order of `states`.
        let table: [(Event, [(State, Action); 10]); 11] = [
            (
                Event::Start,
                [
                    connect,
                    connect,
                    (closing(After::Connect), Action::Close),
                    go_on(closing(After::Connect)),
                    go_on(closing(After::Connect)),
                    go_on(closing(After::Connect)),
                    go_on(closing(After::Connect)),
                    connect,
                    connect,
                    stop,
                ],
            ),
            (
                Event::Disable,
                [
                    disabled,
                    disabled,
                    (closing(After::Disable), Action::Close),
                    go_on(closing(After::Disable)),
                    go_on(closing(After::Disable)),
                    go_on(closing(After::Disable)),
                    go_on(closing(After::Disable)),
                    disabled,
                    disabled,
                    stop,
                ],
            ),
            (
                Event::Close,
                [
                    stop,
                    stop,
                    (closing(After::Stop), Action::Close),
                    go_on(closing(After::Stop)),
                    go_on(closing(After::Stop)),
                    go_on(closing(After::Stop)),
                    go_on(closing(After::Stop)),
                    stop,
                    stop,
                    stop,
                ],
            ),
            (Event::RetryNow, row(states, 7, connect)),
            (Event::Connected, row(states, 1, (connected, Action::Hold))),
            (Event::Refused(ConnectErrorKind::Transient), row(states, 1, (State::Waiting, wait))),
            (Event::Refused(ConnectErrorKind::Misconfigured), row(states, 1, failed)),
            (Event::Refused(ConnectErrorKind::Denied), row(states, 1, failed)),
            (Event::Lost, row(states, 2, (closing(After::Connect), Action::Close))),
            (
                Event::Ended,
                [
                    go_on(State::Disabled),
                    go_on(State::Connecting),
                    go_on(connected),
                    disabled,
                    connect,
                    (State::Waiting, wait),
                    stop,
                    go_on(State::Waiting),
                    go_on(State::Failed),
                    stop,
                ],
            ),
            (Event::Elapsed, row(states, 7, connect)),
        ];
        let mut pairs = std::collections::HashSet::new();
        for (event, row) in table {
            for (state, expected) in states.into_iter().zip(row) {
                let mut machine = machine(state);
                let action = machine.handle_event(event, now, 0);
                assert_eq!((machine.state, action), expected, "{state:?} and {event:?}");
                assert!(pairs.insert(format!("{state:?} {event:?}")));
            }
        }
        // Does not compile if a state or an event is added, so that none is missing from the table.
        let known = |state, event| match (state, event) {
            (
                State::Disabled
                | State::Connecting
                | State::Connected { .. }
                | State::Waiting
                | State::Failed
                | State::Closed
                | State::Closing(After::Disable | After::Connect | After::Wait | After::Stop),
                Event::Start
                | Event::Disable
                | Event::Close
                | Event::RetryNow
                | Event::Connected
                | Event::Lost
                | Event::Ended
                | Event::Elapsed
                | Event::Refused(
                    ConnectErrorKind::Transient
                    | ConnectErrorKind::Misconfigured
                    | ConnectErrorKind::Denied,
                ),
            ) => 10 * 11,
        };
        assert_eq!(pairs.len(), known(State::Closed, Event::Close));
    }

    /// Returns a row with `expected` in one column. In the other columns, the event changes nothing.
    fn row(states: [State; 10], column: usize, expected: (State, Action)) -> [(State, Action); 10] {
        let mut row = states.map(|state| (state, Action::Continue));
        row[9].1 = Action::Stop;
        row[column] = expected;
        row
    }

    #[test]
    fn waits_double_up_to_the_longest_with_jitter() {
        let now = Instant::now();
        let mut machine = machine(State::Connecting);
        let mut waits = Vec::new();
        for random in [0, 249, 250, 1, 0, 0, 0, 0, 0, u64::MAX] {
            let refused = Event::Refused(ConnectErrorKind::Transient);
            let Action::Wait(wait) = machine.handle_event(refused, now, random) else {
                panic!("no wait")
            };
            waits.push(wait.as_millis());
            assert_eq!(machine.handle_event(Event::Elapsed, now, random), Action::Connect);
        }
        let last = 60_000 + u128::from(u64::MAX % JITTER_MS);
        assert_eq!(waits, [500, 1249, 2000, 4001, 8000, 16_000, 32_000, 60_000, 60_000, last]);
        machine.tries = u32::MAX - 1;
        let wait = machine.handle_event(Event::Refused(ConnectErrorKind::Transient), now, 0);
        assert_eq!(wait, Action::Wait(MAX_BACKOFF));
    }

    /// Loses a connection after the time `held`, and returns the action after it is closed.
    fn lose(machine: &mut LinkMachine, held: Duration) -> Action {
        let now = Instant::now();
        machine.handle_event(Event::Connected, now, 0);
        assert_eq!(machine.handle_event(Event::Lost, now + held, 0), Action::Close);
        machine.handle_event(Event::Ended, now + held, 0)
    }

    #[test]
    fn lost_connection_is_retried_immediately_a_few_times() {
        let mut machine = machine(State::Connecting);
        let short = STABLE_AFTER - Duration::from_millis(1);
        for _ in 0..IMMEDIATE_RETRIES {
            assert_eq!(lose(&mut machine, short), Action::Connect);
        }
        // The delays continue the series that the immediate retries started.
        let wait = FIRST_BACKOFF * (1 << IMMEDIATE_RETRIES);
        assert_eq!(lose(&mut machine, short), Action::Wait(wait));
        machine.handle_event(Event::Elapsed, Instant::now(), 0);
        assert_eq!(lose(&mut machine, STABLE_AFTER), Action::Connect);
        assert_eq!(machine.tries(), 1);
    }

    #[test]
    fn retries_follow_the_reconnect_settings() {
        let now = Instant::now();
        let seconds = Duration::from_secs;
        let mut machine = machine(State::Connecting);
        machine.reconnect =
            Reconnect::new().max_retries(3).first_delay(seconds(2)).max_delay(seconds(5));
        let refused = Event::Refused(ConnectErrorKind::Transient);
        for wait in [2, 4, 5] {
            assert_eq!(machine.handle_event(refused, now, 0), Action::Wait(seconds(wait)));
            machine.handle_event(Event::Elapsed, now, 0);
        }
        assert_eq!(machine.handle_event(refused, now, 0), Action::Fail);
        assert_eq!(machine.handle_event(Event::RetryNow, now, 0), Action::Continue);
        assert_eq!(machine.handle_event(Event::Start, now, 0), Action::Connect, "manual start");
    }

    #[test]
    fn never_is_never() {
        let now = Instant::now();
        let never = || LinkMachine { reconnect: Reconnect::never(), ..machine(State::Connecting) };
        let refused = Event::Refused(ConnectErrorKind::Transient);
        assert_eq!(never().handle_event(refused, now, 0), Action::Fail);
        let mut machine = never();
        assert_eq!(lose(&mut machine, STABLE_AFTER), Action::Fail);
        assert_eq!(machine.server_state(), ServerState::Failed);
    }

    #[test]
    fn server_that_connected_once_is_reconnected() {
        let mut machine = machine(State::Connecting);
        lose(&mut machine, Duration::ZERO);
        let now = Instant::now();
        let wrong = machine.handle_event(Event::Refused(ConnectErrorKind::Misconfigured), now, 0);
        assert_eq!(wrong, Action::Wait(FIRST_BACKOFF * 2));
        machine.handle_event(Event::RetryNow, now, 0);
        assert_eq!(
            machine.handle_event(Event::Refused(ConnectErrorKind::Denied), now, 0),
            Action::Fail
        );
        // A manual reconnection keeps the history; enabling does not.
        assert_eq!(machine.handle_event(Event::Start, now, 0), Action::Connect);
        assert_eq!(machine.tries(), 2);
        machine.handle_event(Event::Disable, now, 0);
        assert_eq!(machine.tries(), 0);
        machine.handle_event(Event::Start, now, 0);
        let wrong = machine.handle_event(Event::Refused(ConnectErrorKind::Misconfigured), now, 0);
        assert_eq!(wrong, Action::Wait(FIRST_BACKOFF));
    }

    #[test]
    fn permanent_errors_are_not_retried() {
        let of = |kind| ConnectErrorKind::for_error(&Error::new(kind, "no"));
        assert_eq!(of(ErrorKind::Unavailable), ConnectErrorKind::Transient);
        assert_eq!(of(ErrorKind::NotFound), ConnectErrorKind::Misconfigured);
        assert_eq!(of(ErrorKind::Unauthenticated), ConnectErrorKind::Denied);
        let fatal = Error::new(ErrorKind::Unavailable, "no").into_fatal();
        assert_eq!(ConnectErrorKind::for_error(&fatal), ConnectErrorKind::Denied);
    }
}
