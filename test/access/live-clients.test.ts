import t from 'tap';

import { UNRESTRICTED } from '../../src/access/access.js';
import {
  type Access,
  type CallerIdentity,
  type Client,
  clientOf,
} from '../../src/access/client.js';
import type { AccessRules, LiveEnd } from '../../src/access/live-client.js';
import { LiveClients } from '../../src/access/live-clients.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { until } from '../kit/until.js';

const CALLER: CallerIdentity = { headers: {}, address: '192.0.2.1' };

const clientNamed = (name: string, more: Partial<Client> = {}): Client => ({
  ...clientOf('apiKey', { id: name, name, label: name }, UNRESTRICTED),
  ...more,
});

/** Rules by which every caller is this client. */
const rules = (identify: Access['identify'], protection = ''): AccessRules => ({
  access: { identify, withhold() {} },
  protection,
});

/** The timers of the gateway do not keep a process from ending. */
const running = setInterval(() => {}, 1000);
t.teardown(() => clearInterval(running));

const PATIENT = { undecidedMillis: 60_000, retryMillis: 1 };

t.test(
  'a client that cannot be verified is neither confirmed nor ended until it can',
  async (t) => {
    const before = rules(() => clientNamed('a'));
    const clients = new LiveClients(before, PATIENT);
    const live = clients.open(() => CALLER, clientNamed('a'), before);
    t.equal(live.confirm(), null, 'nothing has changed');
    let asked = 0;
    let isAway = true;
    clients.replace(
      rules(() => {
        asked++;
        if (isAway) throw new Refusal('CREDENTIALS_UNVERIFIED');
        return clientNamed('a');
      }),
    );
    const confirmed = live.confirm();
    await until(() => asked > 3);
    isAway = false;
    await confirmed;
    t.equal(live.confirm(), null);
    live.close();
    t.equal(clients.count, 0);
  },
);

t.test('a client that cannot be verified for long is ended', async (t) => {
  const before = rules(() => clientNamed('a'));
  const clients = new LiveClients(before, { undecidedMillis: 20, retryMillis: 1 });
  const live = clients.open(() => CALLER, clientNamed('a'), before);
  const ends: LiveEnd[] = [];
  live.addEndListener((end) => ends.push(end));
  clients.replace(rules(() => Promise.reject(new Refusal('OVERLOADED'))));
  await t.rejects(live.confirm() ?? Promise.resolve(), { code: 'OVERLOADED' });
  t.same(ends, ['unverified']);
  await t.rejects(live.confirm() ?? Promise.resolve(), 'for good');
  t.equal(clients.count, 0);
});

t.test('rules that change while a client is asked about are asked again', async (t) => {
  const before = rules(() => clientNamed('a'));
  const clients = new LiveClients(before, PATIENT);
  const live = clients.open(() => CALLER, clientNamed('a'), before);
  let answer: ((client: Client) => void) | null = null;
  clients.replace(
    rules(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    ),
  );
  const confirmed = live.confirm();
  await until(() => answer !== null);
  clients.replace(
    rules(() => {
      throw new Refusal('UNAUTHENTICATED');
    }),
  );
  (answer as ((client: Client) => void) | null)?.(clientNamed('a'));
  await t.rejects(confirmed ?? Promise.resolve(), { code: 'UNAUTHENTICATED' });
});

t.test(
  'a request that began by other rules than those of now is confirmed before anything else',
  async (t) => {
    const before = rules(() => clientNamed('a'));
    const now = rules(() => clientNamed('a'), 'another');
    const clients = new LiveClients(now, PATIENT);
    const live = clients.open(() => CALLER, clientNamed('a'), before);
    await t.rejects(
      live.confirm() ?? Promise.resolve(),
      { code: 'UNAUTHENTICATED' },
      'rules of fields differ',
    );
  },
);

t.test('credentials end at their time, and are asked about again at another', async (t) => {
  let asked = 0;
  const present = rules(() => {
    asked++;
    return clientNamed('a', { expiresMillis: Date.now() + 20 });
  });
  const clients = new LiveClients(present, PATIENT);
  const ends: LiveEnd[] = [];
  const due = clientNamed('a', {
    recheckMillis: Date.now() - 60_000,
    expiresMillis: Date.now() + 60_000,
  });
  const live = clients.open(() => CALLER, due, present);
  live.addEndListener((end) => ends.push(end));
  t.equal(live.confirm(), null, 'not at once: the answer may be one that is remembered');
  await until(() => ends.length === 1);
  t.equal(asked, 1);
  t.same(ends, ['expired']);
});

t.test('what a client has: its scopes and its class', async (t) => {
  const before = rules(() => clientNamed('a'));
  for (const other of [
    clientNamed('b'),
    clientNamed('a', { scopes: new Set(['more']) }),
    clientNamed('a', { className: 'other' }),
    clientNamed('a', { isAuthenticated: false }),
    clientNamed('a', { rights: { ...UNRESTRICTED, key: 'less' } }),
  ]) {
    const clients = new LiveClients(before, PATIENT);
    const live = clients.open(() => CALLER, clientNamed('a'), before);
    clients.replace(rules(() => other));
    await t.rejects(live.confirm() ?? Promise.resolve(), {
      code: 'UNAUTHENTICATED',
      detail: 'other rights',
    });
  }
});
