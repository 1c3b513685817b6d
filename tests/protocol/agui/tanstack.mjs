// One conversation with TanStack AI's client: `node tanstack.mjs CASE URL`. The outcome is printed as JSON.
import { ChatClient, fetchServerSentEvents } from "@tanstack/ai-client";

const [name, url] = process.argv.slice(2);
const seen = { calls: {}, texts: [], errors: [], bound: [], answered: 0, requests: 0 };
let resume;

const client = new ChatClient({
  threadId: "tanstack-" + name,
  connection: fetchServerSentEvents(url, {
    fetchClient: async (target, init) => {
      seen.requests += 1;
      const response = await fetch(target, init);
      if (!response.ok) seen.errors.push(await response.clone().text());
      return response;
    },
  }),
  tools: [{ name: "pick_color", description: "Asks the user for a color.", inputSchema: { type: "object" }, __toolSide: "client" }],
  onResumeStateChange: (state, pending) => { resume = { state, pending }; },
  onError: (error) => seen.errors.push(String(error.message)),
});

const parts = () => client.getMessages().flatMap((message) => message.parts);

async function settle() {
  do await new Promise((wake) => setTimeout(wake, 20)); while (client.getIsLoading());
}

// Answers everything that the last run waits for, as a page would.
async function answer() {
  const pending = resume?.pending ?? [];
  if (pending.length > 0) {
    // The client resolves only interrupts of TanStack's own server, and offers a method for others.
    seen.bound.push(...client.getInterrupts().map((it) => it.kind));
    const state = resume.state;
    await client.resumeInterruptsUnsafe(
      pending.map((it) => ({ interruptId: it.id, status: "resolved", payload: { approved: true } })), state,
    );
    return true;
  }
  const open = parts().find((part) => part.type === "tool-call" && part.name === "pick_color" && part.output === undefined);
  if (!open) return false;
  await client.addToolResult({ tool: "pick_color", toolCallId: open.id, output: "red", state: "output-available" });
  return true;
}

await client.sendMessage("go");
await settle();
for (let round = 0; round < 5 && seen.errors.length === 0 && (await answer()); round += 1) {
  seen.answered += 1;
  await settle();
}
if (seen.errors.length === 0) {
  await client.sendMessage("and more");
  await settle();
}
for (const part of parts()) {
  if (part.type === "text") seen.texts.push(part.content);
  if (part.type === "tool-call") seen.calls[part.id] = [part.name, part.state];
  if (part.type === "tool-result") seen.calls[part.toolCallId].push(part.content);
}
seen.roles = client.getMessages().map((message) => message.role);
console.log(JSON.stringify(seen));
process.exit(0);
