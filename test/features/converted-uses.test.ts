import t from 'tap';
import { textIn } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';
import { ORDERS, useValues, VALUES_SCHEMA } from './values-desk.js';

/** Converted values at every endpoint, and where values go on: links, rights, SDL types. */

const ORDER = `<order due="31.01.26"><id>1</id><active>J</active><state>2</state>\
<placed>00000000</placed>
<total>0001990</total><note>Fragile  </note><customer>00007</customer></order>`;

/** A message without prefixes. */
const plain = (message: string): string => message.replaceAll(/(<\/?)\w+:/g, '$1');

const ARGUMENTS = `{ GetOrder: {}, SaveOrder: {}, FindOrders: { arguments: {
      active: { convert: { boolean: { true: J, false: N } } },
      state: { convert: { enum: { OPEN: "1", SHIPPED: "2" } } },
      since: { convert: { date: yyyyMMdd } }, most: { convert: { decimal: 2, digits: 7 } } } } }`;

t.test('REST takes and answers converted values, and OpenAPI describes them', async (t) => {
  const { gateway, sent, backend } = await useValues(t, () => ORDER, {
    operations: ARGUMENTS,
    service: '    rest: true\n',
  });
  const got = await fetch(`${gateway.url}/rest/orders/GetOrder?id=1`);
  t.match(await got.json(), {
    active: true,
    state: 'SHIPPED',
    placed: null,
    total: '19.90',
    note: 'Fragile',
    due: '2026-01-31',
  });
  const query = 'active=true&state=OPEN&since=2026-01-31&most=19.90';
  const found = await fetch(`${gateway.url}/rest/orders/FindOrders?${query}`);
  t.equal(found.status, 200);
  const written =
    '<active>J</active><state>1</state><since>20260131</since><most>0001990</most></FindOrders>';
  t.match(plain(sent()), written);
  const body = { active: true, state: 'OPEN', since: '2026-01-31', most: 19.9 };
  const posted = await postJson(`${gateway.url}/rest/orders/FindOrders`, body);
  t.equal(posted.status, 200);
  t.match(plain(sent()), written);
  const before = backend.complete.length;
  const refused = await postJson(`${gateway.url}/rest/orders/FindOrders`, {
    ...body,
    most: '1.999',
  });
  t.equal(refused.status, 400);
  t.match(await refused.text(), /most/);
  const unknown = await fetch(`${gateway.url}/rest/orders/FindOrders?since=2026-01-31&state=LOST`);
  t.equal(unknown.status, 400);
  t.equal(backend.complete.length, before, 'nothing was sent');
  const openApi = await (await fetch(`${gateway.url}/rest/openapi.json`)).text();
  const { components } = JSON.parse(openApi);
  t.match(components.schemas.OrderState.enum, ['OPEN', 'SHIPPED']);
  t.match(components.schemas.Order.properties.active.type, ['boolean', 'null']);
});

t.test('tools take and answer converted values', async (t) => {
  const { gateway, sent } = await useValues(t, () => ORDER, {
    operations: ARGUMENTS,
    more: 'mcp: { operations: [orders.GetOrder, orders.FindOrders] }\n',
  });
  const ask = async (method: string, params: object): Promise<string> => {
    const response = await postJson(
      `${gateway.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method, params },
      { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    );
    return response.text();
  };
  const list = await ask('tools/list', {});
  t.match(list, /"SHIPPED"/);
  t.match(list, /"format":"date"/);
  const { result } = JSON.parse(
    await ask('tools/call', { name: 'getOrder', arguments: { id: '1' } }),
  );
  t.match(JSON.stringify(result), /19\.90/);
  t.match(JSON.stringify(result), /SHIPPED/);
  const values = { active: false, state: 'SHIPPED', since: '2026-01-31' };
  await ask('tools/call', { name: 'findOrders', arguments: values });
  t.match(plain(sent()), '<active>N</active><state>2</state><since>20260131</since>');
});

const CUSTOMERS = wsdlOf(
  ORDERS,
  `${VALUES_SCHEMA}
<xs:complexType name="Customer"><xs:sequence>${element('number', 'xs:string')}\
${element('name', 'xs:string')}</xs:sequence></xs:complexType>
${wrapper('GetCustomer', element('number', 'xs:string'))}
${wrapper('GetCustomerResponse', element('customer', 't:Customer', 'minOccurs="0"'))}
${wrapper('GetCustomers', element('numbers', 'xs:string', 'maxOccurs="unbounded"'))}
${wrapper('GetCustomersResponse', element('customer', 't:Customer', 'minOccurs="0" maxOccurs="unbounded"'))}`,
  ['GetOrder', 'FindOrders', 'GetCustomer', 'GetCustomers'],
);

for (const [title, convert, batch] of [
  ['a text argument', '', ''],
  [
    'a text argument of a list operation',
    '',
    ', batch: { operation: orders.GetCustomers, argument: numbers, key: number }',
  ],
  ['an argument that is converted', '{ number: { convert: { integer: true, digits: 5 } } }', ''],
] as const)
  t.test(`a converted key of a link goes back to the wire for ${title}`, async (t) => {
    const customer = (number: string): string =>
      `<customer><number>${number}</number><name>Ada</name></customer>`;
    const { ask, sent } = await useValues(
      t,
      (operation, request) =>
        operation === 'GetOrder' ? ORDER : customer(textIn(request, 'number') ?? '00007'),
      {
        wsdl: CUSTOMERS,
        types: `        Order: { fields: { customer: { convert: { integer: true } } } }
        Customer: { fields: { number: { convert: { integer: true } } } }
`,
        operations:
          '{ GetOrder: {}, GetCustomers: {}, GetCustomer: ' +
          `${convert === '' ? '{}' : `{ arguments: ${convert} }`} }`,
        more:
          'links: { Order.buyer: { operation: orders.GetCustomer, arguments: { number: ' +
          `customer }${batch} } }\n`,
      },
    );
    t.same(await ask('{ getOrder(id: "1") { customer buyer { number name } } }'), {
      data: { getOrder: { customer: 7, buyer: { number: 7, name: 'Ada' } } },
    });
    t.match(plain(sent()), /<numbers?>00007</);
  });

t.test('a value of an enumeration fills a text argument of a link as on the wire', async (t) => {
  const named =
    '<xs:simpleType name="Kind"><xs:restriction base="xs:string">' +
    '<xs:enumeration value="+L1"/></xs:restriction></xs:simpleType>';
  const wsdl = CUSTOMERS.replace(
    element('note', 'xs:string', 'minOccurs="0"'),
    element('note', 't:Kind', 'minOccurs="0"'),
  ).replace('<xs:complexType name="Order">', `${named}<xs:complexType name="Order">`);
  const { ask, sent } = await useValues(
    t,
    (operation) =>
      operation === 'GetOrder'
        ? ORDER.replace('Fragile  ', '+L1')
        : '<customer><number>2</number><name>Ada</name></customer>',
    {
      wsdl,
      types:
        '        Order: { fields: { state: { convert: { enum: { OPEN: "1", SHIPPED: ' +
        '"2" } } } } }\n',
      operations: '{ GetOrder: {}, GetCustomer: {} }',
      more:
        'links: { Order.buyer: { operation: orders.GetCustomer, arguments: { number: state } }, ' +
        'Order.kin: { operation: orders.GetCustomer, arguments: { number: note } } }\n',
    },
  );
  t.same(await ask('{ getOrder(id: "1") { state buyer { name } } }'), {
    data: { getOrder: { state: 'SHIPPED', buyer: { name: 'Ada' } } },
  });
  t.match(plain(sent()), '<number>2</number>');
  t.same(await ask('{ getOrder(id: "1") { note kin { name } } }'), {
    data: { getOrder: { note: 'PLUS_L1', kin: { name: 'Ada' } } },
  });
  t.match(plain(sent()), '<number>+L1</number>');
});

t.test('a link between two enumerations is an error that names both types', async (t) => {
  await t.rejects(
    useValues(t, () => '', {
      wsdl: CUSTOMERS,
      types: '        Order: { fields: { state: { convert: { enum: { OPEN: "1" } } } } }\n',
      operations:
        '{ GetOrder: {}, GetCustomer: { arguments: { number: { convert: { enum: { A: ' +
        '"1" } } } } } }',
      more:
        'links: { Order.buyer: { operation: orders.GetCustomer, arguments: { number: ' +
        'state } } }\n',
    }),
    { message: /`state` is OrderState, `number` takes GetCustomerNumber/ },
  );
});

t.test('masks and rights hold for converted and lifted values', async (t) => {
  const classes = `clients:
  classes: { full: { scopes: [all] }, default: {} }
  apiKeys: { clients: { one: { class: full, keys: [key-of-one-0000000] }, two: { class: \
default, keys: [key-of-two-0000000] } } }
`;
  const { ask } = await useValues(t, () => ORDER, {
    types: `        Order:
          fields:
            total: { convert: { decimal: 2 }, mask: { full: none, default: "null" } }
            note: { convert: { trim: true }, mask: { full: none, default: last4 } }
            state: { convert: { enum: { OPEN: "1", SHIPPED: "2" } }, scopes: [all] }
`,
    more: classes,
  });
  const query = '{ getOrder(id: "1") { total note state } }';
  t.same(await ask(query, {}, { 'x-api-key': 'key-of-one-0000000' }), {
    data: { getOrder: { total: '19.90', note: 'Fragile', state: 'SHIPPED' } },
  });
  t.match(await ask(query, {}, { 'x-api-key': 'key-of-two-0000000' }), {
    data: { getOrder: { total: null, note: '****ile', state: null } },
    errors: [{ path: ['getOrder', 'state'], extensions: { code: 'FORBIDDEN' } }],
  });
});

t.test('equal values of one call are one call, whatever their form', async (t) => {
  const { ask, backend } = await useValues(t, () => ORDER, {
    operations: ARGUMENTS.replace('FindOrders: {', 'FindOrders: { read: { cacheMillis: 60000 },'),
  });
  await ask('{ findOrders(since: "2026-01-31", most: "19.9") { id } }');
  await ask('{ findOrders(since: "2026-01-31", most: "19.90") { id } }');
  t.equal(backend.complete.length, 1, 'the key is that of the message');
});
