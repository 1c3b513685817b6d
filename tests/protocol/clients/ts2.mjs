// The TypeScript SDK of the second generation, which supports both eras.
//   node ts2.mjs MODE http URL | node ts2.mjs MODE stdio COMMAND ARGUMENT…
// MODE is `legacy`, `auto`, or the required version.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { target, user, visit } from './notes.mjs';

const [mode, ...rest] = process.argv.slice(2);
const { url, ...program } = target(rest);
const transport = url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(program);
const questions = [];
const client = new Client({ name: 'ts2', version: '1' }, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: /^\d/.test(mode) ? { pin: mode } : mode },
});
client.setRequestHandler('elicitation/create', user(questions));
await client.connect(transport);
const protocol = client.getNegotiatedProtocolVersion();
const seen = await visit(client, (params, options) => client.callTool(params, options));
await client.close();
console.log(JSON.stringify({ protocol, questions, ...seen }));
