//! Authenticates callers and checks their permissions: the guide page `authentication`.

use genkit::mcp::server::{JwtVerifier, Principal, ProtectedResource, TokenError};
use genkit::{Result, tool};

/// Returns the caller's name and scopes.
#[tool(read_only)]
async fn whoami(#[arg(extension)] user: &Principal) -> String {
    format!("{} with {}", user.id(), user.scopes().join(", "))
}

/// Deletes one of the caller's notes.
#[tool(permit = "notes:write")] // hidden from callers without this scope
async fn delete_note(#[arg(extension)] user: &Principal, id: u64) -> String {
    format!("{} deleted {id}", user.id())
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let server = genkit::serve_mcp().name("notes").health("/health");
    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());

    // Accept the tokens of an OAuth server if one is configured, else fixed API keys.
    let server = match (std::env::var("ISSUER"), std::env::var("RESOURCE")) {
        (Ok(issuer), Ok(resource)) => server
            .authenticate(JwtVerifier::builder(&issuer, &resource).build()?)
            .protected_resource(
                ProtectedResource::new(&resource).with_authorization_server(&issuer),
            ),
        _ => server.authenticate(|token: String| async move {
            match token.as_str() {
                "reader-1f2e" => Ok(Principal::new("bob")),
                "writer-3d4c" => Ok(Principal::new("ada").with_scopes(["notes:write"])),
                _ => Err(TokenError::invalid("unknown API key")),
            }
        }),
    };
    server.http(address).stateless(true).await // without sessions, so that `curl` can call it
}
