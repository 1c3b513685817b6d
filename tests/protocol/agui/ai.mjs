// One conversation with Vercel's AI SDK: `node ai.mjs CASE URL`. The outcome is printed as JSON. Each part of a stream
// is validated by the client against its own schema.
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";

const [name, url] = process.argv.slice(2);
const seen = { texts: [], states: {}, errors: [], requests: 0, versions: [] };

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => this.messages.push(message);
  popMessage = () => this.messages.pop();
  replaceMessage = (index, message) => { this.messages[index] = structuredClone(message); };
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {}

const chat = new Chat({
  id: "chat-" + name,
  state: new State(),
  transport: new DefaultChatTransport({
    api: url,
    fetch: async (target, init) => {
      seen.requests += 1;
      const response = await fetch(target, init);
      seen.versions.push(response.headers.get("x-vercel-ai-ui-message-stream"));
      return response;
    },
  }),
  onError: (error) => seen.errors.push(String(error.message)),
  sendAutomaticallyWhen: (options) =>
    lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
    lastAssistantMessageIsCompleteWithToolCalls(options),
});

// Answers everything that the last message waits for, as a page would.
async function answer() {
  for (const part of chat.lastMessage?.parts ?? []) {
    if (part.state === "approval-requested") {
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: name !== "denied" });
      return true;
    }
    if (part.type === "tool-pick_color" && part.state === "input-available") {
      await chat.addToolOutput({ tool: "pick_color", toolCallId: part.toolCallId, output: "red" });
      return true;
    }
  }
  return false;
}

async function settle() {
  while (["submitted", "streaming"].includes(chat.status)) {
    await new Promise((wake) => setTimeout(wake, 10));
  }
}

// Loses the connection after the first text, like a page that is reloaded, and reconnects twice.
if (name === "resumed") {
  const nothing = await chat.transport.reconnectToStream({ chatId: chat.id });
  const sending = chat.sendMessage({ text: "go" });
  while (!chat.lastMessage?.parts.some((part) => part.type === "text" && part.text === "One. ")) {
    await new Promise((wake) => setTimeout(wake, 10));
  }
  await chat.stop();
  await sending;
  const again = new Chat({ id: chat.id, state: new State(), transport: chat.transport, onError: (error) => seen.errors.push(String(error.message)) });
  again.messages = chat.messages.filter((message) => message.role === "user");
  const resuming = again.resumeStream();
  const other = await chat.transport.reconnectToStream({ chatId: chat.id });
  // The model continues once another chat releases it.
  const message = { id: "u", role: "user", parts: [{ type: "text", text: "continue" }] };
  await fetch(url, { method: "POST", body: JSON.stringify({ id: "other", messages: [message] }) });
  await resuming;
  let parts = 0;
  for await (const _ of other) parts += 1;
  seen.resumed = { nothing, parts, texts: again.lastMessage.parts.filter((part) => part.type === "text").map((part) => part.text) };
  seen.left = await chat.transport.reconnectToStream({ chatId: chat.id });
  console.log(JSON.stringify(seen));
  process.exit(0);
}

await chat.sendMessage({ text: "go" });
for (let round = 0; round < 5 && seen.errors.length === 0 && (await answer()); round += 1) {
  await new Promise((wake) => setTimeout(wake, 10));
  await settle();
}
if (name === "regenerate") {
  await chat.regenerate();
  await settle();
}
if (seen.errors.length === 0) await chat.sendMessage({ text: "and more" });

for (const message of chat.messages) {
  for (const part of message.parts) {
    if (part.type === "text") seen.texts.push(part.text);
    if (part.toolCallId) seen.states[part.toolCallId] = [part.type, part.state, part.output ?? part.errorText ?? null];
    if (part.type.startsWith("data-")) seen.states[part.type] = part.data;
  }
}
seen.roles = chat.messages.map((message) => message.role);
console.log(JSON.stringify(seen));
process.exit(0);
