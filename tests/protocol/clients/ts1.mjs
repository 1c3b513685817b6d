// The TypeScript SDK of the first generation, which supports only the era with sessions.
//   node ts1.mjs http URL | node ts1.mjs stdio COMMAND ARGUMENT…
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { target, user, visit } from './notes.mjs';

const { url, ...program } = target(process.argv.slice(2));
const transport = url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(program);
// The stdio transport receives the version, but does not store it.
let protocol;
const setVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => { protocol = version; setVersion?.(version); };

const questions = [];
const client = new Client({ name: 'ts1', version: '1' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, user(questions));
await client.connect(transport);
const seen = await visit(client, (params, options) => client.callTool(params, undefined, options));
await client.close();
console.log(JSON.stringify({ protocol, questions, ...seen }));
