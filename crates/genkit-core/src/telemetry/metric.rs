//! Metrics: their names, units and bounds, as OpenTelemetry's semantic conventions have them.

/// Bounds of a time in seconds, of MCP's operations and sessions.
const MCP_SECONDS: &[f64] =
    &[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// Bounds of a time in seconds, of calls of models.
const GEN_AI_SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/// Bounds of a number of tokens.
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

/// A metric that [`Telemetry`](super::Telemetry) takes measurements of.
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
    /// Duration of a request that was served. How many there were, and with `error.type` how many failed, is the
    /// count of it.
    McpServerDuration,
    /// Number of requests that are being served.
    McpServerActiveRequests,
    /// Number of sessions that are open.
    McpServerActiveSessions,
    /// Duration of a session.
    McpServerSessionDuration,
    /// Duration of a request to another MCP server.
    McpClientDuration,
    /// Duration of a connection to another MCP server.
    McpClientSessionDuration,
    /// Duration of a call of a model.
    GenAiDuration,
    /// Tokens of a call of a model, by `gen_ai.token.type`.
    GenAiTokens,
}

/// Metric kind: how the measurements of a [`Metric`] are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetricKind {
    /// Values are counted by their size.
    Histogram,
    /// Values are added: it goes up and down.
    UpDownCounter,
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
    ];

    /// Name: that of OpenTelemetry's conventions where they have one.
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
        }
    }

    /// Unit, as UCUM writes it.
    pub fn unit(self) -> &'static str {
        match self {
            Self::McpServerActiveRequests => "{request}",
            Self::McpServerActiveSessions => "{session}",
            Self::GenAiTokens => "{token}",
            _ => "s",
        }
    }

    /// Description: what it measures, in a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::McpServerDuration => {
                "Duration of an MCP request, from its arrival to its answer."
            }
            Self::McpServerActiveRequests => "MCP requests that are being served.",
            Self::McpServerActiveSessions => "MCP sessions that are open.",
            Self::McpServerSessionDuration => "Duration of an MCP session, as its server saw it.",
            Self::McpClientDuration => "Duration of an MCP request, as its client saw it.",
            Self::McpClientSessionDuration => "Duration of an MCP session, as its client saw it.",
            Self::GenAiDuration => "Duration of a call of a model.",
            Self::GenAiTokens => "Tokens of a call of a model.",
        }
    }

    /// Kind: how its measurements are put together.
    pub fn kind(self) -> MetricKind {
        match self {
            Self::McpServerActiveRequests | Self::McpServerActiveSessions => {
                MetricKind::UpDownCounter
            }
            _ => MetricKind::Histogram,
        }
    }

    /// The bounds of its histogram.
    pub fn boundaries(self) -> &'static [f64] {
        match self {
            Self::McpServerActiveRequests | Self::McpServerActiveSessions => &[],
            Self::GenAiDuration => GEN_AI_SECONDS,
            Self::GenAiTokens => TOKENS,
            _ => MCP_SECONDS,
        }
    }
}
