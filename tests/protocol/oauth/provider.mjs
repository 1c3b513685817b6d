// An authorization server (npm's `oidc-provider`) on this machine, with additional features for tests:
// keys that are rotated, grants that are revoked, a user who logs in and consents, tokens of a program.
//   node provider.mjs   prints its address, and runs until its standard input ends.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const SCOPES = 'notes:read notes:write';
const robot = { client_id: 'robot', client_secret: 'the secret of the robot' };

function key() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
}

// The data that the issuer has stored, which does not depend on its keys.
const stored = new Map();
class Store {
  constructor(model) { this.model = model; }
  at(id) { return `${this.model}:${id}`; }
  async upsert(id, payload) { stored.set(this.at(id), payload); }
  async find(id) { return stored.get(this.at(id)); }
  async findByUid(uid) {
    return [...stored].find(([key, it]) => key.startsWith(this.at('')) && it.uid === uid)?.[1];
  }
  async consume(id) { stored.get(this.at(id)).consumed = Math.floor(Date.now() / 1000); }
  async destroy(id) { stored.delete(this.at(id)); }
  async revokeByGrantId(grant) {
    for (const [key, it] of stored) if (it.grantId === grant) stored.delete(key);
  }
}

// Another provider of the same issuer: registrations and grants are kept, but the keys differ.
function provider(issuer) {
  const made = new Provider(issuer, {
    adapter: Store,
    jwks: { keys: [key()] },
    cookies: { keys: ['of a test'] },
    clients: [{
      ...robot,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
    }],
    scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
    pkce: { required: () => true },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    ttl: { AccessToken: 300, ClientCredentials: 300, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600, IdToken: 300 },
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: SCOPES,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  made.on('server_error', (_, error) => console.error(error));
  made.on('grant.success', (context) => {
    if (context.oidc.params.grant_type === 'refresh_token') refreshes += 1;
  });
  made.on('refresh_token.saved', (saved) => { refreshable = saved; });
  return made;
}

// A user with a minimal browser: follows redirects, keeps cookies, fills in forms.
async function browse(start, user) {
  const cookies = new Map();
  let [url, options] = [new URL(start), {}];
  for (let step = 0; step < 20; step += 1) {
    const headers = { ...options.headers, cookie: [...cookies].map((it) => it.join('=')).join('; ') };
    const response = await fetch(url, { ...options, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0].split('=');
      if (value) cookies.set(name, value); else cookies.delete(name);
    }
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url);
      options = {};
      // The redirect leaves the authorization server and returns to the program that asked.
      if (!url.href.startsWith(issuer)) return url.href;
      continue;
    }
    const page = await response.text();
    const action = page.match(/<form[^>]* action="([^"]+)"/)?.[1];
    const prompt = page.match(/name="prompt" value="([^"]+)"/)?.[1];
    if (!action || !prompt) throw new Error(`no form: ${response.status} ${page}`);
    url = new URL(action.replaceAll('&amp;', '&'), url);
    const fields = prompt === 'login' ? { prompt, login: user, password: 'any' } : { prompt };
    options = {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
  }
  throw new Error('the login does not end');
}

async function token(resource, scope) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource, scope, ...robot });
  const response = await fetch(`${issuer}/token`, { method: 'POST', body });
  const { access_token: found, ...rest } = await response.json();
  if (!found) throw new Error(JSON.stringify(rest));
  return found;
}

// RFC 7009, for the newest refresh token.
async function revoke() {
  const body = new URLSearchParams({ token: refreshable.jti, client_id: refreshable.clientId });
  const response = await fetch(`${issuer}/token/revocation`, { method: 'POST', body });
  if (response.status !== 200) throw new Error(await response.text());
  return 'revoked';
}

// The commands of a test, at `/test/..`.
async function serveTest(request, url) {
  const asked = (name) => url.searchParams.get(name);
  switch (url.pathname) {
    case '/test/login': return browse(request.headers['x-address'], asked('as'));
    case '/test/revoke': return revoke();
    case '/test/token': return token(asked('resource'), asked('scope'));
    case '/test/rotate':
      current = provider(issuer).callback();
      return 'rotated';
    case '/test/refreshes': return String(refreshes);
    default: throw new Error(`nothing at ${url.pathname}`);
  }
}

let issuer;
let current;
let refreshes = 0;
let refreshable;
const server = createServer(async (request, response) => {
  const url = new URL(request.url, issuer);
  if (!url.pathname.startsWith('/test/')) {
    current(request, response);
    return;
  }
  try {
    response.end(await serveTest(request, url));
  } catch (error) {
    response.statusCode = 500;
    response.end(String(error.stack));
  }
});
server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  current = provider(issuer).callback();
  console.log(issuer);
});
process.stdin.on('end', () => process.exit(0)).resume();
