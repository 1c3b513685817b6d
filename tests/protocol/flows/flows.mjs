// One check with Genkit's own client of flows: `node flows.mjs CHECK URL`. The observations are printed as JSON.
import { runFlow, streamFlow } from 'genkit/beta/client';

const [check, base] = process.argv.slice(2);
const url = (flow) => `${base}/${flow}`;

// An error that arrives while a chunk is being read causes an unhandled rejection, which is ignored: the channel of
// the client reports the error again to the next reader.
process.on('unhandledRejection', () => {});

// Returns the chunks, and the result or the error.
async function read({ stream, output }) {
  const chunks = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks, result: (await output) ?? null };
  } catch (error) {
    return { chunks, error: error.message };
  }
}

const failed = async (call) => call.then((result) => ({ result }), (error) => ({ error: error.message }));

const checks = {
  streamy: () => read(streamFlow({ url: url('streamy'), input: 5 })),
  plain: () => runFlow({ url: url('streamy'), input: 3 }),
  nothing: async () => ({
    plain: await runFlow({ url: url('unit') }),
    streamed: await read(streamFlow({ url: url('unit') })),
  }),
  characters: async () => {
    const text = '👩‍👩‍👧 日本 é '.repeat(60000);
    const { chunks, result } = await read(streamFlow({ url: url('chunks'), input: [text, '\n\ndata: x\r\n'] }));
    return { same: chunks[0] === text, bytes: Buffer.byteLength(chunks[0]), second: chunks[1], result };
  },
  failure: async () => ({
    plain: await failed(runFlow({ url: url('fail') })),
    streamed: await read(streamFlow({ url: url('fail') })),
    masked: await read(streamFlow({ url: url('secret') })),
    panic: await read(streamFlow({ url: url('panics') })),
    late: await read(streamFlow({ url: url('sleeper') })),
  }),
  provider: async () => ({
    nobody: await failed(runFlow({ url: url('unit') })),
    streamed: await read(streamFlow({ url: url('unit') })),
    somebody: await failed(runFlow({ url: url('unit'), headers: { Authorization: 'k' } })),
  }),
  init: () => runFlow({ url: url('streamy'), input: 1, init: { sessionId: 'x' } }),
  durable: async () => {
    const first = streamFlow({ url: url('slow'), input: 6 });
    const id = await first.streamId;
    // Resumes the stream while the flow runs, and after its end.
    const running = await read(streamFlow({ url: url('slow'), streamId: id }));
    const original = await read(first);
    const ended = await read(streamFlow({ url: url('slow'), streamId: id }));
    const unknown = await read(streamFlow({ url: url('slow'), streamId: 'unknown' }));
    return { id, original, running, ended, unknown };
  },
  abort: async () => {
    const controller = new AbortController();
    const call = streamFlow({ url: url('endless'), abortSignal: controller.signal });
    call.output.catch(() => {});
    for await (const chunk of call.stream) {
      controller.abort();
      return { chunk };
    }
  },
};

const seen = await checks[check]();
process.stdout.write(JSON.stringify(seen ?? null) + '\n', () => process.exit(0));
