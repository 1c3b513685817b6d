//! The authorization server as a program, and the commands that a test sends to it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use ureq::Agent;

use crate::packages;

/// The time limit of a command.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Provider {
    child: Child,
    issuer: String,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let mut node = packages::tool(Path::new("node"));
        node.arg(packages::oidc_provider()).stdin(Stdio::piped()).stdout(Stdio::piped());
        // It warns about settings that are unsuitable for production.
        let mut child = node.stderr(Stdio::null()).spawn().expect("node starts");
        let mut issuer = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut issuer).expect("its address");
        let issuer = issuer.trim().to_owned();
        assert!(issuer.starts_with("http://127.0.0.1:"), "no address: {issuer}");
        Self { child, issuer }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the address to which the user named `who` is redirected.
    pub(crate) fn login(&self, who: &str) -> String {
        format!("{}/test/login?as={who}", self.issuer)
    }

    /// Returns a token of a program without a user.
    pub(crate) fn token(&self, resource: &str, scope: &str) -> String {
        let scope = scope.replace(' ', "%20");
        get(&format!("{}/test/token?resource={resource}&scope={scope}", self.issuer), &[])
    }

    /// Signs with another key from now on, and publishes only that one.
    pub(crate) fn rotate(&self) {
        assert_eq!(get(&format!("{}/test/rotate", self.issuer), &[]), "rotated");
    }

    /// Revokes the refresh token of the newest access.
    pub(crate) fn revoke(&self) {
        assert_eq!(get(&format!("{}/test/revoke", self.issuer), &[]), "revoked");
    }

    /// Returns the number of times that access was refreshed.
    pub(crate) fn refreshes(&self) -> usize {
        get(&format!("{}/test/refreshes", self.issuer), &[]).parse().expect("a number")
    }
}

/// Returns the contents of a URL.
pub(crate) fn get(url: &str, headers: &[(&str, &str)]) -> String {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(PATIENCE))
        .proxy(None)
        .build();
    let mut request = Agent::from(config).get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.call().unwrap_or_else(|error| panic!("{url}: {error}"));
    let text = response.body_mut().read_to_string().expect("a text");
    assert_eq!(response.status(), 200, "{url}: {text}");
    text
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
