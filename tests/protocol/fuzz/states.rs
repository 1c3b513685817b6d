//! Sealed states that were modified.

use genkit_tests::fuzz::fuzz;
use serde_json::json;

use super::{mutate, runtime};
use crate::raw::{self, Client, Era, host, within};
use crate::server::Server;

/// Seeds that found errors.
const SEEDS: &[u64] = &[];

const TOOL: &str = "test_input_required_result_tampered_state";

#[test]
fn modified_state_is_rejected() {
    let server = Server::start("conformance", &[]);
    let runtime = runtime();
    let open = Client::open(raw::address(&server), host(1), Era::Modern);
    let mut client = runtime.block_on(open);
    fuzz("sealed states", SEEDS, |rng| {
        runtime.block_on(async {
            let asked = client.ask("tools/call", raw::call_params(TOOL, &json!({}))).await.unwrap();
            let state = asked["result"]["requestState"].as_str().expect("a state").to_owned();
            let mut changed = json!(state);
            if rng.chance(50) {
                let mut bytes = state.clone().into_bytes();
                mutate::bytes(rng, &mut bytes);
                changed = json!(String::from_utf8_lossy(&bytes));
            } else if rng.chance(50) {
                mutate::value(rng, &mut changed, &[]);
            } else {
                // Parts of it in another order, or duplicated.
                let parts: Vec<&str> = state.split('.').collect();
                let some =
                    |rng: &mut _| genkit_tests::fuzz::Rng::pick(rng, &parts).to_owned().to_owned();
                changed = json!(format!("{}.{}", some(rng), some(rng)));
            }
            let yes = json!({ "confirm": { "action": "accept", "content": { "ok": true } } });
            let mut params = raw::call_params(TOOL, &json!({}));
            params["requestState"] = changed.clone();
            params["inputResponses"] = yes;
            let answer = within("an answer", client.ask("tools/call", params)).await.unwrap();
            let went_on = answer["result"].to_string().contains("state-ok");
            let is_same = changed == state;
            assert!(!went_on || is_same, "{state}\n{changed}\n{answer}");
        });
    });
}
