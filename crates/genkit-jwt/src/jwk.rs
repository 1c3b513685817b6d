//! Public keys as JSON (RFC 7517). Keys that cannot verify a signature are skipped.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::Value;

use crate::algorithm::JwtAlgorithm;
use crate::error::{KeyError, VerifyError};

/// The maximum number of keys of one issuer.
const MAX_KEYS: usize = 100;

/// The maximum length of a part of a key, in bytes: the length for RSA with 8192 bits.
const MAX_PART: usize = 1024;

/// The keys of an issuer.
#[derive(Debug, Default)]
pub(crate) struct KeySet(Vec<PublicKey>);

/// A public key.
#[derive(Debug)]
pub(crate) struct PublicKey {
    id: Option<String>,
    /// The only algorithm that the key can be used with, if it declares one.
    algorithm: Option<JwtAlgorithm>,
    material: Material,
}

/// The key material. Its type determines which algorithms the key supports.
#[derive(Debug)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl KeySet {
    pub(crate) fn read(document: &Value) -> Result<Self, KeyError> {
        let keys = document["keys"].as_array().ok_or(KeyError::InvalidKeySet)?;
        if keys.len() > MAX_KEYS {
            return Err(KeyError::TooManyKeys(MAX_KEYS));
        }
        Ok(Self(keys.iter().filter_map(PublicKey::read).collect()))
    }

    /// Returns the keys that can verify a signature by `algorithm` and, if an id is given, have that id.
    pub(crate) fn find_keys<'a>(
        &'a self,
        algorithm: JwtAlgorithm,
        id: Option<&'a str>,
    ) -> impl Iterator<Item = &'a PublicKey> {
        let has_id = move |key: &&PublicKey| id.is_none() || key.id.as_deref() == id;
        self.0.iter().filter(has_id).filter(move |key| key.fits_algorithm(algorithm))
    }
}

impl PublicKey {
    fn read(key: &Value) -> Option<Self> {
        if key["use"].as_str().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        if let Some(operations) = key["key_ops"].as_array()
            && !operations.iter().any(|operation| operation == "verify")
        {
            return None;
        }
        // A key with an unknown algorithm is skipped, because it is not meant for any known algorithm.
        let algorithm = match key["alg"].as_str() {
            Some("Ed25519") => Some(JwtAlgorithm::EdDsa),
            Some(name) => Some(JwtAlgorithm::from_name(name)?),
            None => None,
        };
        let material = match (key["kty"].as_str()?, key["crv"].as_str()) {
            ("RSA", _) => Material::Rsa { n: decode_part(&key["n"])?, e: decode_part(&key["e"])? },
            ("EC", Some("P-256")) => Material::P256(curve_point(key, 32)?),
            ("EC", Some("P-384")) => Material::P384(curve_point(key, 48)?),
            ("OKP", Some("Ed25519")) => {
                Material::Ed25519(decode_part(&key["x"]).filter(|x| x.len() == 32)?)
            }
            // `oct` is a symmetric key, which must never be published.
            _ => return None,
        };
        let id = key["kid"].as_str().map(str::to_owned);
        Some(Self { id, algorithm, material })
    }

    fn fits_algorithm(&self, algorithm: JwtAlgorithm) -> bool {
        use JwtAlgorithm as A;
        let is_of_type = match self.material {
            Material::Rsa { .. } => {
                matches!(algorithm, A::Rs256 | A::Rs384 | A::Rs512 | A::Ps256 | A::Ps384 | A::Ps512)
            }
            Material::P256(_) => algorithm == A::Es256,
            Material::P384(_) => algorithm == A::Es384,
            Material::Ed25519(_) => algorithm == A::EdDsa,
        };
        is_of_type && self.algorithm.is_none_or(|own| own == algorithm)
    }

    /// Verifies the signature of `message`. RSA keys need at least 2048 bits.
    pub(crate) fn verify_signature(
        &self,
        algorithm: JwtAlgorithm,
        message: &[u8],
        signed: &[u8],
    ) -> Result<(), VerifyError> {
        let verified = match &self.material {
            Material::Rsa { n, e } => match rsa_key(algorithm) {
                Some(parameters) => {
                    RsaPublicKeyComponents { n, e }.verify(parameters, message, signed)
                }
                None => return Err(VerifyError::Signature),
            },
            Material::P256(point) => {
                let key = UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point);
                key.verify(message, signed)
            }
            Material::P384(point) => {
                let key = UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point);
                key.verify(message, signed)
            }
            Material::Ed25519(x) => {
                UnparsedPublicKey::new(&signature::ED25519, x).verify(message, signed)
            }
        };
        verified.map_err(|_| VerifyError::Signature)
    }
}

fn rsa_key(algorithm: JwtAlgorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        JwtAlgorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        JwtAlgorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
        JwtAlgorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        JwtAlgorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
        JwtAlgorithm::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
        JwtAlgorithm::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
        JwtAlgorithm::Es256 | JwtAlgorithm::Es384 | JwtAlgorithm::EdDsa => return None,
    })
}

/// Returns the uncompressed point of a curve whose coordinates have `length` bytes each.
fn curve_point(key: &Value, length: usize) -> Option<Vec<u8>> {
    let (x, y) = (decode_part(&key["x"])?, decode_part(&key["y"])?);
    (x.len() == length && y.len() == length).then(|| [&[4][..], &x, &y].concat())
}

fn decode_part(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str().filter(|text| text.len() <= MAX_PART * 2)?;
    URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| !bytes.is_empty() && bytes.len() <= MAX_PART)
}
