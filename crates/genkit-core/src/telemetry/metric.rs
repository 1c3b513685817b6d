//! Metrics: their names, units and histogram boundaries, from OpenTelemetry's semantic conventions.

/// Histogram boundaries for MCP operations and sessions, in seconds.
const MCP_SECONDS: &[f64] =
    &[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// Histogram boundaries for model calls, in seconds.
const GEN_AI_SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/// Histogram boundaries for numbers of tokens.
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// A metric that [`Telemetry`](super::Telemetry) records.
///
/// ```
/// use genkit::telemetry::{Metric, MetricKind};
///
/// let duration = Metric::McpServerDuration;
/// assert_eq!((duration.name(), duration.unit()), ("mcp.server.operation.duration", "s"));
/// assert_eq!(duration.kind(), MetricKind::Histogram);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// The duration of a served request. Its count is the number of requests. Failed requests have the attribute
    /// `error.type`.
    McpServerDuration,
    /// The number of requests currently being served.
    McpServerActiveRequests,
    /// The number of open sessions.
    McpServerActiveSessions,
    /// The duration of a session.
    McpServerSessionDuration,
    /// The duration of a request to another MCP server.
    McpClientDuration,
    /// The duration of a connection to another MCP server.
    McpClientSessionDuration,
    /// The duration of a model call.
    GenAiDuration,
    /// The number of tokens of a model call, by `gen_ai.token.type`.
    GenAiTokens,
    /// The number of durable runs in a store, by `genkit.durable.state`: `due`, `running` (in this worker), `waiting`
    /// and `failed`. Each worker measures its store once a minute and counts up to 10,000 runs.
    DurableRuns,
    /// The time that the oldest due run has waited for a worker. The value is 0 if no run is due.
    DurableOldestDue,
    /// The duration of a save of a durable run. Failed saves have the attribute `error.type`.
    DurableSaveDuration,
}

/// The kind of a [`Metric`]: how its measurements are aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetricKind {
    /// A distribution of values.
    Histogram,
    /// A sum of values, which can increase and decrease.
    UpDownCounter,
    /// The current value.
    Gauge,
}

impl Metric {
    /// All metrics.
    pub const ALL: &[Self] = &[
        Self::McpServerDuration,
        Self::McpServerActiveRequests,
        Self::McpServerActiveSessions,
        Self::McpServerSessionDuration,
        Self::McpClientDuration,
        Self::McpClientSessionDuration,
        Self::GenAiDuration,
        Self::GenAiTokens,
        Self::DurableRuns,
        Self::DurableOldestDue,
        Self::DurableSaveDuration,
    ];

    /// Returns the name, taken from OpenTelemetry's conventions if they define this metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::McpServerDuration => "mcp.server.operation.duration",
            Self::McpServerActiveRequests => "genkit.mcp.server.active_requests",
            Self::McpServerActiveSessions => "genkit.mcp.server.active_sessions",
            Self::McpServerSessionDuration => "mcp.server.session.duration",
            Self::McpClientDuration => "mcp.client.operation.duration",
            Self::McpClientSessionDuration => "mcp.client.session.duration",
            Self::GenAiDuration => "gen_ai.client.operation.duration",
            Self::GenAiTokens => "gen_ai.client.token.usage",
            Self::DurableRuns => "genkit.durable.runs",
            Self::DurableOldestDue => "genkit.durable.oldest_due.age",
            Self::DurableSaveDuration => "genkit.durable.save.duration",
        }
    }

    /// Returns the unit in UCUM notation.
    pub fn unit(self) -> &'static str {
        match self {
            Self::McpServerActiveRequests => "{request}",
            Self::McpServerActiveSessions => "{session}",
            Self::GenAiTokens => "{token}",
            Self::DurableRuns => "{run}",
            _ => "s",
        }
    }

    /// Returns a one-sentence description of what is measured.
    pub fn description(self) -> &'static str {
        match self {
            Self::McpServerDuration => {
                "Duration of an MCP request, from its arrival to its response."
            }
            Self::McpServerActiveRequests => "MCP requests in progress.",
            Self::McpServerActiveSessions => "Open MCP sessions.",
            Self::McpServerSessionDuration => "Duration of an MCP session, measured by the server.",
            Self::McpClientDuration => "Duration of an MCP request, measured by the client.",
            Self::McpClientSessionDuration => "Duration of an MCP session, measured by the client.",
            Self::GenAiDuration => "Duration of a model call.",
            Self::GenAiTokens => "Tokens used by a model call.",
            Self::DurableRuns => "Durable runs by state.",
            Self::DurableOldestDue => "Age of the oldest durable run that waits for a worker.",
            Self::DurableSaveDuration => "Duration of a save of a durable run.",
        }
    }

    /// Returns the kind: how the measurements are aggregated.
    pub fn kind(self) -> MetricKind {
        match self {
            Self::McpServerActiveRequests | Self::McpServerActiveSessions => {
                MetricKind::UpDownCounter
            }
            Self::DurableRuns | Self::DurableOldestDue => MetricKind::Gauge,
            _ => MetricKind::Histogram,
        }
    }

    /// Returns the histogram boundaries. The list is empty for metrics that are not histograms.
    pub fn boundaries(self) -> &'static [f64] {
        match self {
            _ if self.kind() != MetricKind::Histogram => &[],
            Self::GenAiDuration => GEN_AI_SECONDS,
            Self::GenAiTokens => TOKENS,
            _ => MCP_SECONDS,
        }
    }
}
