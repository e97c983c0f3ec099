import t, { type Test } from 'tap';
import { type Crm, useCrm } from '../kit/crm.js';
import { postJson } from '../kit/graphql-client.js';
import { ISSUER, makeIssuer } from '../kit/token-issuer.js';

/** Clients of MCP learn which authorization server they need (RFC 9728). */

const PUBLIC = 'publicUrl: https://api.example\n';
const PATH = '/.well-known/oauth-protected-resource';

const tokens = await makeIssuer();

const jwtOf = (issuer = ISSUER, audience = 'https://api.example/mcp'): string =>
  `{ issuer: "${issuer}", audience: "${audience}", jwks: ${JSON.stringify(tokens.keySet)}, ` +
  'algorithms: [ES256], class: all }';

const clients = (ways: string): string => `clients: { ${ways}, classes: { all: {} } }\n`;

const INTROSPECTION =
  'url: http://127.0.0.1:9/introspect, clientId: gateway, clientSecret: secret, class: all';

const start = (
  t: Test,
  more: string,
  mcp = 'mcp: { operations: [crm.GetCustomer] }\n',
): Promise<Crm> => useCrm(t, '', `${mcp}${more}`);

const get = (crm: Crm, path: string, method = 'GET'): Promise<Response> =>
  fetch(`${crm.gateway.url}${path}`, { method });

const call = (crm: Crm, token: string | null, path = '/mcp'): Promise<Response> =>
  postJson(
    `${crm.gateway.url}${path}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    token === null ? {} : { authorization: `Bearer ${token}` },
  );

const tokenFor = (aud: string): Promise<string> => tokens.sign({ sub: 'ada', aud });

t.test('a client without a token is led to the authorization server', async (t) => {
  const crm = await start(t, PUBLIC + clients(`jwt: ${jwtOf()}`));
  const refused = await call(crm, null);
  t.equal(refused.status, 401);
  const url = `https://api.example${PATH}/mcp`;
  t.equal(
    refused.headers.get('www-authenticate'),
    `Bearer realm="soapstone", resource_metadata="${url}"`,
  );
  const described = await get(crm, new URL(url).pathname);
  t.equal(described.status, 200);
  t.equal(described.headers.get('content-type'), 'application/json');
  t.same(await described.json(), {
    resource: 'https://api.example/mcp',
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    resource_name: 'Soapstone',
  });
  t.equal((await get(crm, `${PATH}/mcp`, 'HEAD')).status, 200);
  t.equal((await get(crm, `${PATH}/mcp`, 'POST')).status, 405);
  t.equal((await get(crm, PATH)).status, 401, 'nothing else is told');
});

t.test('a token for another resource is refused', async (t) => {
  const crm = await start(t, PUBLIC + clients(`jwt: ${jwtOf()}`));
  t.equal((await call(crm, await tokenFor('https://api.example/mcp'))).status, 200);
  const other = await call(crm, await tokenFor('https://other.example/mcp'));
  t.equal(other.status, 401);
  t.match(
    other.headers.get('www-authenticate'),
    /, error="invalid_token", resource_metadata="https:[^"]+"$/,
  );
});

t.test(
  'the path of the endpoint stands behind the well-known one, that of publicUrl before it',
  async (t) => {
    const crm = await start(
      t,
      `publicUrl: https://api.example/gateway/\n${clients(`jwt: ${jwtOf()}`)}`,
      'mcp: { path: /agents, operations: [crm.GetCustomer] }\n',
    );
    t.match(
      (await call(crm, null, '/agents')).headers.get('www-authenticate'),
      `"https://api.example${PATH}/gateway/agents"`,
    );
    t.match(await (await get(crm, `${PATH}/gateway/agents`)).json(), {
      resource: 'https://api.example/gateway/agents',
    });
  },
);

t.test('issuers that have an address are named, each once', async (t) => {
  const introspection = `introspection: { ${INTROSPECTION}, issuer: "https://other.example", \
audience: here }`;
  const crm = await start(
    t,
    PUBLIC + clients(`jwt: [${jwtOf()}, ${jwtOf('urn:internal')}], ${introspection}`),
  );
  t.match(await (await get(crm, `${PATH}/mcp`)).json(), {
    authorization_servers: [ISSUER, 'https://other.example'],
  });
});

t.test('without an issuer or a public address nothing is described', async (t) => {
  for (const more of [
    clients(`jwt: ${jwtOf()}`),
    PUBLIC + clients(`jwt: ${jwtOf('urn:internal')}`),
    PUBLIC + clients(`introspection: { ${INTROSPECTION} }`),
  ]) {
    const crm = await start(t, more);
    t.equal((await call(crm, null)).headers.get('www-authenticate'), 'Bearer realm="soapstone"');
    t.equal((await get(crm, `${PATH}/mcp`)).status, 401);
  }
});

t.test('clients are sent to no server whose tokens for others would be good here', async (t) => {
  await t.rejects(
    useCrm(t, '', clients(`introspection: { ${INTROSPECTION}, issuer: "https://login.example" }`)),
    {
      message: /clients\.introspection\.issuer.*tokens for others[\s\S]*audience/,
    },
  );
});
