import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import { postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { askText } from '../kit/graphql-client.js';
import type { GraphqlServer } from '../kit/graphql-server.js';
import { GET_STOCK, STOCK_REPLY } from '../kit/stock-shop.js';
import { useBackend, useFolder, useGateway, useGraphqlServer } from '../kit/use.js';

const SDL = 'type Query { customer: String }';

/** A backend of logins, whose replies lead to `serverUrl`. */
async function useLogins(t: Test) {
  const login = { serverUrl: '', logins: 0 };
  const backend = await useBackend(
    t,
    answerBy((text) => {
      if (!text.includes('Login')) return '';
      const session =
        `<sessionId>t${++login.logins}</sessionId><serverUrl>` + `${login.serverUrl}</serverUrl>`;
      return `<LoginResponse xmlns="urn:shop"><session>${session}</session></LoginResponse>`;
    }),
  );
  return Object.assign(login, { backend });
}

const TYPES = `namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int, session(user: String!): Session }
      type Session { sessionId: String, serverUrl: String }
    operations:
      GetStock: { field: Query.stock }
      Login: { field: Query.session }`;

const graphqlYaml = (sso: string, api: string, allowed: string, more = ''): string => `services:
  sso:
    url: ${sso}/sso
    ${TYPES}
  crm:
    kind: graphql
    url: ${api}
    schema: crm.graphql
    auth:
      login:
        operation: sso.Login
        arguments: { user: web }
        token: reply.sessionId
        place: http:Authorization
        scheme: Bearer
        url: reply.serverUrl
        urlsAllowed: [${allowed}]
${more}`;

const ask = ({ url }: TestGateway, query: string): Promise<string> => askText(url, query);

const startApi = (t: Test): Promise<GraphqlServer> =>
  useGraphqlServer(t, { sdl: SDL, rootValue: { customer: 'Jo' } });

t.test(
  'a service that speaks GraphQL has the token of a login, at the host that it leads to',
  async (t) => {
    const login = await useLogins(t);
    const [one, two] = [await startApi(t), await startApi(t)];
    const allowed = [one, two].map(({ url }) => new URL(url).origin).join(', ');
    login.serverUrl = `${new URL(one.url).origin}/services/Soap/u/58.0`;
    const folder = await useFolder(t, { 'crm.graphql': SDL });
    const yaml = graphqlYaml(login.backend.url, 'http://127.0.0.1:1/graphql', allowed);
    const gateway = await useGateway(t, yaml, folder);
    for (let call = 0; call < 3; call++)
      t.match(await ask(gateway, '{ customer }'), '"customer":"Jo"');
    t.equal(login.logins, 1, 'one login for all calls');
    t.same(
      one.requests.map(({ headers }) => headers.authorization),
      ['Bearer t1', 'Bearer t1', 'Bearer t1'],
    );
    one.instead = (_request, response) => response.writeHead(401).end();
    login.serverUrl = two.url;
    t.match(
      await ask(gateway, '{ customer }'),
      '"customer":"Jo"',
      'the call is repeated where the next login leads',
    );
    t.same(
      two.requests.map(({ headers }) => headers.authorization),
      ['Bearer t2'],
    );
    await gateway.reload((yaml) =>
      yaml.replace('schema: crm.graphql', 'callCost: 2\n    schema: crm.graphql'),
    );
    t.match(await ask(gateway, '{ customer }'), '"customer":"Jo"');
    t.equal(login.logins, 3, 'a reload has a session of its own');
  },
);

t.test(
  'a login that leads to an address that is not allowed is refused, and nothing is sent there',
  async (t) => {
    const login = await useLogins(t);
    const api = await startApi(t);
    const { port, origin } = new URL(api.url);
    const folder = await useFolder(t, { 'crm.graphql': SDL });
    const others = [`http://u:p@127.0.0.1:${port}/`, `http://localhost:${port}/`];
    for (const serverUrl of ['', 'nonsense', 'ftp://127.0.0.1/x', ...others]) {
      login.serverUrl = serverUrl;
      const gateway = await useGateway(t, graphqlYaml(login.backend.url, api.url, origin), folder);
      t.match(await ask(gateway, '{ customer }'), 'UPSTREAM_AUTH', serverUrl);
      t.notMatch(JSON.stringify(gateway.logLines()), /u:p@/);
    }
    t.equal(api.requests.length, 0);
  },
);

t.test(
  'calls of a SOAP service go where its own login leads, and logins to the ' +
    'address of the configuration',
  async (t) => {
    const login = await useLogins(t);
    let isRefused = false;
    const instance = await useBackend(t, (_message, response) => {
      response
        .writeHead(isRefused ? 401 : 200, { 'content-type': 'text/xml' })
        .end(isRefused ? '' : STOCK_REPLY);
      isRefused = false;
    });
    login.serverUrl = `${instance.url}/u/58.0/00D?tenant=1`;
    const gateway = await useGateway(
      t,
      `services:
  shop:
    url: ${login.backend.url}/login
    ${TYPES}
    auth:
      login:
        operation: Login
        arguments: { user: web }
        token: reply.sessionId
        place: http:x-session
        url: reply.serverUrl
        urlsAllowed: ["${instance.url}"]
`,
    );
    t.match(await ask(gateway, '{ stock(sku: "1") }'), '"stock":7');
    isRefused = true;
    t.equal((await postSoap(`${gateway.url}/soap/shop`, GET_STOCK)).status, 200);
    t.same(
      instance.complete.map(({ target, headers: sent }) => `${target} ${sent['x-session']}`),
      ['/u/58.0/00D?tenant=1 t1', '/u/58.0/00D?tenant=1 t1', '/u/58.0/00D?tenant=1 t2'],
    );
    t.same(
      login.backend.complete.map(({ target }) => target),
      ['/login', '/login'],
    );
  },
);

t.test('mistakes in the keys are found at start-up', async (t) => {
  const yaml = graphqlYaml(
    'http://127.0.0.1:1',
    'https://api.example/graphql',
    '"https://*.my.example.com"',
  );
  const problemOf = (edit: (yaml: string) => string): Promise<string> =>
    problemsOf(t, edit(yaml), { 'crm.graphql': SDL });
  t.equal(await problemOf((yaml) => yaml), '');
  t.match(
    await problemOf((yaml) => yaml.replace('sso.Login', 'Login')),
    /called at a service that speaks SOAP/,
  );
  t.match(
    await problemOf((yaml) => yaml.replace('sso.Login', 'sso.Logon')),
    /no operation `sso.Logon`/,
  );
  t.match(
    await problemOf((yaml) => yaml.replace('http:Auth', 'header:Auth')),
    /is a header block of SOAP/,
  );
  t.match(
    await problemOf((yaml) => yaml.replace('scheme:', 'renewOn: [A]\n        scheme:')),
    /names Faults/,
  );
  t.match(await problemOf((yaml) => yaml.replace(/urlsAllowed.*/, '')), /needs `urlsAllowed`/);
  t.match(await problemOf((yaml) => yaml.replace('https://*', 'http://*')), /without TLS/);
  t.match(
    await problemOf((yaml) => yaml.replace('*.my.example.com', '*.com')),
    /https:\/\/\*\.my\.example\.com/,
  );
  t.match(
    await problemOf((yaml) => yaml.replace('url: reply.serverUrl', '')),
    /has no effect without `url`/,
  );
});
