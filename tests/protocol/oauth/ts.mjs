// The TypeScript SDK's client, which logs in without a user.
//   node ts.mjs URL LOGIN     LOGIN is the URL of the user at the authorization server of the tests.
// With `v2` as the first argument, the second generation of the SDK is used.
const second = process.argv[2] === 'v2';
const [url, login] = process.argv.slice(second ? 3 : 2);
const { Client, StreamableHTTPClientTransport } = second
  ? await import('@modelcontextprotocol/client')
  : {
    ...await import('@modelcontextprotocol/sdk/client/index.js'),
    ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  };

let saved = {};
let address;
const authProvider = {
  redirectUrl: 'http://127.0.0.1:4711/callback',
  clientMetadata: {
    client_name: 'ts',
    redirect_uris: ['http://127.0.0.1:4711/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  state: () => 'a state',
  clientInformation: () => saved.client,
  saveClientInformation: (client) => { saved.client = client; },
  tokens: () => saved.tokens,
  saveTokens: (tokens) => { saved.tokens = tokens; },
  codeVerifier: () => saved.verifier,
  saveCodeVerifier: (verifier) => { saved.verifier = verifier; },
  redirectToAuthorization: (to) => { address = to; },
};

const connect = async () => {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  const client = new Client({ name: 'ts', version: '1' }, {});
  try {
    await client.connect(transport);
    return { client };
  } catch (error) {
    if (!address) throw error;
    return { transport };
  }
};

const { transport } = await connect();
const asked = Object.fromEntries(address.searchParams);
const back = await fetch(login, { headers: { 'x-address': address.href } });
const callback = new URL(await back.text());
if (second) await transport.finishAuth(callback.searchParams);
else await transport.finishAuth(callback.searchParams.get('code'));
const { client } = await connect();
const { tools } = await client.listTools();
const said = await client.callTool({ name: 'whoami', arguments: {} });
await client.close();
console.log(JSON.stringify({
  asked,
  tools: tools.map((tool) => tool.name),
  said: said.content[0].text,
  refreshable: Boolean(saved.tokens.refresh_token),
}));
