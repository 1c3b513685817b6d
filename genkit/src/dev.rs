//! Genkit's developer tools: the Developer UI and the CLI see and run what a program has.
//!
//! ```sh
//! genkit start -- cargo run            # the Developer UI, on http://localhost:4000
//! genkit flow:run greet '{"who": "Ann"}'
//! ```
//!
//! With the feature `dev-tools` and `GENKIT_ENV=dev`, which `genkit start` sets, serving
//! (`serve_flows()`, `serve_mcp()`) shows all actions to these tools, on this machine only. A program
//! that serves nothing ends with [`wait`], one with a server of its own calls [`start`]. Without the
//! variable nothing listens and nothing is written.
//!
//! | variable | meaning |
//! |---|---|
//! | `GENKIT_ENV` | `dev` turns it on |
//! | `GENKIT_REFLECTION_V2_SERVER` | the WebSocket to dial; `genkit` sets it where it speaks the second protocol. Without it the program listens, and writes a file into `.genkit/runtimes` |
//! | `GENKIT_REFLECTION_PORT` | where it listens. Default is the first port that is free from 3100 on |
//! | `GENKIT_RUNTIME_ID` | what the program is called there. Default is its process id and port |
//!
//! Models show up where [`GenkitBuilder`](crate::GenkitBuilder) was given them, or where they are the
//! default. Others run by their key, `/model/gemini/gemini-2.5-flash`.

#[doc(inline)]
pub use genkit_dev::{start, wait, wait_with};
