import t from 'tap';

import { Exchange, VIOLATIONS_MAX } from '../../src/base/exchange.js';
import { defaultsOf } from '../../src/base/limit.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { Validity } from '../../src/compile/validity.js';
import { InvalidContent } from '../../src/soap/invalid-content.js';
import type { Operation, WsdlModel } from '../../src/wsdl/model.js';
import type { XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { complex, element, elements, INT, one, operation, STRING } from '../graphql/models.js';

const modelOf = (operations: readonly Operation[]): WsdlModel => ({
  services: [
    { name: { uri: 'urn:shop', local: 'S' }, ports: [{ name: 'P', dialect: '1.1', address: null, operations }] },
  ],
  types: new Map(),
  elements: new Map(),
  documents: [],
  warnings: [],
});

const validityOf = (operations: readonly Operation[], requests: 'off' | 'report' | 'enforce'): Validity =>
  new Validity('shop', modelOf(operations), operations, {
    requests,
    replies: requests,
    limits: { ...defaultsOf(VALIDITY_LIMITS), textChars: 1000 },
  });

function read(handler: XmlHandler | null, document: string): void {
  if (handler === null) throw new Error('nothing validates');
  const reader = new XmlReader(handler, defaultsOf(XML_LIMITS));
  reader.write(Buffer.from(document));
  reader.end();
}

const GET = operation('Get', [one('id', INT)], [one('total', INT)]);
const WRONG = '<Get xmlns="urn:shop"><id>x</id></Get>';
const newExchange = (): Exchange => new Exchange('1', '127.0.0.1', 'POST');

t.test('what is wrong is noted, and thrown where it is to be refused', async (t) => {
  const reported = newExchange();
  read(validityOf([GET], 'report').request(GET, reported), WRONG);
  t.match(reported.violations, [
    { service: 'shop', operation: 'Get', direction: 'request', rule: 'value', path: '/Get/id' },
  ]);

  const refused = newExchange();
  try {
    read(validityOf([GET], 'enforce').request(GET, refused), WRONG);
    t.fail('it passed');
  } catch (caught) {
    t.ok(caught instanceof InvalidContent && caught.code === 'SCHEMA_INVALID' && caught.path === '/Get/id');
  }
  t.equal(refused.violations?.length, 1);
  t.equal(validityOf([GET], 'off').request(GET, newExchange()), null);
});

t.test('no exchange remembers more than it should', async (t) => {
  const exchange = newExchange();
  const validity = validityOf([GET], 'report');
  for (let count = 0; count < 2 * VIOLATIONS_MAX; count++) read(validity.request(GET, exchange), WRONG);
  t.equal(exchange.violations?.length, VIOLATIONS_MAX);
});

t.test('what is made by other rules, or is not to be told from something else, is not validated', async (t) => {
  const other: Operation = {
    ...GET,
    input: { ...GET.input, body: element('Get', complex('', elements(one('name', STRING)))) },
  };
  const alike: Operation = { ...GET, name: 'GetAgain' };
  const cases: readonly (readonly [string, readonly Operation[], boolean])[] = [
    ['encoded', [{ ...GET, use: 'encoded' }], false],
    ['disabled', [{ ...GET, status: 'disabled' }], false],
    ['without a Body', [{ ...GET, input: { ...GET.input, body: null } }], false],
    ['overloaded, with other content', [GET, other], false],
    ['overloaded, with the same', [GET, alike], true],
    ['partial', [{ ...GET, status: 'partial' }], true],
  ];
  for (const [name, operations, isValidated] of cases) {
    const [first] = operations;
    const validator = first === undefined ? null : validityOf(operations, 'enforce').request(first, newExchange());
    t.equal(validator !== null, isValidated, name);
  }
  t.same(validityOf([GET, other], 'enforce').unvalidated, ['Get'], 'which can be told');
  t.same(validityOf([GET, alike], 'enforce').unvalidated, []);
});
