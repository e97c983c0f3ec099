import t from 'tap';

import { codesAt } from '../kit/answers.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';
import { ORDERS, useValues } from './values-desk.js';

/** `path` of fields and arguments: values without the elements around them. */

const SCHEMA = `
<xs:complexType name="Address"><xs:sequence>${element('cityName', 'xs:string', 'minOccurs="0"')}\
</xs:sequence></xs:complexType>
<xs:complexType name="Place"><xs:sequence>\
${element('city', 'xs:string') + element('zip', 'xs:string', 'minOccurs="0"')}</xs:sequence>\
<xs:attribute name="kind" type="xs:string"/></xs:complexType>
<xs:complexType name="Line"><xs:sequence>\
${element('sku', 'xs:string') + element('count', 'xs:string', 'minOccurs="0"')}</xs:sequence>\
</xs:complexType>
<xs:complexType name="Order"><xs:sequence>
  ${element('id', 'xs:string')}
  ${element('address', 't:Address', 'minOccurs="0" nillable="true"')}
  ${element('place', 't:Place')}
  ${wrapper('orderLines', wrapper('lineData', element('line', 't:Line', 'minOccurs="0" maxOccurs="unbounded"')), 'minOccurs="0"')}
</xs:sequence></xs:complexType>
${wrapper('GetOrder', element('id', 'xs:string'))}
${wrapper('GetOrderResponse', element('order', 't:Order', 'minOccurs="0"'))}
${wrapper('FindLines', wrapper('criteria', wrapper('item', element('sku', 'xs:string') + element('most', 'xs:string', 'minOccurs="0"')) + element('count', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')))}
${wrapper('FindLinesResponse', wrapper('data', wrapper('lines', element('line', 't:Line', 'minOccurs="0" maxOccurs="unbounded"'))))}
${wrapper('SaveOrder', element('order', 't:Order'))}
${wrapper('SaveOrderResponse', element('id', 'xs:string'))}`;

const WSDL = wsdlOf(ORDERS, SCHEMA, ['GetOrder', 'FindLines', 'SaveOrder']);

const TYPES = `        Order:
          fields:
            cityName: { path: address/cityName }
            town: { path: place/city, description: Where it goes. }
            kind: { path: place/@kind }
            lines: { path: orderLines/lineData/line }
        Line: { fields: { count: { convert: { integer: true } } } }
        FindLinesResponse: { fields: { found: { path: data/lines/line } } }
`;

const OPTIONS = {
  wsdl: WSDL,
  types: TYPES,
  operations: '{ GetOrder: {}, FindLines: {}, SaveOrder: {} }',
};

const order = (content: string): string => `<order><id>1</id>${content}</order>`;

t.test('values are shown without the elements around them', async (t) => {
  let content = '';
  const { ask } = await useValues(t, () => order(content), OPTIONS);
  const fields = 'cityName town kind lines { sku count } place { zip }';
  content = `<address><cityName>Bern</cityName></address><place kind="home"><city>Basel</city>\
<zip>4000</zip></place>
<orderLines><lineData><line><sku>a</sku><count>007</count></line><line><sku>b</sku></line>\
</lineData></orderLines>`;
  t.same(await ask(`{ getOrder(id: "1") { ${fields} } }`), {
    data: {
      getOrder: {
        cityName: 'Bern',
        town: 'Basel',
        kind: 'home',
        lines: [
          { sku: 'a', count: 7 },
          { sku: 'b', count: null },
        ],
        place: { zip: '4000' },
      },
    },
  });
  content = '<place><city>Basel</city></place><orderLines><lineData/></orderLines>';
  t.same(
    await ask(`{ getOrder(id: "1") { ${fields} } }`),
    {
      data: {
        getOrder: { cityName: null, town: 'Basel', kind: null, lines: [], place: { zip: null } },
      },
    },
    'the list of an element without items is empty',
  );
  content =
    '<address xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/><place>' +
    '<city>B</city></place>';
  t.same(
    await ask('{ getOrder(id: "1") { cityName lines { sku } town } }'),
    { data: { getOrder: { cityName: null, lines: null, town: 'B' } } },
    'without its element a value is null',
  );
});

t.test('errors have the path of the field that is shown', async (t) => {
  let content = '';
  const { ask } = await useValues(t, () => order(content), OPTIONS);
  content =
    '<place/><orderLines><lineData><line><sku>a</sku><count>x</count></line>' +
    '</lineData></orderLines>';
  const answer = await ask('{ getOrder(id: "1") { lines { count } } }');
  t.same(codesAt(answer), ['VALUE_NOT_REPRESENTABLE getOrder.lines.0.count']);
  t.same(codesAt(await ask('{ getOrder(id: "1") { town } }')), [
    'UPSTREAM_SCHEMA_INVALID getOrder.town',
  ]);
});

t.test('elements of which nothing is left are not in the schema', async (t) => {
  const { ask } = await useValues(t, () => '', OPTIONS);
  const { data } = await ask(`{
    order: __type(name: "Order") { fields { name description type { kind name ofType { kind name \
ofType { name } } } } }
    address: __type(name: "Address") { name }
    query: __type(name: "Query") { fields { name type { kind ofType { ofType { name } } } } }
  }`);
  const shown = JSON.stringify(data?.['order']);
  for (const name of ['id', 'place', 'cityName', 'town', 'kind', 'lines'])
    t.match(shown, `"name":"${name}"`, name);
  t.notMatch(shown, '"address"');
  t.notMatch(shown, '"orderLines"');
  t.match(shown, 'Where it goes.');
  t.match(
    shown,
    '"name":"town","description":"Where it goes.","type":{"kind":"NON_NULL"',
    'required all the way',
  );
  t.match(shown, '"name":"cityName","description":null,"type":{"kind":"SCALAR"');
  t.equal(data?.['address'], null);
  t.match(JSON.stringify(data?.['query']), '"findLines","type":{"kind":"LIST"', 'an answer too');
});

t.test('a list inside the elements of an answer is the answer', async (t) => {
  const { ask } = await useValues(
    t,
    () => '<data><lines><line><sku>a</sku></line><line><sku>b</sku></line></lines></data>',
    OPTIONS,
  );
  t.same(await ask('{ findLines(criteria: { item: { sku: "a" } }) { sku } }'), {
    data: { findLines: [{ sku: 'a' }, { sku: 'b' }] },
  });
});

/** A message without prefixes. */
const plain = (message: string): string => message.replaceAll(/(<\/?)\w+:/g, '$1');

const ARGUMENTS = {
  ...OPTIONS,
  operations: `
      GetOrder: {}
      SaveOrder: {}
      FindLines:
        arguments:
          sku: { path: criteria/item/sku }
          most: { path: criteria/item/most, convert: { decimal: 2 } }
          counts: { path: criteria/count, convert: { integer: true, digits: 3 } }`,
};

t.test('arguments are written inside the elements of their paths', async (t) => {
  const { ask, sent, backend } = await useValues(t, () => '<data><lines/></data>', ARGUMENTS);
  const found = await ask('{ findLines(sku: "a", most: "19.90", counts: [7, 12]) { sku } }');
  t.same(found, { data: { findLines: [] } });
  t.match(
    plain(sent()),
    '<criteria><item><sku>a</sku><most>1990</most></item><count>007</count>' +
      '<count>012</count></criteria>',
  );
  await ask('{ findLines(sku: "a") { sku } }');
  t.match(plain(sent()), '<criteria><item><sku>a</sku></item></criteria>');
  backend.complete.length = 0;
  const refused = await ask('{ findLines(sku: "a", most: "1.999") { sku } }');
  t.match(refused.errors?.[0]?.message, 'most', 'an error has the name of the argument');
  t.notMatch(refused.errors?.[0]?.message, 'criteria');
  t.match((await ask('{ findLines { sku } }')).errors?.[0]?.message, 'sku', 'required all the way');
  t.equal(backend.complete.length, 0);
});

t.test('input types have the values that their types lift', async (t) => {
  const { ask, sent } = await useValues(t, () => '<id>1</id>', OPTIONS);
  const save = (values: string) => ask(`mutation { saveOrder(order: { id: "1", ${values} }) }`);
  t.same(
    await save(
      'cityName: "Bern", town: "Basel", kind: "home", lines: [{ sku: "a", count: ' +
        '7 }], place: { zip: "4000" }',
    ),
    { data: { saveOrder: '1' } },
  );
  t.match(
    plain(sent()),
    '<address><cityName>Bern</cityName></address><place kind="home"><city>Basel</city>' +
      '<zip>4000</zip></place><orderLines><lineData><line><sku>a</sku><count>7</count></line>' +
      '</lineData></orderLines>',
  );
  t.same(await save('town: "Basel"'), { data: { saveOrder: '1' } });
  t.match(plain(sent()), '<id>1</id><place><city>Basel</city></place></order>');
  t.match((await save('cityName: "Bern"')).errors?.[0]?.message, 'town', 'required all the way');
  const { data } = await ask(
    '{ order: __type(name: "OrderInput") { inputFields { name } } types: ' +
      '__schema { types { name } } }',
  );
  t.same(data?.['order'], {
    inputFields: ['id', 'place', 'cityName', 'town', 'kind', 'lines'].map((name) => ({ name })),
  });
  t.notMatch(JSON.stringify(data?.['types']), 'AddressInput', 'no type is left without a use');
});

t.test('a path that cannot be followed is an error with its place', async (t) => {
  const fields = (text: string): string => `        Order: { fields: { ${text} } }\n`;
  const choice = SCHEMA.replace(
    element('address', 't:Address', 'minOccurs="0" nillable="true"'),
    `<xs:choice>${element('address', 't:Address')}${element('other', 'xs:string')}</xs:choice>`,
  );
  const cases: readonly (readonly [string, string, string?])[] = [
    ['address: { path: address/cityName }', 'is an element or attribute itself'],
    ['a: { path: address/cityName }, b: { path: address/cityName }', 'Two fields have the path'],
    ['sku: { path: orderLines/lineData/line/sku }', 'is repeated before the end'],
    ['city: { path: address/citName }', 'There is no `citName`'],
    ['city: { path: address/cityName/x }', 'is a simple value'],
    ['city: { path: address }', 'path'],
    ['id: { path: place/city }', 'is an element or attribute itself'],
    ['town: { path: place/city, mask: { default: last4 } }', 'which shows it too'],
    ['city: { path: address/cityName }', 'one of a choice in requests', choice],
  ];
  for (const [text, error, schema = SCHEMA] of cases) {
    const wsdl = wsdlOf(ORDERS, schema, ['GetOrder', 'FindLines', 'SaveOrder']);
    await t.rejects(
      useValues(t, () => '', { ...OPTIONS, wsdl, types: fields(text) }),
      { message: new RegExp(error.replaceAll(/[`()]/g, '\\$&')) },
      `${text}: ${error}`,
    );
  }
  const args = (text: string): string => `{ FindLines: { arguments: { ${text} } } }`;
  for (const [text, error] of [
    ['criteria: { path: criteria/item/sku }', 'is an argument itself'],
    [
      'a: { path: criteria/item/sku }, b: { path: criteria/item/sku }',
      'Another value has the path',
    ],
    ['a: { path: criteria/itm/sku }', 'There is no `itm`'],
    ['a: { path: criteria/item/sku, value: x }', 'has both `path` and `value`'],
    ['criteria/item: { path: criteria/item/sku }', 'is a way itself'],
  ] as const)
    await t.rejects(
      useValues(t, () => '', { ...OPTIONS, operations: args(text) }),
      { message: new RegExp(error) },
      `${text}: ${error}`,
    );
});

t.test('a type that is made for one operation has the name of the operation once', async (t) => {
  const { ask } = await useValues(t, () => '', {
    ...OPTIONS,
    operations:
      '{ FindLines: { arguments: { most: { path: criteria/item/most } } }, SaveOrder: {} }',
  });
  const { data } = await ask('{ __schema { types { name kind } } }');
  const names = JSON.stringify(data).match(/FindLines\w*(?=","kind":"INPUT_OBJECT")/g);
  t.same(names?.sort(), ['FindLinesCriteriaInput', 'FindLinesCriteriaItemInput']);
});

t.test('usage counts lifted fields by the names of their elements too', async (t) => {
  const place = '<place><city>Basel</city></place>';
  const { ask, gateway } = await useValues(t, () => order(place), OPTIONS);
  await ask('{ getOrder(id: "1") { id town lines { sku } } }');
  const report: unknown = await (await fetch(`${gateway.adminUrl}/usage`)).json();
  t.match(report, {
    clients: [
      {
        fields: { 'Order.id': 1, 'Order.town': 1, 'Order.lines': 1 },
        elements: { 'Order.place': 1, 'Order.city': 1, 'Order.orderLines': 1, 'Order.line': 1 },
      },
    ],
  });
});
