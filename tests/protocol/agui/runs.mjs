// Many different runs with the official client of AG-UI: `node runs.mjs CASES`, where CASES is JSON: a list of
// `{url, thread, script, answers}`. The script is sent as the message of the user. Each event is validated against the
// official schema, and the client's verifier checks their order. The outcome is printed as JSON.
import { HttpAgent } from "@ag-ui/client";
import { EventSchema, RunAgentInputSchema } from "@ag-ui/core/schemas";

const cases = JSON.parse(process.argv[2]);
const seen = { runs: 0, events: 0, kinds: {}, outcomes: {}, invalid: [], failures: [] };
const count = (table, key) => { table[key] = (table[key] ?? 0) + 1; };
const tools = [{ name: "pick_color", description: "Asks the user for a color.", parameters: { type: "object", properties: {} } }];

class CheckedAgent extends HttpAgent {
  requestInit(input) {
    const parsed = RunAgentInputSchema.safeParse(input);
    if (!parsed.success) seen.invalid.push({ input: parsed.error.message });
    return super.requestInit(input);
  }
}

async function checkFrames(response) {
  for (const frame of (await response.text()).split("\n\n")) {
    if (!frame.startsWith("data: ")) continue;
    const event = JSON.parse(frame.slice(6));
    const parsed = EventSchema.safeParse(event);
    if (!parsed.success) seen.invalid.push({ event, why: parsed.error.message });
  }
}

async function converse({ url, thread, script, answers }) {
  const checks = [];
  const agent = new CheckedAgent({
    url,
    threadId: thread,
    fetch: async (target, init) => {
      const response = await fetch(target, init);
      checks.push(checkFrames(response.clone()).catch(() => {}));
      if (!response.ok) throw new Error(await response.text());
      return response;
    },
  });
  const failed = (why) => seen.failures.push(`${thread}: ${why}`);
  let outcome;
  const run = async (parameters = {}) => {
    seen.runs += 1;
    outcome = undefined;
    let end;
    const stopped = new Promise((settle) => { end = settle; });
    const running = agent.runAgent({ tools, context: [], ...parameters }, {
      onEvent({ event }) {
        seen.events += 1;
        count(seen.kinds, event.type);
        // The promise of the client does not always settle after `abortRun()`.
        if (answers === "stop" && event.type === "TEXT_MESSAGE_CONTENT") {
          outcome = { type: "stopped" };
          agent.abortRun();
          end();
        }
      },
      onRunFinishedEvent({ event }) { outcome = event.outcome; },
      onRunErrorEvent({ event }) {
        if (outcome?.type === "stopped") return;
        outcome = { type: "error", code: event.code };
        if (event.code !== "NOT_FOUND") failed(`${event.code}: ${event.message}`);
      },
    }).catch((error) => {
      // The client also throws for an error of the run. Its verifier throws for a wrong order.
      if (outcome?.type !== "error" && outcome?.type !== "stopped") failed(error.message ?? error);
    });
    await Promise.race([running, stopped]);
    if (!outcome) failed("the run has no end");
    count(seen.outcomes, [outcome?.type, outcome?.code].join(" ").trim());
  };
  const say = (content) => agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
  const payloads = {
    tool_call: { approved: answers !== "decline" }, input_required: { row: 3 }, "genkit:interrupt": { code: 42 },
    "genkit:client_tool": "red",
  };
  say(script);
  await run();
  for (let round = 0; round < 5 && (outcome?.type === "interrupt" || outcome?.pendingToolCallIds); round += 1) {
    if (outcome.type === "interrupt") {
      const status = answers === "cancel" ? "cancelled" : "resolved";
      const entry = (it) => ({ interruptId: it.id, status, ...(status === "resolved" && { payload: payloads[it.reason] }) });
      await run({ resume: outcome.interrupts.map(entry) });
    } else {
      for (const id of outcome.pendingToolCallIds) {
        agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId: id, content: '"red"' });
      }
      await run();
    }
  }
  await Promise.all(answers === "stop" ? [] : checks);
  return agent;
}

for (const one of cases) {
  await converse(one);
  // A thread continues after each of its runs.
  if (one.answers !== "stop") await converse({ ...one, thread: one.thread, script: "t" });
}
console.log(JSON.stringify(seen));
process.exit(0);
