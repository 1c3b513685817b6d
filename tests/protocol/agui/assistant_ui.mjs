// One conversation with the AG-UI runtime of assistant-ui: `node assistant_ui.mjs CASE URL`. The outcome is printed as JSON.
// Its hooks run in React without a page.
import { createElement } from "react";
import { act, create } from "react-test-renderer";
import { HttpAgent } from "@ag-ui/client";
import { AssistantRuntimeProvider, useAssistantTool } from "@assistant-ui/core/react";
import { useAgUiInterrupts, useAgUiRuntime, useAgUiSteerAway } from "@assistant-ui/react-ag-ui";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const [name, url] = process.argv.slice(2);
const seen = { calls: {}, texts: [], errors: [], gates: 0, executed: 0, requests: 0 };
const agent = new HttpAgent({
  url,
  threadId: "assistant-ui-" + name,
  fetch: async (target, init) => {
    seen.requests += 1;
    const response = await fetch(target, init);
    if (!response.ok) seen.errors.push(await response.clone().text());
    return response;
  },
});

let runtime;
let interrupts;
let steerAway;

function Page() {
  interrupts = useAgUiInterrupts();
  steerAway = useAgUiSteerAway();
  useAssistantTool({
    toolName: "pick_color",
    description: "Asks the user for a color.",
    parameters: { type: "object", properties: {} },
    execute: async () => {
      seen.executed += 1;
      return "red";
    },
  });
  return null;
}

function App() {
  runtime = useAgUiRuntime({ agent, onError: (error) => seen.errors.push(String(error.message)) });
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Page));
}

const pause = () => act(() => new Promise((wake) => setTimeout(wake, 20)));
const messages = () => runtime.thread.getState().messages;
const calls = () => messages().flatMap((it) => it.content).filter((part) => part.type === "tool-call");
const waits = () => interrupts.length > 0;

// Waits until the last response is complete, or a question is open.
async function settle() {
  for (let rests = false; !rests && seen.errors.length === 0;) {
    await pause();
    const last = messages().at(-1);
    // A message that ends with a call is continued.
    const isComplete = last?.status?.type === "complete" && last.content.at(-1)?.type === "text";
    rests = !runtime.thread.getState().isRunning && (waits() || isComplete);
  }
}

const say = (text) => act(() => runtime.thread.append({ role: "user", content: [{ type: "text", text }] }));

await act(() => create(createElement(App)));
await say("go");
await settle();
for (let round = 0; round < 5 && waits() && seen.errors.length === 0; round += 1) {
  if (name === "steer") {
    await act(() => steerAway("never mind"));
  } else {
    const call = calls().find((it) => it.approval && it.approval.approved === undefined);
    if (!call) throw new Error("the client shows no approval: " + JSON.stringify(interrupts));
    seen.gates += 1;
    const message = runtime.thread.getMessageByIndex(messages().length - 1);
    await act(() => message.getMessagePartByToolCallId(call.toolCallId).respondToToolApproval({ approved: true }));
  }
  await settle();
}
if (seen.errors.length === 0) {
  await say("and more");
  await settle();
}
for (const call of calls()) seen.calls[call.toolCallId] = [call.toolName, call.result ?? null];
seen.texts = messages().flatMap((it) => it.content).filter((part) => part.type === "text").map((part) => part.text);
console.log(JSON.stringify(seen));
process.exit(0);
