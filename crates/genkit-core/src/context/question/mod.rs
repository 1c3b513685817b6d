//! Questions to the caller (human in the loop, sampling, roots), with one mechanism for every caller.

// Declared first, because rustdoc lists methods in the order of their declaration.
mod elicit;
mod elicit_url;

mod answer;
mod approve;
mod ask;
mod data;
mod interrupt;
mod results;
mod root;
mod roots;
mod sample;
mod sample_request;

pub use answer::CallerAnswer;
pub use answer::{Decision, UserAction};
pub use approve::APPROVAL_KEY;
pub use ask::unanswerable_error;
pub use data::{Question, QuestionKind};
pub use interrupt::MCP_TASK;

pub use elicit::{Elicit, ElicitForm};
pub use elicit_url::ElicitUrl;
pub use results::{Elicited, Sampled};
pub use root::Root;
pub use roots::Roots;
pub use sample::Sample;
pub use sample_request::SampleRequest;
