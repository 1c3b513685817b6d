//! Random names of tools that come and go, and random patterns of names.

use std::collections::{HashMap, HashSet};

use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::testing::Client;
use genkit::{Context, Genkit, Registry, Tool};
use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Map, Value, json};

use super::blocking;

fn tool(name: &str, who: String) -> Tool {
    Tool::builder(name.to_owned(), "Says who it is.").handler(
        move |_: Context, _: Map<String, Value>| {
            let who = who.clone();
            async move { Ok(who) }
        },
    )
}

/// Returns the names of tools as clients see them.
async fn owners(client: &Client) -> HashMap<String, String> {
    let mut owners = HashMap::new();
    for tool in client.tools().await.expect("a list") {
        let name = tool.name().to_owned();
        let said = client.call_tool(&name, json!({})).await.expect("an answer").text();
        assert!(owners.insert(name, said).is_none(), "two tools with the same name");
    }
    owners
}

#[test]
fn name_that_clients_see_keeps_its_owner_while_that_is_there() {
    fuzz("names", &[], |rng| {
        let keys = ["a", "a__b", "a.b", "a_b"];
        // A server without actions does not start.
        let with_one = |key: &&str| Registry::new().add(tool("own", format!("{key}/own")));
        let registries: Vec<Registry> = keys.iter().map(with_one).collect();
        let steps: Vec<(usize, String, bool)> = (0..4)
            .map(|_| {
                let key = rng.below(keys.len());
                (
                    key,
                    format!("{}{}", rng.pick(&["b__c", "c", "_c", "_b_c"]), rng.text("_2", 2)),
                    rng.chance(75),
                )
            })
            .collect();
        blocking(async {
            let mut host = McpHost::builder();
            for (key, registry) in keys.iter().zip(&registries) {
                let genkit = Genkit::builder().registry(registry.clone()).build().expect("sound");
                host = host.server(*key, ServerConfig::in_process(move || genkit.serve_mcp()));
            }
            let host = host.build().expect("a host");
            let front = Genkit::builder().registry(Registry::new()).build().expect("sound");
            host.register_in(front.registry()).await;
            let client = Client::connect(front.serve_mcp().host(&host)).await.expect("it is there");
            let mut all: HashSet<String> = keys.iter().map(|key| format!("{key}/own")).collect();
            let mut known: HashMap<String, String> = HashMap::new();
            for (key, name, is_added) in steps {
                let who = format!("{}/{name}", keys[key]);
                if is_added {
                    if registries[key].insert(tool(&name, who.clone())).is_ok() {
                        all.insert(who);
                    }
                } else if registries[key].remove_tool(&name) {
                    all.remove(&who);
                }
                for tries in 0.. {
                    if client.tools().await.expect("a list").len() == all.len() {
                        break;
                    }
                    assert!(tries < 2_000, "the lists do not become equal");
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
                let now = owners(&client).await;
                for (name, owner) in &now {
                    let before = known.get(name).filter(|before| all.contains(*before));
                    assert!(
                        before.is_none_or(|before| before == owner),
                        "{name}: {before:?}, now {owner}"
                    );
                }
                known = now;
            }
        });
    });
}

/// Returns whether a text matches a pattern, implemented as simply as possible.
fn fits(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        Some((c, rest)) => text.first() == Some(c) && fits(rest, &text[1..]),
    }
}

fn characters(rng: &mut Rng, alphabet: &str) -> String {
    format!("a{}", rng.text(alphabet, 8))
}

#[test]
fn pattern_lets_through_what_it_means() {
    fuzz("patterns of names", &[], |rng| {
        let pattern = characters(rng, "ab**");
        let names: HashSet<String> = (0..8).map(|_| characters(rng, "ab")).collect();
        let tools: Vec<Tool> = names.iter().map(|name| tool(name, name.clone())).collect();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let mut meant: Vec<&String> =
            names.iter().filter(|name| fits(&chars(&pattern), &chars(name))).collect();
        meant.sort();
        if meant.is_empty() {
            return; // nothing to serve
        }
        blocking(async {
            let genkit =
                Genkit::builder().registry(Registry::new().add(tools)).build().expect("sound");
            let client =
                Client::connect(genkit.serve_mcp().only([pattern.as_str()])).await.expect("there");
            let shown: Vec<String> = client
                .tools()
                .await
                .expect("a list")
                .iter()
                .map(|tool| tool.name().to_owned())
                .collect();
            assert_eq!(shown.iter().collect::<Vec<_>>(), meant, "{pattern}");
        });
    });
}
