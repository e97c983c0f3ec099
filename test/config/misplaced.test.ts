import t from 'tap';
import { useConfigFolder } from '../kit/configuration.js';

const { problems } = await useConfigFolder(t);

const SERVICE = 'services: { a: { url: http://a } }\n';
const KEYS = 'apiKeys: { clients: { erp: { class: c, keys: [0123456789abcdef] } } }';

t.test('a map or a list where a text belongs is an error at its place', async (t) => {
  const ofService = (keys: string): string => `services: { a: { url: https://a, ${keys} } }\n`;
  const texts: Readonly<Record<string, string>> = {
    'services.a.forwardHeaders[0]': ofService('forwardHeaders: [{ name: x-id }]'),
    'services.a.callerHeaders[0]': ofService('callerHeaders: [{ name: x-id }]'),
    'services.a.urls[0].url': 'services: { a: { urls: [{ url: [] }, { url: http://b }] } }\n',
    'services.a.auth.login.place': ofService('auth: { login: { operation: Login, place: {} } }'),
    'services.a.auth.login.urlsAllowed[0]': ofService(
      'auth: { login: { operation: Login, place: cookie, urlsAllowed: [{}] } }',
    ),
    'services.a.auth.oauth2.place': ofService(
      'auth: { oauth2: { tokenUrl: https://t, clientId: i, clientSecret: s, place: {} } }',
    ),
    'services.a.auth.ntlm.username': ofService(
      'auth: { ntlm: { domain: D, username: {}, password: p } }',
    ),
    'services.a.balance.hash':
      'services: { a: { kind: graphql, urls: [http://a, http://b], balance: { hash: {} } } }\n',
    'clients.order[0]':
      `${SERVICE}clients: { order: [{}, apiKey], ${KEYS}, address: { class: ` +
      'c }, classes: { c: {} } }\n',
    'subscriptions.x.callback.filter.y': `${SERVICE}subscriptions: { x: { callback: { operation: \
a.A, filter: { y: {} } } } }\n`,
  };
  for (const [key, text] of Object.entries(texts)) {
    const found = await problems(text);
    t.ok(
      found.some((problem) => problem.includes(`\`${key}\``)),
      `${key}: ${found.join('\n')}`,
    );
  }
});
