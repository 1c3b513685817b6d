//! Properties that hold for all templates and all values.

use genkit_uri_template::{UriTemplate, UriValue};
use proptest::{collection::vec, prelude::*};

use super::template;

type Values = Vec<(String, UriValue)>;

/// An expression with the values of its variables.
#[derive(Debug, Clone)]
struct Piece {
    text: String,
    values: Values,
}

/// Returns whether a path leads out of the folder that it is joined to.
fn leaves(value: &str) -> bool {
    let is_drive =
        value.as_bytes().get(1) == Some(&b':') && value.as_bytes()[0].is_ascii_alphabetic();
    value.contains('\0')
        || value.starts_with(['/', '\\'])
        || is_drive
        || value.split(['/', '\\']).any(|segment| segment == "..")
}

/// Generates a value that is allowed in one segment of a path.
fn segment() -> impl Strategy<Value = String> {
    let safe = |value: &String| !value.is_empty() && !value.contains('/') && !leaves(value);
    prop_oneof!["[a-z0-9.,;/%?#&=+: é-]{1,6}", any::<String>()].prop_filter("a segment", safe)
}

fn wide() -> impl Strategy<Value = String> {
    let safe = |value: &String| !value.is_empty() && !leaves(value);
    prop_oneof!["[a-z./,;%]{1,8}", any::<String>()].prop_filter("a path", safe)
}

/// Generates a value that `{+x}` preserves. Percent-encodings would be decoded, and `?` and `#` start other parts.
fn reserved() -> impl Strategy<Value = String> {
    wide().prop_filter("nothing that looks encoded", |value| !value.contains(['%', '?', '#']))
}

fn piece(n: usize) -> impl Strategy<Value = Piece> {
    let (a, b) = (format!("a{n}"), format!("b{n}"));
    let make = |operator: &str, names: Vec<(String, Option<UriValue>)>, star: &str| {
        let list = names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
        let values = names.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Piece { text: format!("{{{operator}{list}{star}}}"), values }
    };
    let one = |value: String| Some(UriValue::from(value));
    let many = |values: Vec<String>| (!values.is_empty()).then(|| UriValue::from(values));
    let (a1, b1) = (a.clone(), b.clone());
    let simple = (segment(), segment(), any::<bool>()).prop_map(move |(x, y, two)| {
        let mut names = vec![(a1.clone(), one(x))];
        if two {
            names.push((b1.clone(), one(y)));
        }
        make("", names, "")
    });
    let a1 = a.clone();
    let simple_list =
        vec(segment(), 1..4).prop_map(move |all| make("", vec![(a1.clone(), many(all))], "*"));
    let a1 = a.clone();
    let path_list =
        vec(wide(), 0..4).prop_map(move |all| make("/", vec![(a1.clone(), many(all))], "*"));
    let (a1, b1) = (a.clone(), b.clone());
    let path = vec(segment(), 0..3).prop_map(move |all| {
        let mut all = all.into_iter().map(one);
        make("/", vec![(a1.clone(), all.next().flatten()), (b1.clone(), all.next().flatten())], "")
    });
    let a1 = a.clone();
    let label = prop::option::of(segment())
        .prop_map(move |x| make(".", vec![(a1.clone(), x.and_then(one))], ""));
    let parameters =
        (prop::option::of(segment()), vec(segment(), 0..3)).prop_map(move |(x, all)| {
            make(";", vec![(a.clone(), x.and_then(one)), (b.clone(), many(all))], "*")
        });
    prop_oneof![simple, simple_list, path_list, path, label, parameters]
}

/// Generates a template with values that it can represent.
fn case() -> impl Strategy<Value = (String, Values)> {
    let pieces =
        vec(any::<()>(), 0..5).prop_flat_map(|all| (0..all.len()).map(piece).collect::<Vec<_>>());
    let tail = (
        prop::option::of(reserved()),
        prop::option::of(any::<String>()),
        vec(any::<String>(), 0..3),
        reserved(),
    );
    (pieces, tail, any::<bool>(), any::<bool>()).prop_map(
        |(pieces, tail, has_query, has_fragment)| {
            let mut text = "x:".to_owned();
            let mut values = Values::new();
            for (n, piece) in pieces.into_iter().enumerate() {
                // A delimiter that values contain only in encoded form, so that the result is unambiguous.
                text += &format!("/l{n}:{}", piece.text);
                values.extend(piece.values);
            }
            let (rest, query, queries, fragment) = tail;
            if let Some(rest) = rest {
                text += "/rest:{+rest}";
                values.push(("rest".to_owned(), rest.into()));
            }
            if has_query {
                text += "{?q,qs*}";
                values.extend(query.map(|query| ("q".to_owned(), query.into())));
                values.extend((!queries.is_empty()).then(|| ("qs".to_owned(), queries.into())));
            }
            if has_fragment {
                text += "{#f}";
                values.push(("f".to_owned(), fragment.into()));
            }
            (text, values)
        },
    )
}

fn matched(template: &UriTemplate, uri: &str) -> Option<Values> {
    let values = template.match_uri(uri)?.into_iter();
    Some(sorted(values.map(|(name, value)| (name.to_owned(), value)).collect()))
}

/// Sorts values by name, because the order of a query is that of the URI.
fn sorted(mut values: Values) -> Values {
    values.sort_by(|a, b| a.0.cmp(&b.0));
    values
}

proptest! {
    #[test]
    fn matching_undoes_expanding((text, values) in case()) {
        let template = template(&text);
        let uri = template.expand(&values);
        prop_assert_eq!(matched(&template, &uri), Some(sorted(values)), "{} against {}", text, uri);
    }

    #[test]
    fn match_expands_to_what_matches_alike((text, _) in case(), uri in "x:(/l[0-3]:[a-z/.;=,%]{0,5}){0,4}(\\?q=[a-z]*)?") {
        let template = template(&text);
        if let Some(values) = matched(&template, &uri) {
            prop_assert_eq!(matched(&template, &template.expand(&values)), Some(values));
        }
    }

    #[test]
    fn nothing_panics(text in any::<String>(), uri in any::<String>()) {
        if let Ok(template) = UriTemplate::parse(&text) {
            let values = template.match_uri(&uri).unwrap_or_default();
            template.expand(&values);
        }
    }

    #[test]
    fn nothing_that_looks_like_a_template_panics(text in "[a-c{}+#./;?&*:,%2é-]{0,16}", uri in "[a-c+#./;?&*:,%2é=-]{0,16}") {
        match UriTemplate::parse(&text) {
            Ok(template) => {
                let values = template.match_uri(&uri).unwrap_or_default();
                template.expand(&values);
            }
            Err(error) => prop_assert!(text.is_char_boundary(error.offset()), "{}: {}", text, error),
        }
    }
}
