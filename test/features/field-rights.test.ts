import t from 'tap';

import { codesAt } from '../kit/answers.js';
import { SECRETS, useBank } from '../kit/bank.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useGateway } from '../kit/use.js';

/** Rights to fields and operations by scopes, and masks, whatever way a value could come. */

const RULED = `    schema:
      types:
        Customer: { fields: { iban: { scopes: [bank] }, tax: { scopes: [[tax, bank], [admin]] }, \
pins: { scopes: [bank] } } }
        ArrayOfNote: { fields: { Note: { scopes: [notes] } } }
        Account: { fields: { iban: { scopes: [bank] } } }
    operations:
      GetSecret: { scopes: [secret] }
      GetCustomer: {}
      ChangeIban: {}
      Find: {}`;

const CLASSES = {
  plain: '{}',
  clerk: '{ scopes: [bank, notes] }',
  boss: '{ scopes: [admin, bank, notes, secret] }',
};

const LINK = `links:
  Customer.secret: { operation: bank.GetSecret, arguments: { id: id } }
  Customer.again: { operation: bank.GetCustomer, arguments: { id: id }, batch: { operation: \
bank.Find, argument: ids, key: id } }`;

t.test(
  'a field is null with an error for callers without its scopes, and others are unharmed',
  async (t) => {
    const bank = await useBank(t, CLASSES, RULED, LINK);
    const query = '{ find(ids: ["1"]) { id pins taxId: tax } }';
    const refused = await bank.ask(query);
    t.same(
      refused.data,
      {
        find: [
          { id: '1', pins: null, taxId: null },
          { id: 'p2', pins: null, taxId: null },
        ],
      },
      'null',
    );
    t.same(
      codesAt(refused),
      [
        'FORBIDDEN find.0.pins',
        'FORBIDDEN find.0.taxId',
        'FORBIDDEN find.1.pins',
        'FORBIDDEN find.1.taxId',
      ],
      'with an error at each',
    );
    t.match(refused.errors?.[0]?.message, 'may not read this field', 'which says why');
    const clerk = await bank.ask(query, 'clerk');
    t.same(
      codesAt(clerk),
      ['FORBIDDEN find.0.taxId', 'FORBIDDEN find.1.taxId'],
      'one list of several is enough',
    );
    t.notOk((await bank.ask(query, 'boss')).errors, 'all of them');
    t.same((await bank.ask(query)).data, refused.data, 'a plan of another caller is not used');
  },
);

t.test('a forbidden field that may not be null makes its object null', async (t) => {
  const bank = await useBank(t, CLASSES, RULED, LINK);
  const answer = await bank.ask('{ getCustomer(id: "1") { id friend { id iban } } }');
  t.same(answer.data, { getCustomer: { id: '1', friend: null } }, 'the object');
  t.same(codesAt(answer), ['FORBIDDEN getCustomer.friend.iban'], 'at its path');
});

t.test('an operation without its scopes is not called, by any way', async (t) => {
  const bank = await useBank(t, CLASSES, RULED, LINK);
  const answer = await bank.ask('{ getSecret(id: "1") getCustomer(id: "1") { id secret } }');
  t.same(answer.data, { getSecret: null, getCustomer: { id: '1', secret: null } }, 'null');
  t.same(codesAt(answer), ['FORBIDDEN getSecret', 'FORBIDDEN getCustomer.secret'], 'with errors');
  t.same(bank.called(), ['GetCustomer'], 'only the other one was called');
  const refused = await bank.call('GetSecret', 'plain');
  t.equal(refused.status, 500, 'nor by SOAP');
  t.match(await refused.text(), 'code="FORBIDDEN"', 'with a Fault');
  t.equal(bank.called().length, 1, 'which did not reach the backend');
  t.match(await (await bank.call('GetSecret', 'boss')).text(), SECRETS.secret, 'with the scope');
  t.match(
    (await bank.ask('{ getCustomer(id: "1") { secret } }', 'boss')).text,
    SECRETS.secret,
    'and by the link',
  );
});

t.test('no selection delivers a value without its scopes', async (t) => {
  const bank = await useBank(t, CLASSES, RULED, LINK);
  const documents = [
    '{ getCustomer(id: "p1") { ...on Premium { iban pins tax notes } ...on Customer { x: ' +
      'iban } ...F } } fragment F on Customer { pins any { value } friend { any { name value ' +
      'xml } ...on Premium { tax } } }',
    '{ find(ids: ["1"]) { any { name value xml } notes again { tax pins notes any { ' +
      'value } again { tax } } } }',
    '{ getCustomer(id: "trouble") { id } }',
    'mutation { changeIban(id: "1", iban: "x") { at } }',
    '{ a: getCustomer(id: "1") { notes } b: getCustomer(id: "1") { notes any { name type ' +
      'value } } __schema { types { name } } }',
  ];
  for (const document of documents) {
    const { text } = await bank.ask(document);
    for (const secret of Object.values(SECRETS)) t.notMatch(text, secret, document);
    t.match(text, /"data"|SOAP_FAULT/, 'it is an answer');
  }
  t.match(
    (await bank.ask(documents[2] ?? '', 'boss')).text,
    SECRETS.iban,
    'the detail of a Fault with the scopes',
  );
});

t.test(
  'a Fault shows nothing of its detail beside the fields that the caller may read',
  async (t) => {
    const classes = { plain: '{}', boss: '{ scopes: [bank] }' };
    const rules =
      '    schema: { types: { Account: { fields: { iban: { scopes: [bank] }, id: ' +
      '{ scopes: [bank] } } } } }';
    for (const faults of ['errors', 'union']) {
      const service =
        `${rules}\n    faultDetail: unsafe:pass\n    operations: { GetCustomer: ` +
        `{ faults: ${faults} } }`;
      const bank = await useBank(t, classes, service);
      const query =
        '{ getCustomer(id: "trouble") { ...on Trouble { account { iban id } why } } }'.replace(
          faults === 'errors' ? /\{ \.\.\..*\} why \}/ : /^$/,
          '{ id ',
        );
      const refused = await bank.ask(query);
      t.notMatch(refused.text, SECRETS.iban, `${faults}: ${refused.text}`);
      t.match((await bank.ask(query, 'boss')).text, SECRETS.iban, 'with the scope');
    }
  },
);

t.test(
  'an operation with a forbidden field is refused where the configuration says so',
  async (t) => {
    const bank = await useBank(t, CLASSES, RULED, `${LINK}\ngraphql: { rejectUnauthorized: true }`);
    for (const query of [
      '{ getCustomer(id: "1") { id ...on Premium { tax } } }',
      '{ getCustomer(id: "1") { secret } }',
      '{ getSecret(id: "1") getCustomer(id: "1") { id } }',
    ]) {
      const answer = await bank.ask(query);
      t.notOk(answer.data, 'no data');
      t.equal(answer.errors?.[0]?.extensions.code, 'FORBIDDEN', query);
    }
    t.same(bank.called(), [], 'nothing was called');
    t.same((await bank.ask('{ getCustomer(id: "1") { id iban @skip(if: true) } }')).data, {
      getCustomer: { id: '1' },
    });
  },
);

t.test('a mutation whose result would be null calls nothing', async (t) => {
  const service =
    '    operations: { ChangeIban: { scopes: [bank] }, GetSecret: { field: Mutation.secret }, ' +
    'GetCustomer: {}, Find: {} }';
  const bank = await useBank(t, CLASSES, service);
  const answer = await bank.ask('mutation { secret(id: "1") changeIban(id: "1") { at } }');
  t.same(answer.data, { secret: SECRETS.secret, changeIban: null }, 'a nullable field is null');
  t.same(codesAt(answer), ['FORBIDDEN changeIban']);
});

const MASKED = `    schema:
      types:
        Customer: { fields: { iban: { mask: { plain: last4, clerk: hash } }, pins: { mask: \
{ plain: last4 } }, tax: { mask: { plain: null, clerk: remove } } } }
        ArrayOfNote: { fields: { Note: { mask: { plain: last4 } } } }`.replaceAll(
  ': null',
  ': "null"',
);

t.test(
  'a mask by itself holds for all classes, those that come later too; `none` shows the value',
  async (t) => {
    const service = `    schema:
      restrictedReplies: refuse
      types: { Customer: { fields: { iban: { mask: { default: last4, boss: \
none } }, pins: { mask: hash } } } }`;
    const bank = await useBank(t, CLASSES, service);
    const ibanOf = async (name: string): Promise<unknown> => {
      const { data } = await bank.ask('{ getCustomer(id: "1") { iban pins } }', name);
      return data?.['getCustomer'];
    };
    const hashed = [/^[\w-]{22}$/, /^[\w-]{22}$/];
    for (const name of ['plain', 'clerk'])
      t.match(await ibanOf(name), { iban: '****3000', pins: hashed }, name);
    t.match(await ibanOf('boss'), { iban: SECRETS.iban, pins: hashed }, 'the class that is named');
  },
);

t.test('masks replace values by the class of the caller', async (t) => {
  const bank = await useBank(t, CLASSES, MASKED, LINK);
  const query =
    '{ getCustomer(id: "1") { iban pins notes tax any { name value } friend { iban } } }';
  const plain = await bank.ask(query, 'plain');
  t.notOk(plain.errors, 'no error');
  t.same(plain.data, {
    getCustomer: {
      iban: '****3000',
      pins: ['****7777', '****7777'],
      notes: ['****9999'],
      tax: null,
      any: null,
      friend: { iban: '****3000' },
    },
  });
  const clerk = (await bank.ask(query, 'clerk')).data?.['getCustomer'];
  t.match(clerk, { iban: /^[\w-]{22}$/, pins: [SECRETS.pin, SECRETS.pin] }, 'a hash');
  t.notOk(Object.keys(clerk ?? {}).includes('tax'), 'left out');
  t.equal(Object(clerk).iban, Object(clerk).friend.iban, 'the same for the same value');
  t.match((await bank.ask(query, 'boss')).text, SECRETS.tax, 'and no mask for others');
});

t.test(
  'the log names the service of a refused field, whichever others have its WSDL',
  async (t) => {
    const wsdl = `${process.cwd()}/test/catalogue/fixtures/bridge.wsdl`;
    const service = (name: string): string =>
      `  ${name}:\n    wsdl: ${wsdl}\n    url: http://127.0.0.1:1/\n    operations: { Echo: ` +
      `{ field: Query.${name}, scopes: [echo] } }\n`;
    const clients = 'clients: { address: { class: any }, classes: { any: {} } }\n';
    const rejecting = 'graphql: { rejectUnauthorized: true }\n';
    const gateway = await useGateway(
      t,
      `${clients}${rejecting}services:\n${service('first')}${service('second')}`,
    );
    for (const [at, name] of ['first', 'second'].entries()) {
      await postGraphql(gateway.url, { query: `{ ${name}(values: {}) { number } }` });
      t.match(await gateway.accessLine(at + 1), { found: `${name}.Echo` });
    }
  },
);

t.test(
  'the query of a client with some rights does not reach the backend, which may choose by it',
  async (t) => {
    const bank = await useBank(t, { few: '{ deny: [bank.Find] }', all: '{}' }, '');
    for (const name of ['few', 'all']) {
      t.equal((await bank.call('GetSecret', name, '?operation=Find')).status, 200, name);
    }
    t.same(
      bank.backend.complete.map(({ target }) => target),
      ['/', '/?operation=Find'],
    );
  },
);

t.test('a reply that a client may not see all of is cached for the others', async (t) => {
  const read = RULED.replace(
    'GetCustomer: {}',
    'GetCustomer: { read: { cacheMillis: 60000, scope: shared } }',
  );
  const bank = await useBank(t, CLASSES, read);
  const query = '{ getCustomer(id: "1") { id iban pins } }';
  t.same(codesAt(await bank.ask(query)), [
    'FORBIDDEN getCustomer.iban',
    'FORBIDDEN getCustomer.pins',
  ]);
  t.match((await bank.ask(query, 'boss')).text, SECRETS.iban, 'with the scopes');
  t.same(codesAt(await bank.ask(query)), [
    'FORBIDDEN getCustomer.iban',
    'FORBIDDEN getCustomer.pins',
  ]);
  t.equal(bank.called().length, 1, 'of one call');
});
