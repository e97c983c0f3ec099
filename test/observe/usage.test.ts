import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { affectedClients } from '../../src/cli/operator/affected-clients.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { clientNameIn } from '../../src/observe/client-name.js';
import {
  mergeUsage,
  USAGE_CLIENTS_MAX,
  USAGE_NAMES_MAX,
  Usage,
  type UsageReport,
} from '../../src/observe/usage.js';
import { answerWith } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

const REPLY = envelope(
  '<GetOrderResponse xmlns="urn:shop"><order><status>open</status></order></GetOrderResponse>',
);

function exchange(
  fields: Partial<Exchange>,
  graphql: Partial<Exchange['graphql']> = {},
  caller: Partial<Exchange['caller']> = {},
): Exchange {
  const made = Object.assign(new Exchange('id', '192.0.2.1', 'POST'), fields);
  made.caller = { ...made.caller, ...caller };
  Object.assign(made.graphql, graphql);
  return made;
}

t.test('the report has what each client uses, by both protocols', async (t) => {
  const backend = await useBackend(t, answerWith(REPLY));
  const gateway = await useGateway(
    t,
    `services:
  shop:
    url: ${backend.url}/shop
    namespace: urn:shop
    types: |
      type Query { order(id: Int!): Order }
      type Order { status: String, total: Float }
    operations: { GetOrder: { field: Query.order } }
clients:
  apiKeys: { header: x-key, clients: { erp: { class: all, keys: [key-of-the-erp-system] }, web: \
{ class: all, keys: [key-of-the-web-shop] } } }
  classes: { all: {} }
`,
  );
  const named = {
    'x-key': 'key-of-the-web-shop',
    'graphql-client-name': 'shop',
    'graphql-client-version': '1.2',
  };
  const query = 'query Page { order(id: 1) { ...Parts } } fragment Parts on Order { status }';
  for (let count = 0; count < 3; count++) await postGraphql(gateway.url, { query }, named);
  await postGraphql(gateway.url, { query: '{ nothing }' }, named);
  await postSoap(
    `${gateway.url}/soap/shop`,
    envelope('<GetOrder xmlns="urn:shop"><id>1</id></GetOrder>'),
    {
      'x-key': 'key-of-the-erp-system',
    },
  );
  t.match(await gateway.accessLine(), {
    operationName: 'Page',
    clientName: 'shop',
    clientVersion: '1.2',
  });
  await gateway.accessLine(5);
  const { clients }: UsageReport = JSON.parse(
    await (await fetch(`${gateway.adminUrl}/usage`)).text(),
  );
  t.match(clients, [
    {
      name: 'shop',
      version: '1.2',
      label: 'web',
      soap: {},
      graphql: { 'shop.GetOrder': 3 },
      operations: { Page: 3 },
      fields: { 'Query.order': 3, 'Order.status': 3 },
      arguments: { 'Query.order(id:)': 3 },
    },
    { name: '', version: '', label: 'erp', soap: { 'shop.GetOrder': 1 }, graphql: {} },
  ]);
  t.notOk('Order.total' in (clients[0]?.fields ?? {}));

  const { code, all } = await runCommand('usage', gateway.adminUrl);
  t.equal(code, 0);
  t.match(all, /^shop 1\.2 \(web\)\n {2}graphql +shop\.GetOrder +3$/m);
});

t.test('diff names the clients that breaking changes meet', async (t) => {
  const wsdl = (type: string): string =>
    wsdlWith({
      types: schemaWith('').replace(
        '<xs:element name="GetResponse" type="xs:string"/>',
        `<xs:element name="GetResponse"><xs:complexType><xs:sequence>
          <xs:element name="orderStatus" type="${type}"/></xs:sequence>\
</xs:complexType></xs:element>`,
      ),
    });
  const directory = t.testdir({ 'old.wsdl': wsdl('xs:int'), 'new.wsdl': wsdl('xs:string') });
  const usage = new Usage();
  const add = (clientName: string, field: string, call: string): void =>
    usage.add(
      exchange(
        {},
        {
          clientName,
          used: [{ name: '', calls: [call], fields: [field], elements: [], arguments: [] }],
        },
      ),
    );
  add('asks', 'Order.orderStatus', 'shop.Get');
  add('asksNot', 'Order.total', 'shop.Get');
  add('calls another', 'Order.orderStatus', 'shop.Other');
  const file = join(directory, 'usage.json');
  await writeFile(file, JSON.stringify(usage.report()));
  const [before, after] = [join(directory, 'old.wsdl'), join(directory, 'new.wsdl')];
  const { code, all } = await runCommand('diff', before, after, '--usage', file);
  t.equal(code, 1, all);
  const meets = all.split('Breaking changes meet:\n')[1] ?? '';
  t.match(meets, / {2}asks$/m);
  t.notMatch(meets, /asksNot|another/);
  t.match(await runCommand('diff', 'a', 'b', '--usage', join(directory, 'none.json')), { code: 2 });
});

t.test('a change meets those that cannot help it', async (t) => {
  const usage = new Usage();
  usage.add(
    exchange({ route: 'shop', operation: 'GetOrder', dialect: '1.1' }, {}, { name: 'erp' }),
  );
  const use = {
    name: '',
    calls: ['shop.GetOrder'],
    fields: ['Order.status', 'Order.placed'],
    elements: ['Order.ORDDAT', 'Order.dates'],
    arguments: [],
  };
  usage.add(exchange({}, { used: [use] }, { name: 'web' }));
  const met = (where: string): readonly string[] =>
    affectedClients(
      { severity: 'breaking', where, what: '', isAddress: false },
      usage.report(),
    ).map(({ label }) => label);
  t.same(met('GetOrder reply: order/total'), ['erp'], 'SOAP callers get all of a reply');
  t.same(met('GetOrder reply: order/Status'), ['erp', 'web']);
  t.same(met('GetOrder reply: order/ORDDAT'), ['erp', 'web'], 'by the name of its element');
  t.same(met('GetOrder reply: order/dates'), ['erp', 'web'], 'of an element around it');
  t.same(met('GetOrder request: order/other'), ['erp', 'web'], 'a request is written whole');
  t.same(met('GetOrder'), ['erp', 'web']);
  t.same(met('port Shop'), ['erp', 'web']);
  t.same(met('GetOther'), []);
});

t.test('a change meets a client with more names than are counted', async (t) => {
  const usage = new Usage();
  const fields = Array.from({ length: USAGE_NAMES_MAX + 5 }, (_, at) => `Order.field${at}`);
  const use = { name: '', calls: ['shop.GetOrder'], fields, elements: [], arguments: [] };
  usage.add(exchange({}, { used: [use] }, { name: 'web' }));
  const change = { severity: 'breaking', what: '', isAddress: false } as const;
  const met = affectedClients({ ...change, where: 'GetOrder reply: order/other' }, usage.report());
  t.equal(met.length, 1);
});

t.test('clients and names are bounded', async (t) => {
  const usage = new Usage();
  for (let count = 0; count < USAGE_CLIENTS_MAX + 5; count++)
    usage.add(
      exchange({ route: 'shop', operation: 'Get', dialect: '1.1' }, { clientName: `c${count}` }),
    );
  const { clients } = usage.report();
  t.equal(clients.length, USAGE_CLIENTS_MAX);
  t.match(clients.at(-1), { name: '_other', soap: { 'shop.Get': 6 } });
  // Whatever a client calls itself, and in as many versions.
  for (let count = 0; count < 5; count++) {
    const graphql = { clientName: '_other', clientVersion: `${count}` };
    usage.add(exchange({ route: 'shop', operation: 'Get', dialect: '1.1' }, graphql));
  }
  const after = mergeUsage([usage.report(), usage.report()]).clients;
  t.equal(after.length, USAGE_CLIENTS_MAX);
  t.match(after.at(-1), { name: '_other', version: '', soap: { 'shop.Get': 22 } });
  const wide = new Usage();
  for (let count = 0; count < USAGE_NAMES_MAX + 5; count++)
    wide.add(exchange({ route: 'shop', operation: `Get${count}`, dialect: '1.1' }));
  const soap = wide.report().clients[0]?.soap ?? {};
  t.equal(Object.keys(soap).length, USAGE_NAMES_MAX);
  t.equal(soap['_other'], 6);
  t.equal(mergeUsage([wide.report(), wide.report()]).clients[0]?.soap['_other'], 12);
  t.equal(clientNameIn('x'.repeat(65)), '_other');
  t.equal(clientNameIn('é'), '_other');
  t.equal(clientNameIn(undefined), '');
});

t.test('a long name of an operation is cut: a caller chooses it', async (t) => {
  const backend = await useBackend(t, answerWith(REPLY));
  const types = '"type Query { order(id: Int!): Int }"';
  const service =
    `{ url: "${backend.url}/", types: ${types}, operations: { GetOrder: ` +
    '{ field: Query.order } } }';
  const gateway = await useGateway(t, `services: { shop: ${service} }\n`);
  t.equal(
    (await postGraphql(gateway.url, { query: `query ${'A'.repeat(10_000)} { __typename }` }))
      .status,
    200,
  );
  await gateway.accessLine();
  const { clients }: UsageReport = JSON.parse(
    await (await fetch(`${gateway.adminUrl}/usage`)).text(),
  );
  t.same(clients[0]?.operations, { ['A'.repeat(128)]: 1 });
});

t.test('refused requests and addresses are no use and no names', async (t) => {
  const usage = new Usage();
  usage.add(exchange({ route: 'shop', operation: 'Get', dialect: '1.1', outcome: 'refused' }));
  t.same(usage.report().clients, []);
  usage.add(
    exchange(
      { route: 'shop', operation: 'Get', dialect: '1.1' },
      {},
      { label: 'address:192.0.2.1' },
    ),
  );
  t.match(usage.report().clients, [{ name: '', label: '' }]);
});
