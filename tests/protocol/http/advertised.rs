//! Advertised features work: changes and subscriptions in both eras, with sessions and without.

use std::io::{BufRead as _, BufReader};

use genkit::{Context, Genkit, Registry, Tool};
use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;

use super::here::Serving;
use super::wire::{Wire, in_session, initialize};

const URI: &str = "none://it";

/// Returns the kinds that notify of changed lists, and whether resources can be subscribed to.
fn offers(result: &Value) -> ([bool; 3], bool) {
    let capabilities = &result["capabilities"];
    let tells = ["tools", "prompts", "resources"].map(|kind| {
        assert!(capabilities[kind].is_object(), "{kind} are there in any case: {result}");
        capabilities[kind]["listChanged"] == true
    });
    (tells, capabilities["resources"]["subscribe"] == true)
}

fn methods(stream: Response<Body>) -> impl Iterator<Item = String> {
    let lines = BufReader::new(stream.into_body().into_reader()).lines().map_while(Result::ok);
    let messages =
        lines.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    messages.filter_map(|message| message["method"].as_str().map(str::to_owned))
}

fn tool(name: &'static str) -> Tool {
    Tool::builder(name, "A tool.").handler(|_: Context, (): ()| async { Ok("done") })
}

/// Checks that `stream` reports a changed list and a changed resource.
fn delivers(registry: &Registry, name: &'static str, stream: Response<Body>, uri: Response<Body>) {
    let (mut lists, mut updates) = (methods(stream), methods(uri));
    registry.insert(tool(name)).expect("a new tool");
    assert!(lists.any(|method| method == "notifications/tools/list_changed"));
    registry.resource_updated(URI);
    assert!(updates.any(|method| method == "notifications/resources/updated"));
}

#[test]
fn list_changed_is_advertised_only_if_it_is_sent() {
    for keeps_sessions in [true, false] {
        let registry = Registry::new().add([tool("there")]);
        let genkit = Genkit::builder().registry(registry.clone()).build().expect("a program");
        let serving = Serving::of(genkit.serve_mcp().stateless(!keeps_sessions));
        let wire = Wire::to(&serving.url());

        let hello = wire.post(&[], &initialize());
        let offered = offers(&hello.message()["result"]);
        assert_eq!(offered, ([keeps_sessions; 3], keeps_sessions), "{hello:?}");
        let request =
            |method| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": URI}});
        if keeps_sessions {
            let session = wire.open(&[]);
            let named = in_session(&session);
            wire.post(&named, &request("resources/subscribe"));
            let other = wire.open(&[]);
            let streams = (wire.listen_in(&in_session(&other)), wire.listen_in(&named));
            delivers(&registry, "first", streams.0, streams.1);
        } else {
            assert_eq!(hello.header("mcp-session-id"), None);
            let version = [("mcp-protocol-version", "2025-11-25")];
            assert_eq!(
                wire.listen_in(&version).status(),
                405,
                "there is no stream for the notification"
            );
            for method in ["resources/subscribe", "resources/unsubscribe"] {
                let answer = wire.post(&version, &request(method));
                assert_eq!(answer.code(), -32601, "{answer:?}");
                let expected = format!(
                    "unknown method `{method}`: this server is stateless and cannot send change notifications"
                );
                assert_eq!(answer.message()["error"]["message"], expected);
            }
        }

        let found = wire.ask_alone("server/discover", json!({}));
        assert_eq!(offers(&found.message()["result"]), ([true; 3], true), "{found:?}");
        delivers(&registry, "second", wire.listen_alone(), wire.listen_to(&[], URI));
    }
}
