//! What a server does around its functions: audit log, middleware.

mod audit;
mod middleware;
mod requests;
