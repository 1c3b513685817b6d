//! The errors of agents and sessions.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{0}` is not a valid agent name; use 1 to 64 letters, digits, `_` and `-`")]
    Name(String),
    #[error("the agent `{0}` has both a handler and model settings; remove one of them")]
    HandlerAndModel(String),
    #[error(
        "Cannot send 'state' to agent `{0}`, whose sessions are stored; send `snapshotId` or `sessionId`"
    )]
    StateGiven(String),
    #[error(
        "the agent `{0}` is client-managed and does not accept `snapshotId` or `sessionId`; send `state`"
    )]
    ClientManaged(String),
    #[error(
        "the agent `{0}` has a handler, so it cannot become a tool; write the tool as a function that runs it"
    )]
    HandlerAsTool(String),
    #[error("a session id must be 1 to 512 bytes long, without control characters")]
    SessionId,
    #[error("there is no snapshot `{0}`")]
    NoSnapshot(String),
    #[error("the snapshot `{0}` belongs to another session")]
    OtherSession(String),
    #[error(
        "the snapshot `{0}` is not resumable, because its turn is still running; wait for it or abort it"
    )]
    Running(String),
    #[error("the task `{0}` is still running; wait for it or abort it")]
    TaskRunning(String),
    #[error("the parents of snapshot `{0}` form a cycle")]
    Cycle(String),
    #[error(
        "the input is empty, and there is no failed or aborted turn to repeat; \
         send a message, or `resume` with answers"
    )]
    NothingSent,
    #[error("send either a message or `resume`, not both")]
    BothSent,
    #[error("the message of a turn must be from the user; this one has the role {0:?}")]
    NotAUserMessage(genkit_core::Role),
    #[error("the last turn has no open question; send a message instead of `resume`")]
    NothingAsked,
    #[error("the last turn waits for answers; send `resume` instead of a message")]
    WaitsForAnswers,
    #[error("the call `{0}` was not requested in this session, so it cannot be answered")]
    UnknownCall(String),
    #[error("cannot restart `{0}` with modified inputs; send the input of the request unchanged")]
    ModifiedInput(String),
    #[error("a client-managed agent cannot run in the background; remove `detach`")]
    CannotDetach,
    #[error("another turn of this session is still running after {0:?}; try again later")]
    Busy(std::time::Duration),
    #[error("the session was taken over by another process")]
    TakenOver,
    #[error("the session has {0} snapshots, which is the limit; start a new session")]
    ManySnapshots(usize),
    #[error("the session is larger than the limit of {0} bytes; start a new session")]
    LargeSession(usize),
    #[error("the call has {found} inputs; send at most {limit}")]
    ManyInputs { found: usize, limit: usize },
    #[error("the turn did not finish within {0:?}")]
    Overdue(std::time::Duration),
    #[error("failed to read the stored session: {0}")]
    Unreadable(#[source] serde_json::Error),
    #[error("the custom state does not match its type: {0}")]
    CustomState(#[source] serde_json::Error),
    #[error("the state does not match the state type of the agent `{agent}`: {why}")]
    StateMismatch { agent: String, why: String },
    #[error("the state type of the agent `{agent}` cannot be used: {why}")]
    StateType { agent: String, why: String },
    #[error("the agent name `{0}` is too long to be part of a tool name; use at most {1} bytes")]
    CalledName(String, usize),
    #[error("duplicate agent name `{0}`; rename one of the agents that can call each other")]
    TwoMembers(String),
    #[error(
        "the agent `{0}` is not a hand-over target of this agent; add it with `.hand_over_to([..])`"
    )]
    NoTarget(String),
    #[error(
        "the conversation was handed over more than {0} times in one turn; check the instructions of the agents for a loop"
    )]
    ManyHandOvers(usize),
    #[error("the conversation was already handed over to `{0}`, so this call had no effect")]
    HandedOver(String),
    #[error(
        "the agent `{0}` is client-managed, so its conversations cannot be served here; remove `.client_managed(true)`"
    )]
    NotServed(String),
    #[error(
        "the turn failed because {0} processes ended while running it; find the cause in their logs, then send the message again"
    )]
    Hopeless(u32),
    #[error(
        "the agent `{0}` is client-managed, so it cannot work in the background; remove `.client_managed(true)`"
    )]
    NoBackground(String),
    #[error("there is no task `{0}`; use an id that a `delegate_to_` tool returned")]
    NoTask(String),
    #[error("the call has {found} task ids; send 1 to {limit}")]
    TaskCount { found: usize, limit: usize },
    #[error("{0} tasks of this agent are already running; wait for one of them")]
    ManyTasks(usize),
    #[error("the session has a newer snapshot; reload the conversation and try again")]
    Advanced,
    #[error("the request is not valid for this agent: {0}")]
    Request(String),
    #[error("the agent failed unexpectedly")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::StateGiven(_)
            | Self::ClientManaged(_)
            | Self::Running(_)
            | Self::TaskRunning(_)
            | Self::Cycle(_)
            | Self::WaitsForAnswers
            | Self::Advanced
            | Self::HandedOver(_)
            | Self::CannotDetach
            | Self::CustomState(_) => ErrorKind::FailedPrecondition,
            Self::NoSnapshot(_) | Self::NoTask(_) => ErrorKind::NotFound,
            Self::Busy(_) | Self::TakenOver | Self::Hopeless(_) => ErrorKind::Aborted,
            Self::ManySnapshots(_)
            | Self::LargeSession(_)
            | Self::ManyHandOvers(_)
            | Self::ManyTasks(_) => ErrorKind::ResourceExhausted,
            Self::Overdue(_) => ErrorKind::DeadlineExceeded,
            Self::Unreadable(_) | Self::Panicked => ErrorKind::Internal,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
