//! Genkit's developer tools: the Developer UI and the CLI list and run the actions of a program.
//!
//! ```sh
//! genkit start -- cargo run            # the Developer UI, on http://localhost:4000
//! genkit flow:run greet '{"who": "Ann"}'
//! ```
//!
//! With the feature `dev-tools` and `GENKIT_ENV=dev`, which `genkit start` sets, a server (`serve_flows()`,
//! `serve_mcp()`) makes all actions available to these tools, on this machine only. A program without a server calls
//! [`wait`] at its end; a program with its own server calls [`start`]. Without the variable, the program does not
//! listen and writes no files.
//!
//! | variable | meaning |
//! |---|---|
//! | `GENKIT_ENV` | `dev` enables the developer tools |
//! | `GENKIT_REFLECTION_V2_SERVER` | the WebSocket URL to connect to; set by the `genkit` CLI if it uses version 2 of the reflection protocol. Without it, the program listens on a port and writes a file to `.genkit/runtimes` |
//! | `GENKIT_REFLECTION_PORT` | the port to listen on. Default is the first free port from 3100 |
//! | `GENKIT_RUNTIME_ID` | the id of the program in the tools. Default is its process id, followed by its port if it listens on one |
//!
//! Models are listed if they were passed to [`GenkitBuilder`](crate::GenkitBuilder), or if they are the default
//! model. Other models can be run by their key, such as `/model/gemini/gemini-2.5-flash`.

#[doc(inline)]
pub use genkit_dev::{start, wait, wait_with};
