//! Signatures of thoughts: they go back to who made them, and to nobody else.

use serde_json::{Map, Value};

use genkit_core::Part;

/// Where the metadata of a part holds a signature: Genkit's key, whoever signed.
pub const SIGNATURE: &str = "thoughtSignature";

/// Who signed, beside it: a provider refuses the signature of another.
pub const SIGNED_BY: &str = "signedBy";

/// Gemini, whichever API its models answer through.
#[cfg(feature = "http")]
pub const GEMINI: &str = "gemini";

/// What Gemini takes instead of its signature, for a call that another model made.
#[cfg(feature = "http")]
pub const SKIP_VALIDATION: &str = "skip_thought_signature_validator";

/// Whether a Gemini of this name refuses calls without their signatures: since 3, which the names without a number
/// mean.
#[cfg(feature = "http")]
pub fn checks_calls(model: &str) -> bool {
    model.contains("gemini") && !["gemini-1", "gemini-2"].iter().any(|old| model.contains(old))
}

/// Keeps a signature of `provider`.
pub fn sign(metadata: &mut Map<String, Value>, signature: Value, provider: &str) {
    metadata.insert(SIGNATURE.to_owned(), signature);
    metadata.insert(SIGNED_BY.to_owned(), provider.into());
}

/// The signature of a part, if `provider` made it. One whose maker is not told is believed to be its own: histories
/// of other Genkits have no more.
pub fn signature<'a>(part: &'a Part, provider: &str) -> Option<&'a Value> {
    let signature = part.metadata().get(SIGNATURE).filter(|it| !it.is_null())?;
    (!is_foreign(part, provider)).then_some(signature)
}

/// Whether another one than `provider` signed this part.
pub fn is_foreign(part: &Part, provider: &str) -> bool {
    part.metadata().get(SIGNED_BY).is_some_and(|by| by.as_str() != Some(provider))
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn a_signature_belongs_to_who_made_it() {
        let mut part = Part::reasoning("hm");
        assert!(signature(&part, GEMINI).is_none() && !is_foreign(&part, GEMINI));
        sign(part.metadata_mut(), "s".into(), GEMINI);
        assert_eq!(signature(&part, GEMINI).unwrap(), "s");
        assert!(signature(&part, "anthropic").is_none() && is_foreign(&part, "anthropic"));
        assert!(checks_calls("gemini-3-pro-preview") && checks_calls("gemini-flash-latest"));
        assert!(!checks_calls("google/gemini-2.5-pro") && !checks_calls("gemma-3-27b-it"));
        let untold = Part::reasoning("hm").with_metadata(SIGNATURE, "s");
        assert_eq!(signature(&untold, "anthropic").unwrap(), "s");
    }
}
