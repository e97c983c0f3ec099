import t from 'tap';
import { ExchangedTokens } from '../../src/upstream/credentials/exchanged-tokens.js';
import { answerJson, answerStatus, type RecordingBackend } from '../kit/backend.js';
import { useStockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

/** Token endpoints that answer what is no token, too much, too late or nothing. */

const json = answerJson;
const text = (status: number, body: string, headers: Record<string, string> = {}) =>
  answerStatus(status, { 'content-type': 'text/html', ...headers }, body);
const token = { access_token: 'canary', token_type: 'Bearer' };

const ANSWERS: readonly (readonly [string, RecordingBackend['answer']])[] = [
  ['a page', text(200, '<html>canary</html>')],
  ['an error', text(500, 'canary')],
  ['a redirect', text(302, '', { location: 'http://127.0.0.1:1/canary' })],
  ['nothing', text(204, '')],
  ['null', json(null)],
  ['a list', json(['canary'])],
  ['no token', json({ token_type: 'Bearer', refresh_token: 'canary' })],
  ['an empty token', json({ ...token, access_token: '' })],
  ['a token that is no text', json({ ...token, access_token: { canary: 1 } })],
  ['a token with a line break', json({ ...token, access_token: 'canary\r\nx-evil: 1' })],
  ['a life that is no number', json({ ...token, expires_in: 'canary' })],
  ['a life that is over', json({ ...token, expires_in: -5 })],
  ['another kind of token', json({ ...token, token_type: 'mac' })],
  ['10 MB', json({ ...token, access_token: 'canary'.repeat(1_700_000) })],
  [
    'a part of an answer',
    (_message, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"access_token":"canary"');
      setImmediate(() => response.destroy());
    },
  ],
  ['a cut connection', (_message, response) => void response.destroy()],
  ['no answer in time', () => {}],
];

for (const [what, give] of ANSWERS)
  t.test(
    `${what} from the token endpoint: a Fault, nothing sent, nothing shown, ` +
      'and the next token is used',
    async (t) => {
      let isGood = false;
      const good = json({ access_token: 'good', token_type: 'Bearer', expires_in: 60 });
      const server = await useBackend(t, (...asked) => (isGood ? good : give)(...asked));
      const auth = `oauth2: { tokenUrl: "${server.url}/token", clientId: c, clientSecret: s }`;
      const { backend, send } = await useStockShop(
        t,
        `    timeoutMillis: 500\n    auth: { ${auth} }`,
      );
      const refused = await send();
      const body = await refused.text();
      t.equal(refused.status, 500);
      t.match(body, /code="UPSTREAM_(AUTH|TIMEOUT|RESET|TRUNCATED|RESPONSE_LIMIT)"/);
      t.notMatch(body, 'canary');
      t.equal(backend.complete.length, 0, 'nothing is sent without a token');
      isGood = true;
      // The failure is the answer for a second.
      await until(async () => (await (await send()).text()).includes('<stock>7</stock>'));
      t.equal(backend.complete[0]?.headers['authorization'], 'Bearer good');
    },
  );

t.test('subjects beyond the limit: those that called longest ago exchange anew', async (t) => {
  let exchanges = 0;
  const tokens = new ExchangedTokens(
    {
      service: 's',
      url: 'http://127.0.0.1/token',
      clientId: 'c',
      clientAuth: { kind: 'none' },
      scopes: [],
      audience: null,
      post: async (_headers, body) => {
        exchanges++;
        const of = new URLSearchParams(body).get('subject_token');
        return {
          status: 200,
          text: JSON.stringify({
            access_token: `for-${of}`,
            token_type: 'Bearer',
            issued_token_type: 'x',
          }),
        };
      },
      close: async () => {},
    },
    2,
  );
  const ask = (name: string) => tokens.of({ key: name, token: name, user: name }).token(null);
  for (const name of ['a', 'b', 'a', 'b']) t.equal(await ask(name), `for-${name}`);
  t.equal(exchanges, 2);
  await ask('c');
  t.equal(await ask('b'), 'for-b');
  t.equal(exchanges, 3, 'b is kept');
  t.equal(await ask('a'), 'for-a');
  t.equal(exchanges, 4, 'a was forgotten');
});
