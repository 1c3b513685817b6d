//! Asymmetric signature algorithms (RFC 7518, RFC 8037). Symmetric algorithms are not supported: with
//! them, an attacker could use a public key as the shared secret.

/// A JWT signature algorithm. The server's configuration decides which algorithms are allowed, never the
/// token.
///
/// ```
/// use genkit::mcp::server::JwtAlgorithm;
///
/// assert_eq!(JwtAlgorithm::Es256.name(), "ES256");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JwtAlgorithm {
    /// RSA with PKCS#1 v1.5 padding and SHA-256.
    Rs256,
    /// RSA with PKCS#1 v1.5 padding and SHA-384.
    Rs384,
    /// RSA with PKCS#1 v1.5 padding and SHA-512.
    Rs512,
    /// RSA with PSS padding and SHA-256.
    Ps256,
    /// RSA with PSS padding and SHA-384.
    Ps384,
    /// RSA with PSS padding and SHA-512.
    Ps512,
    /// ECDSA over P-256 with SHA-256.
    Es256,
    /// ECDSA over P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
}

impl JwtAlgorithm {
    /// All algorithms.
    pub const ALL: &[Self] = &[
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// The algorithms that are allowed by default.
    pub(crate) const DEFAULTS: [Self; 4] = [Self::Rs256, Self::Ps256, Self::Es256, Self::EdDsa];

    /// Returns the name of the algorithm in tokens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }
}
