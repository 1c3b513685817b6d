//! What a server does around its functions: the audit log, masked errors, middleware.

mod audit;
mod masking;
mod middleware;
