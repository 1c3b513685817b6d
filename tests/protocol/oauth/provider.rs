//! The authorization server as a program, and what a test has it do.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use ureq::Agent;

use crate::packages;

/// How long it may take for what it is asked.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Provider {
    child: Child,
    issuer: String,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let mut node = packages::tool(Path::new("node"));
        node.arg(packages::oidc_provider()).stdin(Stdio::piped()).stdout(Stdio::piped());
        // It warns of what a server in production must not be.
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

    /// Where the user named `who` is brought to an address.
    pub(crate) fn login(&self, who: &str) -> String {
        format!("{}/test/login?as={who}", self.issuer)
    }

    /// A token of a program without a user.
    pub(crate) fn token(&self, resource: &str, scope: &str) -> String {
        let scope = scope.replace(' ', "%20");
        get(&format!("{}/test/token?resource={resource}&scope={scope}", self.issuer), &[])
    }

    /// From now on it signs with another key, and publishes no other.
    pub(crate) fn rotate(&self) {
        assert_eq!(get(&format!("{}/test/rotate", self.issuer), &[]), "rotated");
    }

    /// Takes back what the newest access is renewed by.
    pub(crate) fn revoke(&self) {
        assert_eq!(get(&format!("{}/test/revoke", self.issuer), &[]), "revoked");
    }

    /// How often access was renewed.
    pub(crate) fn refreshes(&self) -> usize {
        get(&format!("{}/test/refreshes", self.issuer), &[]).parse().expect("a number")
    }
}

/// What stands at an address of it.
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
