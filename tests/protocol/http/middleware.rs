//! Middleware of the program around tools that are called over HTTP.

use genkit::middleware::{Middleware, NextTool, ToolCall, ToolOutcome};
use genkit::{BoxFuture, Genkit, Registry, Result, tool, tools};
use serde_json::json;

use super::here::Here;
use super::wire::Wire;

/// Doubles.
#[tool]
async fn double(n: i64) -> i64 {
    n * 2
}

/// Accepts small numbers, increments one, and rejects the others.
struct Small;

impl Middleware for Small {
    fn tool(&self, mut call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        Box::pin(async move {
            let n = call.request.input["n"].as_i64().unwrap_or_default();
            if n > 10 {
                let refused = call.request.respond(json!({"error": "too large"}));
                return Ok(ToolOutcome::respond(refused));
            }
            call.request.input = json!({"n": n + 1});
            next.run(call).await
        })
    }
}

#[test]
fn middleware_runs_in_both_eras() {
    let genkit = Genkit::builder().registry(Registry::new().add(tools![double])).middleware(Small);
    let here = Here::serve(genkit.build().unwrap().serve_mcp().router().unwrap());
    let wire = Wire::to(here.url());
    let session = wire.open(&[]);
    for (n, is_error, text) in [(2, false, "6"), (20, true, "too large")] {
        let arguments = json!({ "n": n });
        for answer in
            [wire.call_alone("double", &arguments), wire.call(&session, "double", &arguments)]
        {
            let result = answer.message()["result"].take();
            assert_eq!(result["content"][0]["text"], text, "{result}");
            assert_eq!(result["isError"] == true, is_error, "{result}");
        }
    }
}
