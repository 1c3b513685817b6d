#![doc = include_str!("../../guide/links.md")]
#![doc = include_str!("../../guide/index.md")]

/// Declares the pages. Their Markdown is in `genkit/guide`, where code hosts display it and mdBook reads it. Links use
/// labels: in rustdoc, `links.md` comes first and resolves them to items; elsewhere, the end of each page resolves them
/// to files.
macro_rules! pages {
    ($($name:ident: $($alias:literal)*;)*) => {$(
        #[doc = include_str!("../../guide/links.md")]
        #[doc = include_str!(concat!("../../guide/", stringify!($name), ".md"))]
        $(#[doc(alias = $alias)])*
        pub mod $name {}
    )*};
}

// Search terms that are not part of the name of the page.
pages! {
    quickstart: "claude desktop" "claude code" "cursor" "vs code" "mcp inspector" "getting started" "tutorial" "install";
    tools: "function calling" "arguments" "enum" "struct" "json schema" "annotations";
    state: "database pool" "connection pool" "dependency injection" "database" "blocking";
    generate: "agent" "sub-agents" "multi-agent" "agent loop" "chat" "streaming" "deadline" "llm" "system prompt" "tool calling" "tokens";
    structured_output: "structured output" "typed output" "json mode" "extract";
    human_in_the_loop: "human in the loop" "approval" "interrupt" "elicitation" "resume" "confirmation" "form";
    prompts: "template" "dotprompt" "handlebars" "slash command" "completion";
    resources: "resource" "resource template" "uri" "completion" "subscribe";
    flows: "flow server" "workflow" "rest api" "server-sent events";
    retrieval: "rag" "vector search" "semantic search" "documents" "pgvector" "embeddings" "knowledge base";
    agents: "session" "conversation" "snapshot" "remote agent" "delegation" "background";
    browser: "ag-ui" "copilotkit" "assistant-ui" "frontend" "web page" "react" "chat ui";
    serving: "axum" "mcp server" "streamable http" "stdio" "sessions" "sampling" "rate limit" "model context protocol";
    authentication: "jwt" "oauth" "bearer token" "audit" "permissions" "scopes" "api key" "authorization" "login";
    mcp_servers: "mcp client" "mcp host" "filesystem server" "mcp.json" "proxy" "sampling" "ollama" "github";
    apps: "mcp apps" "ui" "widget" "ext-apps" "interface" "content security policy";
    publishing: "mcpb" "bundle" "mcp registry" "server.json" "release" "claude desktop" "dxt";
    testing: "cassette" "mock" "fake model" "unit test" "evals" "vcr";
    observability: "opentelemetry" "tracing" "logging" "metrics" "audit" "spans" "cost" "otel";
    providers: "gemini" "openai" "anthropic" "claude" "ollama" "embeddings" "custom model" "groq" "openrouter" "base url" "embedding";
    models: "reasoning" "thinking" "prompt caching" "model names" "temperature";
    provider_features: "capabilities" "comparison";
    deploying: "docker" "kubernetes" "health check" "systemd" "nginx" "load balancer" "reverse proxy" "production";
    tls: "https" "certificate" "mutual tls" "unix socket" "listener" "rustls" "socket activation";
    long_work: "durable" "durable execution" "background job" "worker" "queue" "crash" "checkpoint" "long running";
    durable_workflows: "child workflow" "signal" "query" "cron" "schedule" "rate limit" "retry policy" "priority";
    durable_guarantees: "exactly once" "at least once" "lease" "poison" "dead letter" "retention" "durability";
    tasks: "mcp tasks" "long running tool" "polling" "background task";
    skills: "agent skills" "skill.md" "instructions";
    embedding: "block_on" "synchronous" "threads" "library" "wasm";
    errors: "error handling" "error codes" "status codes" "failure";
    middleware: "retry" "fallback" "rate limit" "cache" "guardrails" "hooks" "compaction";
    developer_tools: "developer ui" "dev ui" "evaluator" "evaluation" "genkit cli" "debugging";
    process: "signals" "shutdown" "stdout" "panic hook" "environment";
    coming_from: "rmcp" "rig" "fastmcp" "genkit js" "tanstack ai" "migration" "langchain" "pydantic ai";
    other_programs: "json schema" "compatibility" "invalid schema" "repair" "deepseek" "vllm" "lenient";
    reference: "features" "environment variables" "glossary" "cargo features";
    settings: "defaults" "options" "limits" "timeouts" "configuration";
    coding_agents: "rules" "llms.txt" "agents.md" "copilot" "claude.md";
}
