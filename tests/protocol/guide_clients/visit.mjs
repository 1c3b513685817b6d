// Calls the tools of a server with one of the TypeScript SDKs, and prints the texts of their results.
//   node visit.mjs SDK TARGET   SDK is `sdk` or `client`; TARGET is JSON: {url, token, command, calls, answer}.
const [sdk, target] = process.argv.slice(2);
const { url, token, command, calls, answer } = JSON.parse(target);
const isFirst = sdk === 'sdk';
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }, question] = await Promise.all(isFirst
  ? [
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js').then((types) => types.ElicitRequestSchema),
  ]
  : [
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
    import('@modelcontextprotocol/client'),
    'elicitation/create',
  ]);

const requestInit = token ? { headers: { authorization: `Bearer ${token}` } } : undefined;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit })
  : new StdioClientTransport({ command, args: [], stderr: 'inherit' });
const client = new Client({ name: 'guide', version: '1' }, {
  capabilities: { elicitation: isFirst ? {} : { form: {} } },
  ...(isFirst ? {} : { versionNegotiation: { mode: 'auto' } }),
});
client.setRequestHandler(question, async () => ({ action: 'accept', content: answer }));
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of calls) {
  const { isError, content } = await client.callTool({ name, arguments: args });
  results.push(`${isError ? 'error: ' : ''}${content[0].text}`);
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name).sort(), results }));
