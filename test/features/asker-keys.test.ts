import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { WSSE } from '../../src/wss/wsse-names.js';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope, MEDIA, operationIn, postSoap, SOAP, textIn } from '../kit/envelope.js';
import { EventReader } from '../kit/event-reader.js';
import { askText, postJson } from '../kit/graphql-client.js';
import { running } from '../kit/live-desk.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

/**
 * Two callers that differ in any one part never share an answer: under an idempotency key, by a
 * cursor, by the address of a download, by a poll. The backend answers with the parts that it has
 * received.
 */

/** The parts of a caller, each with the values that it may have besides none. */
const VALUES = {
  client: ['one', 'two'],
  tenant: ['t1', 't2'],
  authorization: ['Bearer a', 'Bearer b'],
  cookie: ['s=1', 's=2'],
  user: ['u1', 'u2'],
  /** Of SOAP callers, as are those below. None is SOAP 1.1. */
  version: ['1.2'],
  block: ['b1', 'b2'],
  security: ['ann', 'bob'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Part = keyof typeof VALUES;
type Asker = { readonly [Name in Part]: string | null };

const NONE: Asker = {
  client: null,
  tenant: null,
  authorization: null,
  cookie: null,
  user: null,
  version: null,
  block: null,
  security: null,
};

const OF_ALL: readonly Part[] = ['client', 'tenant', 'authorization', 'cookie'];
const OF_GRAPHQL: readonly Part[] = [...OF_ALL, 'user'];
const OF_SOAP: readonly Part[] = [...OF_ALL, 'version', 'block', 'security'];

/** The caller with those parts alone that the backend gets, as the backend shows them. */
const shown = (asker: Asker, parts: readonly Part[]): string =>
  parts
    .filter((part) => part !== 'client')
    .map((part) => `${part}=${asker[part] ?? 'none'}`)
    .join(' ');

const fieldsOf = (asker: Asker): Record<string, string> => {
  const { client, tenant, authorization, cookie, user } = asker;
  const fields = {
    'x-api-key': client === null ? null : `key-of-client-${client}-1`,
    'x-tenant': tenant,
    'x-user': user,
    authorization,
    cookie,
  };
  const present = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(present);
};

const fieldIn = (headers: RecordedMessage['headers'], name: string): string | null =>
  headers[name]?.toString() ?? null;

/** The parts of the caller as the backend has received them. */
function receivedIn({ headers, body }: RecordedMessage): string {
  const isSoapCaller = body.includes('urn:soap-caller');
  const asker: Asker = {
    client: null,
    tenant: fieldIn(headers, 'x-tenant'),
    authorization: fieldIn(headers, 'authorization'),
    cookie: fieldIn(headers, 'cookie'),
    user: textIn(body, 'user'),
    version: body.includes(SOAP['1.2']) ? '1.2' : null,
    block: textIn(body, 'Account'),
    security: textIn(body, 'Username'),
  };
  return shown(asker, isSoapCaller ? OF_SOAP : OF_GRAPHQL);
}

let serial = 0;

function answer(message: RecordedMessage, response: ServerResponse): void {
  const seen = `${receivedIn(message)} #${++serial}`;
  const operation = operationIn(message.body);
  const contents: Readonly<Record<string, string>> = {
    ListRows: `<row><seen>${seen}</seen></row>`.repeat(10),
    GetFile: `<content>${Buffer.from(seen).toString('base64')}</content>`,
  };
  const content = contents[operation ?? ''] ?? `<seen>${seen}</seen>`;
  const version = message.body.includes(SOAP['1.2']) ? '1.2' : '1.1';
  const reply = `<${operation}Response xmlns="urn:bank">${content}</${operation}Response>`;
  // Calls that come together are under way together.
  setTimeout(
    () => answerWith(envelope(reply, '', SOAP[version]), MEDIA[version])(message, response),
    5,
  );
}

const useBank = (t: Test) =>
  useService(
    t,
    answer,
    (url) => `services:
  bank:
    url: ${url}/bank
    namespace: urn:bank
    rest: true
    versions: ["1.1", "1.2"]
    forwardHeaders: [x-tenant, authorization]
    callerHeaders: [x-user]
    cookies: forward
    types: |
      type Query { balance(user: String): Seen, file(user: String): File, rows(page: Int!, size: \
Int!, user: String): Rows }
      type Mutation { pay(sum: Int!, user: String): Seen }
      type Seen { seen: String }
      type File { content: Base64 }
      type Rows { row: [Seen!] }
    operations:
      GetBalance: { field: Query.balance, arguments: { user: { header: x-user } } }
      GetFile: { field: Query.file, arguments: { user: { header: x-user } } }
      ListRows: { field: Query.rows, arguments: { user: { header: x-user } }, pages: { offset: \
page, size: { size: 10 }, items: row } }
      Pay: { field: Mutation.pay, arguments: { user: { header: x-user } }, response: \
PayResponse, idempotency: {} }
graphql: { downloads: { keys: ["${'k'.repeat(32)}"] } }
subscriptions:
  balanceSeen: { poll: { operation: bank.GetBalance, everyMillis: 24h } }
clients:
  apiKeys: { clients: { one: { class: any, keys: [key-of-client-one-1] }, two: { class: any, keys: \
[key-of-client-two-1] } } }
  address: { class: any }
  classes: { any: {} }
`,
  );

type Bank = Awaited<ReturnType<typeof useBank>>;

/**
 * The parts that the backend has received for an answer, and its number; null for a refused
 * request.
 */
const seenIn = (text: string): string | null => /[a-z]+=[^"<]*#\d+/.exec(text)?.[0] ?? null;

/**
 * The answer to the first caller, and the one to the second by what the first has or was given;
 * null: refused.
 */
type Ask = (bank: Bank, first: Asker, second: Asker, key: string) => Promise<Answers>;
type Answers = readonly [first: string | null, second: string | null];

/** Both send the same request under one key. */
const underKey =
  (send: (url: string, asker: Asker, fields: Record<string, string>) => Promise<string>): Ask =>
  async ({ gateway }, first, second, key) => {
    const ask = (asker: Asker): Promise<string> =>
      send(gateway.url, asker, { ...fieldsOf(asker), 'idempotency-key': key });
    return [seenIn(await ask(first)), seenIn(await ask(second))];
  };

function messageOf({ version, block, security }: Asker): string {
  const blocks = [
    '<c:Caller xmlns:c="urn:soap-caller"/>',
    block === null ? '' : `<a:Account xmlns:a="urn:a">${block}</a:Account>`,
    security === null
      ? ''
      : `<o:Security xmlns:o="${WSSE}"><o:UsernameToken><o:Username>${security}</o:Username>` +
        '</o:UsernameToken></o:Security>',
  ];
  const pay = '<Pay xmlns="urn:bank"><sum>1</sum></Pay>';
  return envelope(pay, blocks.join(''), SOAP[version === '1.2' ? '1.2' : '1.1']);
}

const KINDS: Readonly<Record<string, { readonly parts: readonly Part[]; readonly ask: Ask }>> = {
  'a key over SOAP': {
    parts: OF_SOAP,
    ask: underKey(async (url, asker, fields) =>
      (await postSoap(`${url}/soap/bank`, messageOf(asker), fields)).text(),
    ),
  },
  'a key over GraphQL': {
    parts: OF_GRAPHQL,
    ask: underKey((url, _asker, fields) =>
      askText(url, 'mutation { pay(sum: 1) { seen } }', fields),
    ),
  },
  'a key over REST': {
    parts: OF_GRAPHQL,
    ask: underKey(async (url, _asker, fields) =>
      (await postJson(`${url}/rest/bank/Pay`, { sum: 1 }, fields)).text(),
    ),
  },
  'a cursor': {
    parts: OF_GRAPHQL,
    async ask({ gateway }, first, second) {
      const ask = (asker: Asker, after: string): Promise<string> =>
        askText(
          gateway.url,
          `{ rows(first: 1${after}) { nodes { seen } pageInfo { endCursor } } }`,
          fieldsOf(asker),
        );
      const rows = await ask(first, '');
      const cursor = /"endCursor":"([^"]*)"/.exec(rows)?.[1] ?? '';
      return [seenIn(rows), seenIn(await ask(second, `, after: "${cursor}"`))];
    },
  },
  'an address of a download': {
    parts: OF_GRAPHQL,
    async ask({ gateway }, first, second) {
      const query = '{ file { content @url } }';
      const found = await askText(gateway.url, query, fieldsOf(first));
      const address = gateway.url + (/"content":"([^"]*)"/.exec(found)?.[1] ?? '');
      const own = await (await fetch(address, { headers: fieldsOf(first) })).text();
      const response = await fetch(address, { headers: fieldsOf(second) });
      return [seenIn(own), seenIn(await response.text())];
    },
  },
};

let keys = 0;

/**
 * Whether the second caller got the answer to the first one. Throws where it was not to get it, or
 * was.
 */
async function isShared(bank: Bank, kind: string, first: Asker, second: Asker): Promise<boolean> {
  const found = KINDS[kind];
  if (found === undefined) throw new Error(kind);
  const { parts, ask } = found;
  const [one, other] = await ask(bank, first, second, `key-${++keys}`);
  const isSame = parts.every((part) => first[part] === second[part]);
  const report = `${kind}: ${JSON.stringify([first, second])} got ${one}, then ${other}`;
  if (one === null || !one.startsWith(`${shown(first, parts)} #`)) throw new Error(report);
  if (isSame) {
    if (kind.startsWith('a key') ? other !== one : other === null) throw new Error(report);
    return true;
  }
  // Each client has keys of its own.
  const isAnother = kind.startsWith('a key') && first.client !== second.client;
  const isOwn = other?.startsWith(`${shown(second, parts)} #`) === true && other !== one;
  if (isAnother ? !isOwn : other !== null) throw new Error(report);
  return false;
}

const PARTS = Object.keys(NONE).filter((name): name is Part => name in VALUES);

for (const [kind, { parts }] of Object.entries(KINDS))
  t.test(`callers that differ in one part share no answer: ${kind}`, async (t) => {
    const bank = await useBank(t);
    for (const part of parts) {
      const [value, further = null]: readonly (string | null)[] = VALUES[part];
      const valued = { ...NONE, [part]: value };
      for (const [first, second] of [
        [NONE, valued],
        [valued, NONE],
        [valued, { ...NONE, [part]: further }],
      ] as const)
        t.notOk(await isShared(bank, kind, first, second), part);
      t.ok(await isShared(bank, kind, valued, valued), `${part}: the same`);
    }
  });

const ASKER: fc.Arbitrary<Asker> = fc.record({
  client: fc.constantFrom(null, ...VALUES.client),
  tenant: fc.constantFrom(null, ...VALUES.tenant),
  authorization: fc.constantFrom(null, ...VALUES.authorization),
  cookie: fc.constantFrom(null, ...VALUES.cookie),
  user: fc.constantFrom(null, ...VALUES.user),
  version: fc.constantFrom(null, ...VALUES.version),
  block: fc.constantFrom(null, ...VALUES.block),
  security: fc.constantFrom(null, ...VALUES.security),
});

/** A caller, and one that may differ from it in a few parts. */
const PAIR = fc
  .tuple(ASKER, ASKER, fc.subarray(PARTS, { maxLength: 2 }))
  .map(([first, other, changed]) => {
    const entries = changed.map((part) => [part, other[part]] as const);
    return [first, { ...first, ...Object.fromEntries(entries) }] as const;
  });

t.test('random callers share an answer only where all their parts are the same', async (t) => {
  const bank = await useBank(t);
  const shared = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(PAIR, async ([first, second]) => {
      for (const kind of Object.keys(KINDS))
        if (await isShared(bank, kind, first, second))
          shared.set(kind, (shared.get(kind) ?? 0) + 1);
    }),
    { numRuns: 24, endOnFailure: true },
  );
  for (const kind of Object.keys(KINDS))
    t.ok((shared.get(kind) ?? 0) > 0, `${kind}: shared all the same`);
});

t.test('pollers are shared only by subscribers whose calls are the same', async (t) => {
  const { backend, gateway } = await useBank(t);
  const field = 'balanceSeen';
  let shared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(PAIR, { minLength: 2, maxLength: 4 }), async (pairs) => {
      const askers = pairs.flat();
      const held: (() => void)[] = [];
      backend.answer = (message, response) => held.push(() => answer(message, response));
      const query = `subscription { ${field} { seen } }`;
      const readers = await Promise.all(
        askers.map((asker) => EventReader.open(`${gateway.url}/graphql`, query, fieldsOf(asker))),
      );
      await running(gateway, field, askers.length);
      const callers = askers.map((asker) => shown(asker, OF_GRAPHQL));
      const distinct = new Set(callers).size;
      await until(() => held.length === distinct);
      shared += askers.length - distinct;
      // A subscriber that joins during a call gets the next one.
      backend.answer = answer;
      for (const release of held) release();
      for (const [at, reader] of readers.entries()) {
        const seen = seenIn(JSON.stringify(await reader.results(1)));
        if (seen?.startsWith(`${callers[at]} #`) !== true)
          throw new Error(`${callers[at]} got ${seen}`);
      }
      await Promise.all(readers.map((reader) => reader.close()));
      await running(gateway, field, 0);
    }),
    { numRuns: 10, endOnFailure: true },
  );
  t.ok(shared > 0, `polls are shared all the same: ${shared}`);
});
