import fc from 'fast-check';
import t from 'tap';

import { type Bank, keyOf, SECRETS, useBank } from '../kit/bank.js';
import { postGraphql } from '../kit/graphql-client.js';

/** Rights to fields by SOAP, by subscriptions, and for whatever is selected. */

const CLASSES = { plain: '{}', boss: '{ scopes: [bank] }' };

const warningsOf = ({ gateway }: Bank): readonly string[] =>
  gateway
    .compiled()
    .warnings.map(({ what }) => what)
    .filter((what) => what.includes('SOAP callers'));

t.test(
  'SOAP calls are refused whose replies hold masked or forbidden fields, where configured',
  async (t) => {
    const rules = (more: string): string =>
      `    schema: { ${more}types: { ChangeIbanResponse: { fields: { old: { mask: { plain: ` +
      'last4 } } } }, Customer: { fields: { tax: { scopes: [bank] } } } } }';
    const open = await useBank(t, CLASSES, rules(''));
    t.match(
      warningsOf(open),
      [
        /SOAP callers of `GetCustomer`, `ChangeIban`, `Find` get fields that have `scopes` or a `mask` as they are/,
      ],
      'a warning',
    );
    t.match(await (await open.call('ChangeIban', 'plain')).text(), SECRETS.iban, 'passes');
    const closed = await useBank(t, CLASSES, rules('restrictedReplies: refuse, '));
    t.same(warningsOf(closed), [], 'no warning');
    for (const operation of ['ChangeIban', 'GetCustomer', 'Find']) {
      t.match(await (await closed.call(operation, 'plain')).text(), 'code="FORBIDDEN"', operation);
      t.match(
        await (await closed.call(operation, 'boss')).text(),
        'SECRET',
        'for a client that may',
      );
    }
    t.match(await (await closed.call('GetSecret', 'plain')).text(), SECRETS.secret, 'others pass');
    t.match(await closed.gateway.accessLine(), {
      code: 'FORBIDDEN',
      detail: /restrictedReplies/,
      found: 'bank.ChangeIban',
    });
  },
);

/** The first events of a subscription over server-sent events. */
async function firstEvent(
  bank: Bank,
  query: string,
  name: string,
  cause: () => Promise<unknown>,
): Promise<string> {
  const leaving = new AbortController();
  const response = await postGraphql(
    bank.gateway.url,
    { query },
    { ...keyOf(name), accept: 'text/event-stream' },
    leaving.signal,
  );
  await cause();
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk);
    if (/data: \S/.test(text)) break;
  }
  leaving.abort();
  return text;
}

t.test('events of observed writes are masked and withheld for each subscriber', async (t) => {
  const bank = await useBank(
    t,
    CLASSES,
    '    schema: { restrictedReplies: pass, types: { ChangeIban: { fields: { iban: { mask: ' +
      '{ plain: last4 } } } }, ChangeIbanResponse: { fields: { old: { scopes: ' +
      '[bank] } } }, Customer: { fields: { iban: { mask: { plain: last4 } }, tax: ' +
      '{ scopes: [bank] } } } } }',
    `subscriptions:
  changed: { on: { operation: bank.ChangeIban, fields: { iban: request.iban, old: reply.old, at: \
reply.at } } }
  found: { on: { operation: bank.ChangeIban, answer: bank.GetCustomer, arguments: { id: \
request.id } } }
  polled: { poll: { operation: bank.GetCustomer, everyMillis: 1000 } }`,
  );
  const change = (): Promise<unknown> => bank.call('ChangeIban', 'boss');
  const own = 'subscription { changed { iban old at } }';
  const plain = await firstEvent(bank, own, 'plain', change);
  t.match(plain, '"changed":{"iban":"****3000","old":null,"at":"now"}', 'own values');
  t.match(plain, '"code":"FORBIDDEN"');
  t.match(
    await firstEvent(bank, own, 'boss', change),
    `"changed":{"iban":"${SECRETS.iban}","old":"${SECRETS.iban}"`,
  );
  const called = await firstEvent(bank, 'subscription { found { iban tax } }', 'plain', change);
  t.match(called, '"found":{"iban":"****3000","tax":null}', 'an answer');
  const both = 'subscription { polled(id: "1") { iban tax } }';
  const [one, other] = await Promise.all(
    ['plain', 'boss'].map((name) => firstEvent(bank, both, name, async () => {})),
  );
  t.match(one, '"polled":{"iban":"****3000","tax":null}', 'a poll that is shared');
  t.match(other, SECRETS.tax, 'with another caller');
});

/** What is selected of a customer, by depth. */
const selection = (depth: number): fc.Arbitrary<string> => {
  const leaves = [
    'id',
    'iban',
    'a: iban',
    'pins',
    'tax',
    'b: tax',
    'notes',
    'any',
    '__typename',
    'secret',
  ];
  const leaf = fc.constantFrom(...leaves);
  const inner = depth === 0 ? fc.constant('id') : fc.oneof(fc.constant('id'), selection(depth - 1));
  const nested = inner.chain((content) =>
    fc.constantFrom(
      `friend { ${content} }`,
      `f: friend { ${content} }`,
      `again { ${content} }`,
      `...on Premium { advisor ${content} }`,
      `...on CustomerBase { ${content} }`,
      `...on Customer { ${content} }`,
      `...{ ${content} }`,
    ),
  );
  return fc
    .array(fc.oneof(leaf, depth === 0 ? leaf : nested), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(' '));
};

const RULES = ['iban', 'pins', 'tax'] as const;
const SECRET_OF = { iban: SECRETS.iban, pins: SECRETS.pin, tax: SECRETS.tax } as const;

t.test('no random selection delivers what its caller may not have', async (t) => {
  const service = `    schema: { restrictedReplies: pass, types: { Customer: { fields: \
{ ${RULES.map((name) => `${name}: { scopes: [${name}] }`).join(', ')} } }, ArrayOfNote: { fields: \
{ Note: { scopes: [notes] } } } } }
    operations: { GetSecret: { scopes: [secret] }, GetCustomer: {}, Find: {} }`;
  const links = `links:
  Customer.secret: { operation: bank.GetSecret, arguments: { id: id } }
  Customer.again: { operation: bank.GetCustomer, arguments: { id: id }, batch: { operation: \
bank.Find, argument: ids, key: id } }
graphql: { graphiql: false }
limits: { graphql: { cost: 100000, aliases: 1000, depth: 50 } }`;
  const scopes = ['iban', 'pins', 'tax', 'notes', 'secret'];
  const held = Array.from({ length: 8 }, (_, bits) =>
    RULES.filter((_name, bit) => ((bits >> bit) & 1) === 1),
  );
  const classes = Object.fromEntries(
    held.map((own, index) => [`c${index}`, `{ scopes: [${own.join(', ')}] }`]),
  );
  const bank = await useBank(
    t,
    { ...classes, all: `{ scopes: [${scopes.join(', ')}] }` },
    service,
    links,
  );
  let answers = 0;
  await fc.assert(
    fc.asyncProperty(
      selection(2),
      fc.constantFrom('getCustomer(id: "1")', 'getCustomer(id: "p1")', 'find(ids: ["1"])'),
      fc.nat(7),
      async (content, field, index) => {
        const query = `{ ${field} { ${content} } }`;
        const { text } = await bank.ask(query, `c${index}`);
        if (text.includes('"data":{')) answers++;
        for (const name of RULES) {
          const isHeld = held[index]?.includes(name) === true;
          if (!isHeld && text.includes(SECRET_OF[name]))
            throw new Error(`${name} for c${index}: ${query}`);
        }
        if (text.includes(SECRETS.note) || text.includes(SECRETS.secret))
          throw new Error(`notes: ${query}`);
      },
    ),
    { numRuns: 100 },
  );
  t.ok(answers > 25, `${answers} of 100 are answers`);
});
