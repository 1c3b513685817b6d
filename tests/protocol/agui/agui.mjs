// One conversation with the official client of AG-UI: `node agui.mjs CASE URL`. The outcome is printed as JSON. Each
// event is validated against the official schema, and the client's verifier checks their order.
import { HttpAgent } from "@ag-ui/client";
import { EventSchema, RunAgentInputSchema } from "@ag-ui/core/schemas";

const [name, url] = process.argv.slice(2);
const seen = { types: [], texts: [], outcomes: [], errors: [], invalid: [], runs: 0 };

class CheckedAgent extends HttpAgent {
  requestInit(input) {
    const parsed = RunAgentInputSchema.safeParse(input);
    if (!parsed.success) seen.invalid.push({ input: parsed.error.message });
    return super.requestInit(input);
  }
}

const agent = new CheckedAgent({
  url,
  threadId: "thread-" + name,
  fetch: async (target, init) => {
    const response = await fetch(target, init);
    if (!response.ok) seen.errors.push({ http: response.status, body: await response.clone().text() });
    const copy = response.clone();
    copy.text().then((text) => {
      for (const frame of text.split("\n\n")) {
        if (!frame.startsWith("data: ")) continue;
        const event = JSON.parse(frame.slice(6));
        const parsed = EventSchema.safeParse(event);
        if (!parsed.success) seen.invalid.push({ event, why: parsed.error.message });
      }
    }, () => {});
    return response;
  },
});

const pick = {
  name: "pick_color",
  description: "Asks the user for a color.",
  parameters: { type: "object", properties: { of: { type: "integer" } } },
};

async function run(parameters = {}, onEvent = () => {}) {
  seen.runs += 1;
  try {
    await agent.runAgent({ tools: [pick], context: [], ...parameters }, {
      onEvent({ event }) {
        seen.types.push(event.type);
        onEvent(event);
      },
      onTextMessageEndEvent({ textMessageBuffer }) {
        seen.texts.push(textMessageBuffer);
      },
      onRunFinishedEvent({ event }) {
        seen.outcomes.push(event.outcome);
      },
      onRunErrorEvent({ event }) {
        seen.errors.push({ code: event.code, message: event.message });
      },
    });
  } catch (error) {
    seen.errors.push({ thrown: String(error.message ?? error) });
  }
}

function say(content) {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
}

const lastOutcome = () => seen.outcomes.at(-1);

say("go");
// The client's promise does not always settle after `abortRun()`.
let end;
const aborted = new Promise((settle) => { end = settle; });
const first = run({}, (event) => {
  if (name !== "cancel" || event.type !== "TEXT_MESSAGE_CONTENT") return;
  agent.abortRun();
  end();
});
await Promise.race([first, aborted]);
// Answers everything that the run waits for, as a page would.
for (let round = 0; round < 5 && lastOutcome(); round += 1) {
  const outcome = lastOutcome();
  const before = seen.outcomes.length;
  for (const id of outcome.pendingToolCallIds ?? []) {
    agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId: id, content: '"red"' });
  }
  if (outcome.type === "interrupt") {
    const payload = { tool_call: { approved: true }, input_required: { row: 3 }, "genkit:interrupt": { code: "42" }, "genkit:client_tool": "red" };
    const resume = outcome.interrupts.map((it) => ({
      interruptId: it.id, status: "resolved", payload: payload[it.reason],
    }));
    seen.schemas = outcome.interrupts.map((it) => it.responseSchema ?? null);
    await run({ resume });
  } else if (outcome.pendingToolCallIds?.length) {
    await run();
  } else {
    break;
  }
  if (seen.outcomes.length === before) break;
}
if (name !== "cancel" && seen.errors.length === 0) {
  say("and more");
  await run();
}
seen.state = agent.state;
seen.roles = agent.messages.map((message) => message.role);
seen.sealed = agent.messages.filter((message) => message.encryptedValue).length;
console.log(JSON.stringify(seen));
