//! Random templates and URIs: the values that a function receives never lead out of a folder.

use std::path::{Component, Path};
use std::sync::{Arc, Mutex};

use genkit::{Context, Registry, Resource};
use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Map, Value};

use super::{blocking, connect};

fn template(rng: &mut Rng) -> String {
    let mut text = "x:".to_owned();
    for n in 0..=rng.below(3) {
        let operator = rng.pick(&["", "+", "/", ".", ";"]);
        let star = if matches!(*operator, "" | "/" | ";") && rng.chance(30) { "*" } else { "" };
        text += &format!("{{{operator}v{n}{star}}}{}", rng.pick(&["-", "/a", ":", "//"]));
    }
    text
}

fn address(rng: &mut Rng) -> String {
    let pieces = [
        "a", "/", "..", ".", "%2e", "%2F", "%5c", "\\", "C:", "c%3A", "%00", ";v0=", ";v1=", ":",
        "-", "//", "~", ",", "é", "%C3%A9", "%",
    ];
    let mut text = "x:".to_owned();
    for _ in 0..rng.below(14) {
        text.push_str(rng.pick::<&str>(&pieces));
    }
    text
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a path leads out of the folder that it is joined to, on this system or another.
fn leaves(text: &str) -> bool {
    let is_drive = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && text.as_bytes().get(1) == Some(&b':');
    let unix = text.replace('\\', "/");
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    is_drive || text.contains('\0') || !Path::new(&unix).components().all(is_inside)
}

#[test]
fn no_value_of_an_address_leads_out_of_a_folder() {
    fuzz("addresses", &[], |rng| {
        let template = template(rng);
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let all = Arc::clone(&seen);
        let resource = Resource::builder(template.clone(), "r", "Any.").handler(
            move |_: Context, values: Map<String, Value>| {
                all.lock().unwrap().extend(values.values().cloned());
                async { Ok("read") }
            },
        );
        let registry = Registry::new().add(resource);
        if registry.check().is_err() {
            return; // values could not be read back from a URI
        }
        let addresses: Vec<String> = (0..40).map(|_| address(rng)).collect();
        blocking(async {
            let client = connect(registry).await;
            for address in &addresses {
                let _ = client.read_resource(address).await;
                for value in seen.lock().unwrap().drain(..) {
                    let out = texts(&value).into_iter().find(|text| leaves(text));
                    assert_eq!(out, None, "{template} {address}");
                }
            }
        });
    });
}
