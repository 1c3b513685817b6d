//! Authenticates callers and checks their permissions: the guide page `authentication`.

use genkit::mcp::server::{JwtVerifier, Principal, ProtectedResource, TokenError};
use genkit::{ErrorContext as _, Result, tool};

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

/// Reads a required variable, so that a server without its secrets does not start.
fn required(name: &str) -> Result<String> {
    std::env::var(name).context(format!("the environment variable `{name}` is not set"))
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let server = genkit::serve_mcp().name("notes").health("/health");
    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8000".into());

    // Accept the tokens of an OAuth server if one is configured, otherwise two API keys.
    let server = if let Ok(issuer) = std::env::var("ISSUER") {
        let resource = required("RESOURCE")?; // the public URL of this server
        let metadata = ProtectedResource::new(&resource);
        server
            .authenticate(JwtVerifier::builder(&issuer, &resource).build()?)
            .protected_resource(metadata.with_authorization_server(&issuer))
    } else {
        let keys = [required("READER_KEY")?, required("WRITER_KEY")?];
        server.authenticate(move |token: String| {
            let found = keys.iter().position(|key| !key.is_empty() && *key == token);
            let user = match found {
                Some(0) => Ok(Principal::new("bob")),
                Some(_) => Ok(Principal::new("ada").with_scopes(["notes:write"])),
                None => Err(TokenError::invalid("unknown API key")),
            };
            async move { user }
        })
    };
    // Without sessions, so that `curl` can call it without a handshake.
    server.http(address).stateless(true).await
}
