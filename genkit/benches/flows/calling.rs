//! A flow called in process: the cost of `dev-tools` when it is compiled in but unused.

use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};

use genkit::{Flow, flow};
use serde::Deserialize;
use serde_json::{Value, json};

use super::table::Figure;
use super::time;

const CALLS: u32 = 200_000;

/// Doubles a number.
#[flow]
async fn double(n: i64) -> i64 {
    n * 2
}

/// Doubles a number without genkit: JSON in, JSON out, behind a pointer.
fn by_hand(input: Value) -> Pin<Box<dyn Future<Output = Value>>> {
    #[derive(Deserialize)]
    struct Input {
        n: i64,
    }
    Box::pin(async move {
        let input: Input = serde_json::from_value(input).unwrap();
        json!(input.n * 2)
    })
}

/// Performs the check that each span performs in the library if `dev-tools` is compiled in: one load.
fn is_on() -> bool {
    static STATE: AtomicU8 = AtomicU8::new(1);
    match black_box(&STATE).load(Ordering::Relaxed) {
        0 => panic!("it is known"),
        state => state == 2,
    }
}

pub(crate) fn flow(title: &str) -> Figure {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (bare_runtime, own_runtime) = (runtime(), runtime());
    let flow = Flow::of::<double>();
    let bare = move || {
        bare_runtime.block_on(async {
            let mut input = json!({"n": 0});
            time::of_async(CALLS, async || {
                input["n"] = black_box(21).into();
                black_box(by_hand(input.clone()).await);
            })
            .await
        })
    };
    let ours = move || {
        own_runtime.block_on(async {
            let mut input = json!({"n": 0});
            time::of_async(CALLS, async || {
                input["n"] = black_box(21).into();
                black_box(flow.run(input.clone()).await.unwrap());
            })
            .await
        })
    };
    let check = || time::of_one(10_000_000, || _ = black_box(is_on()));
    Figure {
        title: title.to_owned(),
        sides: vec![
            ("by hand, JSON in and out", Box::new(bare)),
            ("one check for an exporter of traces", Box::new(check)),
            ("ours", Box::new(ours)),
        ],
        budget: None,
    }
}
