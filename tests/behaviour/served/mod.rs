//! What a server does around its functions: the audit log, middleware.

mod audit;
mod middleware;
mod requests;
