import { resolve } from 'node:path';
import t from 'tap';

import { errorWith } from '../kit/answers.js';
import { answerWith } from '../kit/backend.js';
import { useService } from '../kit/use.js';

const WSDL = resolve('test/real/stacks/php/legacy.wsdl');

const envelope = (body: string): string =>
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:m="urn:legacy:inventory">' +
  '<E:Body E:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">' +
  `${body}</E:Body></E:Envelope>`;

t.test('answers by the SOAP encoding, as stacks write them, through the gateway', async (t) => {
  const service = await useService(
    t,
    answerWith(''),
    (url) => `services:
  stock:
    wsdl: ${WSDL}
    url: ${url}/legacy.php
    operations:
      getItem: { field: Query.item }
      listItems: { field: Query.items }
limits: { codec: { references: 100 } }
`,
  );
  const ask = async (query: string, body: string): Promise<unknown> => {
    service.backend.answer = answerWith(envelope(body));
    return service.ask(query);
  };
  const item = '{ item(sku: "S1") { sku qty tags substitute { sku qty substitute { sku } } } }';
  const values = (sku: string, rest: string): string =>
    `<sku xsi:type="enc:string">${sku}</sku><qty href="#n"/>` +
    '<price xsi:type="xsd:decimal">1.50</price>' +
    '<unit xsi:type="m:Unit">kg</unit><active xsi:type="xsd:boolean">1</active>' +
    `<counted xsi:nil="1"/>${rest}`;
  const number = '<multiRef id="n" enc:root="0" xsi:type="xsd:int">7</multiRef>';
  const tags =
    '<tags xsi:type="enc:Array" enc:arrayType="xsd:string[2]"><tags>a</tags><tags>b</tags></tags>';
  t.same(
    await ask(
      item,
      `<m:getItemReturned><whatever href="#1"/></m:getItemReturned>${number}` +
        `<multiRef id="2" xsi:type="m:Item">${values('S2', tags)}</multiRef>` +
        '<multiRef id="1" xsi:type="m:Item">' +
        `${values('S1', '<tags enc:arrayType="xsd:string[0]"/><substitute href="#2"/>')}` +
        '</multiRef>',
    ),
    {
      data: {
        item: { sku: 'S1', qty: 7, tags: [], substitute: { sku: 'S2', qty: 7, substitute: null } },
      },
    },
  );
  const looped = `<multiRef id="1">${values('S1', `${tags}<substitute href="#1"/>`)}</multiRef>${number}`;
  t.match(await ask(item, `<m:getItemResponse><return href="#1"/></m:getItemResponse>${looped}`), {
    data: { item: { sku: 'S1', substitute: { sku: 'S1', substitute: { sku: 'S1' } } } },
  });
  const list = `<return enc:arrayType="m:Item[101]">${'<i href="#1"/>'.repeat(101)}</return>`;
  t.match(
    await ask(
      '{ items(count: 1) { sku } }',
      `<m:listItemsResponse>${list}</m:listItemsResponse>${looped}`,
    ),
    {
      data: { items: null },
      errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }],
    },
  );
  t.match(await ask(item, '<m:listItemsResponse/>'), errorWith('UPSTREAM_DESYNC'));
});

t.test('references by enc:id and enc:ref of SOAP 1.2 are followed', async (t) => {
  const enc = 'http://www.w3.org/2003/05/soap-encoding';
  const item = (id: string, more: string): string =>
    `<item enc:id="${id}"><sku enc:id="${id}s">${id}</sku><qty>1</qty><price>1.0</price>` +
    `<unit>kg</unit><active>1</active><tags enc:arraySize="0"/>${more}</item>`;
  const reply = answerWith(
    `<E:Envelope xmlns:E="http://www.w3.org/2003/05/soap-envelope" xmlns:enc="${enc}" ` +
      `xmlns:m="urn:legacy:inventory"><E:Body><m:getItemResponse E:encodingStyle="${enc}">` +
      '<return enc:ref="a"/></m:getItemResponse>' +
      `${item('a', '<substitute enc:id="b"><sku enc:ref="as"/><substitute enc:ref="a"/></substitute>')}` +
      '</E:Body></E:Envelope>',
    'application/soap+xml',
  );
  const operations = 'operations: { getItem: { field: Query.item } }';
  const yaml = (url: string): string =>
    `services: { stock: { wsdl: ${WSDL}, url: "${url}/", versions: ["1.2"], ${operations} } }\n`;
  const { ask } = await useService(t, reply, yaml);
  t.match(await ask('{ item(sku: "S1") { sku substitute { sku substitute { sku } } } }'), {
    data: { item: { sku: 'a', substitute: { sku: 'a', substitute: { sku: 'a' } } } },
  });
});
