import t from 'tap';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { Validity } from '../../src/compile/soap/operations/validity.js';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange, VIOLATIONS_MAX } from '../../src/gateway/exchange.js';
import type { Operation } from '../../src/wsdl/model.js';
import type { XmlHandler } from '../../src/xml/events.js';
import { syntheticTag } from '../../src/xml/synthetic-tag.js';
import {
  complex,
  element,
  elements,
  INT,
  modelWith,
  one,
  operation,
  STRING,
} from '../graphql/models.js';
import { readXml } from '../kit/read-xml.js';

const validityOf = (
  operations: readonly Operation[],
  requests: 'off' | 'report' | 'enforce',
): Validity =>
  new Validity('shop', modelWith(operations), operations, {
    requests,
    replies: requests,
    withheld: new Set(['Withheld']),
    limits: { ...defaultsOf(VALIDITY_LIMITS), textChars: 1000 },
  });

function read(handler: XmlHandler | null, document: string): void {
  if (handler === null) throw new Error('nothing validates');
  readXml(handler, document);
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
    t.ok(
      caught instanceof Refusal &&
        caught.code === 'SCHEMA_INVALID' &&
        caught.facts.path === '/Get/id',
    );
  }
  t.equal(refused.violations?.length, 1);
  t.equal(validityOf([GET], 'off').request(GET, newExchange()), null);
});

t.test('no exchange remembers more than it should', async (t) => {
  const exchange = newExchange();
  const validity = validityOf([GET], 'report');
  for (let count = 0; count < 2 * VIOLATIONS_MAX; count++)
    read(validity.request(GET, exchange), WRONG);
  t.equal(exchange.violations?.length, VIOLATIONS_MAX);
});

/** With a request of other content, and a reply of other content under the given name. */
const other = (replyName: string): Operation => ({
  ...GET,
  input: { ...GET.input, body: element('Get', complex('', elements(one('name', STRING)))) },
  output: { body: element(replyName, complex('', elements(one('name', STRING)))), headers: [] },
});

t.test('which operations cannot be validated, and that no request for them is sent', async (t) => {
  const alike: Operation = { ...GET, name: 'GetAgain' };
  const onlyReply = (name: string): Operation => ({ ...GET, output: other(name).output });
  const encoded: Operation = { ...GET, use: 'encoded' };
  const cases: readonly (readonly [string, readonly Operation[], RegExp | null, RegExp | null])[] =
    [
      ['encoded', [encoded], /encoded messages/, /encoded messages/],
      ['disabled', [{ ...GET, status: 'disabled' }], /disabled/, /disabled/],
      ['withheld', [{ ...encoded, name: 'Withheld' }], null, null],
      [
        'overloaded, with other content',
        [GET, other('GetResponse')],
        /differ behind/,
        /same name that differ/,
      ],
      [
        'overloaded, other content under another name in replies',
        [GET, other('Other')],
        /differ behind/,
        null,
      ],
      ['overloaded, with the same', [GET, alike], null, null],
      [
        'overloaded, replies of one name differ',
        [GET, onlyReply('GetResponse')],
        null,
        /same name that differ/,
      ],
      ['overloaded, replies of other names differ', [GET, onlyReply('Other')], null, null],
      ['partial', [{ ...GET, status: 'partial' }], null, null],
    ];
  for (const [name, operations, request, reply] of cases) {
    const validity = validityOf(operations, 'enforce');
    t.match(validity.unvalidated('request') ?? '', request ?? /^$/, `${name}: requests`);
    t.match(validity.unvalidated('reply') ?? '', reply ?? /^$/, `${name}: replies`);
    const admit = (): void => validity.admit(operations, 'Get', newExchange());
    if (request === null && reply === null && name !== 'withheld') t.doesNotThrow(admit, name);
    else t.throws(admit, { code: 'SCHEMA_INVALID' }, name);
  }
  t.throws(() => validityOf([GET], 'enforce').admit([], '_other', newExchange()), {
    code: 'SCHEMA_INVALID',
  });
  const noted = newExchange();
  t.equal(validityOf([encoded], 'report').request(encoded, noted), null);
  t.match(noted.violations, [{ operation: 'Get', direction: 'request', rule: 'unvalidated' }]);
});

t.test('a reply is validated by the output whose name it has', async (t) => {
  const validity = validityOf([GET, { ...GET, output: other('Other').output }], 'enforce');
  const reply = (local: string): XmlHandler | null =>
    validity.reply(GET, syntheticTag({ uri: 'urn:shop', local }, 0), newExchange());
  read(reply('Other'), '<Other xmlns="urn:shop"><name>x</name></Other>');
  t.throws(
    () => read(reply('GetResponse'), '<GetResponse xmlns="urn:shop"><name>x</name></GetResponse>'),
    {
      code: 'UPSTREAM_SCHEMA_INVALID',
    },
  );
  t.throws(() => reply('Third'), { code: 'UPSTREAM_SCHEMA_INVALID' }, 'no output has this name');
});

t.test('a value too long to be validated names its limit', async (t) => {
  const read1001 = (): void =>
    read(
      validityOf([GET], 'enforce').request(GET, newExchange()),
      `<Get xmlns="urn:shop"><id>${'1'.repeat(1001)}</id></Get>`,
    );
  t.throws(read1001, {
    code: 'XML_TEXT_LIMIT',
    limit: { key: 'limits.xml.textBytes', value: 1000 },
  });
});
