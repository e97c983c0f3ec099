import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { type Crm, useCrm } from '../kit/crm.js';
import { envelope, MEDIA } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { makeProver } from '../kit/proofs.js';
import { ISSUER, makeIssuer } from '../kit/token-issuer.js';

/** Tokens that are bound to the key of their client (RFC 9449), at each endpoint. */

const issuer = await makeIssuer();
const prover = await makeProver();
const bound = await issuer.sign({ cnf: { jkt: prover.thumbprint } });
const ALGORITHMS = 'algs="ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512 EdDSA Ed25519"';

const clients = (keys: string): string =>
  `clients:\n  ${issuer.yaml(`class: all, ${keys}`)}\n  classes: { all: {} }\n`;

const start = (t: Test, keys = 'proof: dpop', more = ''): Promise<Crm> =>
  useCrm(
    t,
    ', rest: true, forwardHeaders: [authorization, dpop]',
    `mcp: { operations: [crm.GetCustomer] }\n${more}${clients(keys)}`,
  );

const QUERY = '{ getCustomer(id: 1) { name } }';
const SOAP = envelope('<GetCustomer xmlns="urn:crm"><id>1</id></GetCustomer>');

type Headers = Readonly<Record<string, string>>;
interface Way {
  readonly path: string;
  readonly method: string;
  readonly send: (url: string, headers: Headers) => Promise<Response>;
}

/** Each way in which a call comes. */
const WAYS: Readonly<Record<string, Way>> = {
  GraphQL: {
    path: '/graphql',
    method: 'POST',
    send: (url, headers) => postJson(url, { query: QUERY }, headers),
  },
  'server-sent events': {
    path: '/graphql',
    method: 'POST',
    send: (url, headers) =>
      postJson(url, { query: QUERY }, { ...headers, accept: 'text/event-stream' }),
  },
  SOAP: {
    path: '/soap/crm',
    method: 'POST',
    send: (url, headers) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': MEDIA['1.1'], ...headers },
        body: SOAP,
      }),
  },
  REST: {
    path: '/rest/crm/GetCustomer',
    method: 'GET',
    send: (url, headers) => fetch(`${url}?id=1`, { headers }),
  },
  MCP: {
    path: '/mcp',
    method: 'POST',
    send: (url, headers) =>
      postJson(
        url,
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'getCustomer', arguments: { id: 1 } },
        },
        headers,
      ),
  },
};

const callOf = (crm: Crm, { path, method }: Way) => ({
  url: `${crm.gateway.url}${path}`,
  token: bound,
  method,
});

for (const [name, way] of Object.entries(WAYS)) {
  t.test(`${name}: a request with a token and its proof`, async (t) => {
    const crm = await start(t);
    const call = callOf(crm, way);
    const fields = await prover.fields(call);
    const answer = await way.send(call.url, fields);
    t.equal(answer.status, 200);
    t.match(await answer.text(), 'Ada');
    t.equal(crm.backend.complete.length, 1);
    t.match(
      [crm.backend.complete[0]?.headers['authorization'], crm.backend.complete[0]?.headers['dpop']],
      [undefined, undefined],
      'neither goes on to the backend',
    );
    const refused = async (headers: Headers, error: string): Promise<Response> => {
      const response = await way.send(call.url, headers);
      t.equal(response.status, name === 'SOAP' ? 500 : 401, error);
      t.match(response.headers.get('www-authenticate'), error);
      await response.text();
      return response;
    };
    await refused(fields, `DPoP ${ALGORITHMS}, error="invalid_dpop_proof"`);
    await refused({ authorization: `Bearer ${bound}` }, 'error="invalid_token"');
    await refused({ authorization: `Bearer ${await issuer.sign()}` }, 'error="invalid_token"');
    const late = await issuer.sign({ cnf: { jkt: prover.thumbprint }, exp: 1 });
    const expired = await refused(
      await prover.fields({ ...call, token: late }),
      `DPoP ${ALGORITHMS}, error="invalid_token"`,
    );
    t.notMatch(expired.headers.get('www-authenticate'), 'Bearer');
    const none = await refused({}, `DPoP ${ALGORITHMS}`);
    t.notMatch(none.headers.get('www-authenticate'), /Bearer|error/);
    t.equal(crm.backend.begun, 1);
  });

  t.test(`${name}: a nonce is asked for, and comes with the refusal`, async (t) => {
    const crm = await start(t, 'proof: dpop, dpop: { nonce: true }');
    const call = callOf(crm, way);
    const asked = await way.send(call.url, await prover.fields(call));
    t.match(asked.headers.get('www-authenticate'), 'error="use_dpop_nonce"');
    const nonce = asked.headers.get('dpop-nonce');
    t.type(nonce, 'string');
    const answer = await way.send(call.url, await prover.fields(call, { nonce }));
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('dpop-nonce'), null, 'a fresh one is kept');
    t.match(await answer.text(), 'Ada');
  });
}

t.test('the challenges name the schemes that are taken', async (t) => {
  const challenge = async (keys: string): Promise<string | null> => {
    const crm = await start(t, keys);
    const answer = await postJson(`${crm.gateway.url}/graphql`, { query: QUERY });
    return answer.headers.get('www-authenticate');
  };
  t.equal(await challenge('proof: none'), 'Bearer realm="soapstone"');
  t.equal(await challenge('proof: mtls'), 'Bearer realm="soapstone"');
  t.equal(await challenge('proof: dpop'), `DPoP ${ALGORITHMS}`);
  t.equal(await challenge('proof: either'), `DPoP ${ALGORITHMS}, Bearer realm="soapstone"`);
});

t.test('a token that is bound is held to it where no binding is demanded', async (t) => {
  const crm = await start(t, 'proof: none');
  const url = `${crm.gateway.url}/graphql`;
  const send = async (headers: Headers): Promise<number> =>
    (await postJson(url, { query: QUERY }, headers)).status;
  t.equal(await send({ authorization: `Bearer ${await issuer.sign()}` }), 200);
  t.equal(await send({ authorization: `Bearer ${bound}` }), 401);
  t.equal(await send(await prover.fields({ url, token: bound })), 200);
});

t.test('a token in the query or in a form is none', async (t) => {
  const crm = await start(t, 'proof: none');
  const token = await issuer.sign();
  const url = `${crm.gateway.url}/graphql`;
  const query = await postJson(`${url}?access_token=${token}`, { query: QUERY });
  t.equal(query.status, 401);
  const form = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ access_token: token, query: QUERY }),
  });
  t.equal(form.status, 401);
});

t.test('a token that goes on to backends goes without its proof', async (t) => {
  const crm = await start(t, 'proof: dpop, forward: true');
  const url = `${crm.gateway.url}/soap/crm`;
  const fields = await prover.fields({ url, token: bound });
  t.equal((await WAYS['SOAP']?.send(url, fields))?.status, 200);
  const { authorization, dpop } = crm.backend.complete[0]?.headers ?? {};
  t.match([authorization, dpop], [fields.authorization, undefined]);
});

t.test('the token and the proof of a WebSocket', async (t) => {
  const crm = await start(t);
  const url = `${crm.gateway.url}/graphql`;
  const open = async (headers: Headers, payload: object = {}): Promise<string> => {
    const socket = new WebSocket(url.replace('http', 'ws'), ['graphql-transport-ws'], { headers });
    t.teardown(() => socket.terminate());
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
      socket.on('close', (code) => resolve(String(code)));
      socket.on('message', (data) => resolve(JSON.parse(String(data)).type));
    });
  };
  const prove = (): Promise<Headers> => prover.fields({ url, token: bound, method: 'GET' });
  const fields = await prove();
  t.equal(await open(fields), 'connection_ack', 'in the fields of the handshake');
  t.equal(await open(fields), '4403', 'a proof is taken once');
  t.equal(await open({}, { ...(await prove()) }), 'connection_ack', 'in the first message');
  t.equal(await open({}, { headers: await prove() }), 'connection_ack');
  t.equal(await open(await prover.fields({ url, token: bound })), '4403', 'the handshake is a GET');
  t.equal(await open({ authorization: `Bearer ${bound}` }), '4403');
});

t.test('a connection that is open stays so when its credentials are looked at again', async (t) => {
  const crm = await start(t);
  const url = `${crm.gateway.url}/graphql`;
  const headers = await prover.fields({ url, token: bound, method: 'GET' });
  const socket = new WebSocket(url.replace('http', 'ws'), ['graphql-transport-ws'], { headers });
  t.teardown(() => socket.terminate());
  const messages: { readonly type: string; readonly payload?: unknown }[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  const heard = async (count: number): Promise<void> => {
    while (messages.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  await heard(1);
  await crm.gateway.reload((yaml) => `${yaml}log: { level: debug }\n`);
  socket.send(JSON.stringify({ type: 'subscribe', id: 'a', payload: { query: QUERY } }));
  await heard(2);
  t.match(messages[1], { type: 'next', payload: { data: { getCustomer: { name: /Ada/ } } } });
});

t.test('agents learn how tokens have to be bound (RFC 9728)', async (t) => {
  const described = async (keys: string): Promise<unknown> => {
    const audience = 'publicUrl: https://api.example\n';
    const crm = await start(t, keys, audience);
    const path = '/.well-known/oauth-protected-resource/mcp';
    return (await fetch(`${crm.gateway.url}${path}`)).json();
  };
  t.match(await described('proof: dpop'), {
    authorization_servers: [ISSUER],
    dpop_signing_alg_values_supported: ['ES256'],
    dpop_bound_access_tokens_required: true,
    tls_client_certificate_bound_access_tokens: undefined,
  });
  t.match(await described('proof: mtls'), {
    dpop_signing_alg_values_supported: undefined,
    dpop_bound_access_tokens_required: undefined,
    tls_client_certificate_bound_access_tokens: true,
  });
  t.match(await described('proof: either'), {
    dpop_signing_alg_values_supported: ['ES256'],
    dpop_bound_access_tokens_required: undefined,
    tls_client_certificate_bound_access_tokens: true,
  });
  t.match(await described('proof: none'), {
    dpop_signing_alg_values_supported: undefined,
    tls_client_certificate_bound_access_tokens: undefined,
  });
});

t.test('pages of allowed origins may send proofs, and read the nonce', async (t) => {
  const cors = 'graphql: { cors: { origins: ["https://shop.example"] } }\n';
  const crm = await start(t, 'proof: dpop, dpop: { nonce: true }', cors);
  const url = `${crm.gateway.url}/graphql`;
  const origin = 'https://shop.example';
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  t.match(preflight.headers.get('access-control-allow-headers'), /\bdpop\b/);
  const asked = await postJson(url, { query: QUERY }, { origin });
  t.match(asked.headers.get('access-control-expose-headers'), /www-authenticate, dpop-nonce/);
});
