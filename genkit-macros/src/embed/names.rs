//! Conversion of the names of files and schemas to Rust names.

use proc_macro2::Span;
use syn::Ident;

/// Converts `trip-plan`, `TripPlan` or `trip plan` to `trip_plan`.
pub(super) fn to_snake_case(name: &str) -> String {
    split_words(name).join("_")
}

/// Converts `trip-plan` or `trip_plan` to `TripPlan`.
pub(super) fn to_pascal_case(name: &str) -> String {
    split_words(name)
        .into_iter()
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        })
        .collect()
}

/// Splits a name into lowercase words. An uppercase letter after a lowercase letter starts a word.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let is_letter = letter.is_alphanumeric() && is_ident(&format!("x_{letter}_"));
        let begins = letter.is_uppercase() && (before.is_lowercase() || before.is_numeric());
        if begins || !is_letter {
            words.push(String::new());
        }
        if let (true, Some(word)) = (is_letter, words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns an identifier for `text`, the result of [`to_snake_case`] or [`to_pascal_case`]. Keywords become raw
/// identifiers.
pub(super) fn make_ident(text: &str, span: Span) -> Ident {
    if is_ident(text) {
        return Ident::new(text, span);
    }
    match text {
        "" => Ident::new("empty", span),
        "self" | "Self" | "super" | "crate" => Ident::new(&format!("{text}_"), span),
        _ if is_ident(&format!("_{text}")) && text.starts_with(char::is_numeric) => {
            Ident::new(&format!("_{text}"), span)
        }
        _ => Ident::new_raw(text, span),
    }
}

fn is_ident(text: &str) -> bool {
    syn::parse_str::<Ident>(text).is_ok()
}

/// Names that must be unique: a name that is already taken gets a number.
#[derive(Default)]
pub(super) struct UniqueNames(Vec<String>);

impl UniqueNames {
    /// Claims `name`. If it is taken, claims `name` followed by `before` and a number.
    pub(super) fn claim_name(&mut self, name: &str, before: &str) -> String {
        let free = self.next(name, before);
        self.0.push(free.clone());
        free
    }

    /// Returns the name that [`claim_name`](Self::claim_name) would claim.
    pub(super) fn next(&self, name: &str, before: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2_u32;
        while self.0.contains(&free) {
            free = format!("{name}{before}{number}");
            number += 1;
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_spelling() {
        for (name, of_function, of_type) in [
            ("trip", "trip", "Trip"),
            ("trip-plan", "trip_plan", "TripPlan"),
            ("tripPlan", "trip_plan", "TripPlan"),
            ("Trip.Plan", "trip_plan", "TripPlan"),
            ("v2beta", "v2beta", "V2beta"),
            ("HTTPServer", "httpserver", "Httpserver"),
            ("größe x", "größe_x", "GrößeX"),
            ("--", "", ""),
        ] {
            assert_eq!(
                (to_snake_case(name).as_str(), to_pascal_case(name).as_str()),
                (of_function, of_type)
            );
        }
    }

    #[test]
    fn file_names_are_converted_to_identifiers() {
        for (text, expected) in [
            ("days", "days"),
            ("type", "r#type"),
            ("self", "self_"),
            ("2nd", "_2nd"),
            ("", "empty"),
        ] {
            assert_eq!(make_ident(text, Span::call_site()).to_string(), expected);
        }
    }

    #[test]
    fn second_of_a_name_is_numbered() {
        let mut taken = UniqueNames::default();
        let names = ["a", "a", "b", "a"].map(|name| taken.claim_name(name, "_"));
        assert_eq!(names, ["a", "a_2", "b", "a_3"]);
    }
}
