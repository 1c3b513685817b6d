//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::body::{BodyBudget, BodyError, WholeBody, copy_values, read_body};
pub use crate::connections::{Connection, client_for};
pub use crate::cors::Cors;
pub use crate::drain::{Drain, RunningRequest};
pub use crate::fair_limit::{FairLimit, FairPermit, MemoryLimitReached};
pub use crate::host::{AllowedHosts, HostRejection};
pub use crate::listening::{BoundListener, ListenAddress, Listening, OnListening};
pub use crate::media_types::{accepted_weight, accepts_type, content_encoding, is_json};
pub use crate::secret::matches_secret;
pub use crate::serving::{GRACE, HttpApp, HttpServing, Peer};
