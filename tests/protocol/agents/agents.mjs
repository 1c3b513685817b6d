// One check with Genkit's own client of agents: `node agents.mjs CHECK URL`. The observations are printed as JSON.
import { remoteAgent } from 'genkit/beta/client';

const [check, base] = process.argv.slice(2);
const agent = (name) => remoteAgent({ url: `${base}/${name}` });

// Reads a turn to its end.
async function read({ stream, response }) {
  const kinds = [];
  let text = '';
  for await (const chunk of stream) {
    kinds.push(...Object.keys(chunk.raw ?? chunk).filter((key) => /Chunk|Patch|artifact|turnEnd/.test(key)));
    text += chunk.text ?? '';
  }
  return { kinds, text, reason: (await response).finishReason };
}

const checks = {
  async chat() {
    const chat = agent('guide').chat({ sessionId: 'trip' });
    const first = await chat.send('Oslo?');
    const second = await chat.send('Two days.');
    const loaded = await agent('guide').loadChat({ sessionId: 'trip' });
    return {
      texts: [first.text, second.text],
      session: chat.sessionId,
      kept: loaded.messages.length,
      unknown: await agent('guide').getSnapshot('no-such-snapshot'),
    };
  },
  async stream() {
    const chat = agent('counter').chat({});
    const seen = await read(chat.sendStream('one'));
    await chat.send('two');
    return { seen, state: chat.state };
  },
  async interrupt() {
    const chat = agent('payer').chat({});
    const asked = await chat.send('Pay.');
    const { toolRequest } = asked.message.content.find((part) => part.toolRequest);
    const respond = [{ toolResponse: { name: toolRequest.name, ref: toolRequest.ref, output: 'by card' } }];
    const paid = await chat.resume({ respond });
    return { asked: asked.finishReason, input: toolRequest.input, text: paid.text };
  },
  async detach() {
    const chat = agent('blocker').chat({});
    const task = await chat.detach('wait');
    const before = (await agent('blocker').getSnapshot(task.snapshotId)).status;
    await agent('blocker').abort(task.snapshotId);
    return { before, after: (await agent('blocker').getSnapshot(task.snapshotId)).status };
  },
  async fail() {
    const chat = agent('failing').chat({});
    return chat.send('go').then(() => null, (error) => ({ status: error.status, message: error.message }));
  },
};

console.log(JSON.stringify(await checks[check]()));
process.exit(0);
