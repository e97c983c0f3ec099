import { join } from 'node:path';
import t from 'tap';
import { NO_SOURCE_OPTIONS } from '../../src/cli/import/import-source.js';
import { mappedTexts } from '../../src/cli/mock/mapped-texts.js';
import { mock } from '../../src/cli/mock/mock.js';
import { mappedTypes } from '../../src/compile/soap/mapping.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { recordedTerminal } from '../kit/command.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';
import { FILES } from '../wsdl/written.js';
import { useMock } from './use-mock.js';

/** A mock that knows the conversions of a configuration. */

const FIELDS: Readonly<Record<string, string>> = {
  flag: '{ boolean: { true: J, false: N } }',
  blank: '{ boolean: { true: X, false: "" }, trim: true }',
  state: '{ enum: { OPEN: "1", SHIPPED: "2" } }',
  day: '{ date: yyyyMMdd, nullWhen: ["00000000"] }',
  short: '{ date: "dd.MM.yy" }',
  ordinal: '{ date: yyyyDDD }',
  time: '{ time: HHmmss }',
  at: '{ dateTime: yyyyMMddHHmmss, zone: Europe/Zurich }',
  stamp: '{ dateTime: "yyyyMMddHHmmssXXX" }',
  sum: '{ decimal: 2, digits: 7 }',
  price: '{ decimal: 4 }',
  number: '{ integer: true, digits: 18 }',
  digit: '{ integer: true, digits: 1 }',
  note: '{ trim: true, nullWhen: [""] }',
  '@due': '{ date: yyyy-MM-dd }',
};

const NAMES = Object.keys(FIELDS).filter((name) => !name.startsWith('@'));

const SCHEMA = `
<xs:complexType name="Base"><xs:sequence>${element('code', 'xs:string')}</xs:sequence>\
</xs:complexType>
<xs:complexType name="Codes"><xs:sequence>${element('one', 'xs:string', 'maxOccurs="unbounded"')}</xs:sequence></xs:complexType>
<xs:complexType name="Amount"><xs:simpleContent><xs:extension base="xs:string">\
<xs:attribute name="unit" type="xs:string" use="required"/></xs:extension></xs:simpleContent>\
</xs:complexType>
<xs:complexType name="Order"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
  ${NAMES.map((name) => element(name, 'xs:string', 'minOccurs="0"')).join('')}
  ${element('flags', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')}
  ${element('codes', 't:Codes')}${element('amount', 't:Amount')}
  ${wrapper('deep', wrapper('er', element('day2', 'xs:string')))}
</xs:sequence><xs:attribute name="due" type="xs:string" use="required"/></xs:extension>\
</xs:complexContent></xs:complexType>
${wrapper('GetOrder', element('id', 'xs:string'))}
${wrapper('GetOrderResponse', element('order', 't:Order') + element('done', 'xs:string'))}`;

const ENTRIES = Object.entries(FIELDS)
  .map(([name, convert]) => `            "${name}": { convert: ${convert} }`)
  .join('\n');

const yaml = (url: string): string => `services:
  orders:
    wsdl: orders.wsdl
    url: ${url}
    operations: { GetOrder: {} }
    schema:
      types:
        Base: { fields: { code: { convert: { integer: true } } } }
        Amount: { fields: { value: { convert: { decimal: 2 } }, unit: { convert: { enum: { CHF: \
"756" } } } } }
        GetOrderResponse: { fields: { done: { convert: { boolean: { true: J, false: N } } } } }
        Order:
          fields:
${ENTRIES}
            flags: { convert: { boolean: { true: J, false: N } } }
            codes: { convert: { enum: { RED: R } } }
            day2: { path: deep/er/day2, convert: { date: yyyyMMdd } }
`;

t.test('answers of a mock have texts that the conversions of a configuration know', async (t) => {
  const folder = await useFolder(t, { 'orders.wsdl': wsdlOf('urn:orders', SCHEMA, ['GetOrder']) });
  const model = await readWsdl(join(folder, 'orders.wsdl'), FILES);
  const known = await useGateway(t, yaml('http://127.0.0.1:1/'), folder);
  const texts = mappedTexts(known.compiled().services.map(mappedTypes));
  const gateway = await useGateway(t, yaml(await useMock(t, model, null, texts)), folder);
  const query =
    '{ getOrder(id: "1") ' +
    `{ done order { code ${NAMES.join(' ')} due flags codes amount { value unit } day2 } } }`;
  t.same(await askGraphql(gateway.url, query), {
    data: {
      getOrder: {
        done: true,
        order: {
          code: 42,
          flag: true,
          blank: true,
          state: 'OPEN',
          day: '2026-01-31',
          short: '2026-01-31',
          ordinal: '2026-01-31',
          time: '12:00:00',
          at: '2026-01-31T12:00:00+01:00',
          stamp: '2026-01-31T12:00:00Z',
          sum: '19.90',
          price: '0.1990',
          number: '42',
          digit: 2,
          note: 'text',
          due: '2026-01-31',
          flags: [true, true],
          codes: ['RED', 'RED'],
          amount: { value: '19.90', unit: 'CHF' },
          day2: '2026-01-31',
        },
      },
    },
  });
});

t.test('a configuration without the WSDL is an error', async (t) => {
  const folder = await useFolder(t, {
    'orders.wsdl': wsdlOf('urn:orders', SCHEMA, ['GetOrder']),
    'other.wsdl': wsdlOf('urn:other', wrapper('A', '') + wrapper('AResponse', ''), ['A']),
    'soapstone.yaml': yaml('http://127.0.0.1:1/'),
  });
  const { printed: _, ...terminal } = recordedTerminal();
  await t.rejects(
    mock(
      join(folder, 'other.wsdl'),
      {
        listen: '127.0.0.1:0',
        answers: null,
        config: join(folder, 'soapstone.yaml'),
        source: NO_SOURCE_OPTIONS,
      },
      terminal,
    ),
    { message: /No service has the WSDL/ },
  );
});
