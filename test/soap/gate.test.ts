import t from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import type { ExpectedParts } from '../../src/soap/body-parts.js';
import { DIALECT_NAMES, type DialectName } from '../../src/soap/dialect.js';
import { type EnvelopeObserver, EnvelopeValidator } from '../../src/soap/envelope.js';
import { Gate, type GateOptions, type GateOutput } from '../../src/soap/gate.js';
import type { EnvelopeRules } from '../../src/soap/header/header.js';
import { ELEMENTS_ONLY, type QName } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { readXml, refusalOf } from '../kit/read-xml.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { fill } from '../perimeter/case-file.js';
import { ENVELOPE_CASES } from './cases.js';
import { ENVELOPE_RULES, SOAP } from './rules.js';

const rules = (dialects: readonly DialectName[] = DIALECT_NAMES): EnvelopeRules => ({
  ...ENVELOPE_RULES,
  dialects: new Set(dialects),
});

/** What a gate let through, in order, and how it ended. */
function pass(
  pieces: readonly Uint8Array[],
  envelopeRules: EnvelopeRules,
  options: Partial<GateOptions> = {},
) {
  const events: string[] = [];
  const chunks: Buffer[] = [];
  const note = (event: string): void => {
    if (events.at(-1) !== event) events.push(event);
  };
  const output: GateOutput = {
    whole(message) {
      note('whole');
      chunks.push(message);
    },
    begin: () => note('begin'),
    data(chunk) {
      note('data');
      chunks.push(chunk);
    },
    end: () => note('end'),
  };
  const validator = new EnvelopeValidator(envelopeRules, null, 'no detail');
  const gateOptions = {
    windowBytes: SOAP.windowBytes,
    headBytes: SOAP.headerBytes,
    bufferBytes: SOAP.bufferBytes,
    onViolation: null,
    ...options,
  };
  const gate = new Gate(
    new XmlReader(validator, defaultsOf(XML_LIMITS)),
    validator,
    gateOptions,
    output,
  );
  const refusal = refusalOf(() => {
    for (const piece of pieces) gate.write(Buffer.from(piece));
    gate.end();
  });
  return { events, bytes: Buffer.concat(chunks).toString('latin1'), refusal };
}

t.test('every rule of the envelope, in each dialect, whole and at every split', (t) => {
  for (const { name, dialect, message, forwarded, refusal } of ENVELOPE_CASES) {
    const bytes = Buffer.from(message);
    const {
      events,
      bytes: passed,
      refusal: found,
    } = assertSplitsAgree(bytes, (pieces) => pass(pieces, rules()));
    t.equal(found, refusal, `${dialect}: ${name}`);
    t.same(
      events,
      refusal === null ? ['whole'] : [],
      `${dialect}: ${name}: nothing passes before the result`,
    );
    if (refusal === null)
      t.equal(
        passed,
        Buffer.from(forwarded).toString('latin1'),
        `${dialect}: ${name}: byte for byte`,
      );
  }
  t.end();
});

const LONG = '<x>0123456789</x>'.repeat(10);
const message = (tail: string): Buffer =>
  Buffer.from(
    `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><a>${LONG}${tail}`,
  );
const GOOD = message('</a></E:Body></E:Envelope>');

t.test('a message longer than the window flows after its head is validated', (t) => {
  const pieces = [GOOD.subarray(0, 40), GOOD.subarray(40, 150), GOOD.subarray(150)];
  t.same(pass(pieces, rules(), { windowBytes: 100 }).events, ['begin', 'data', 'end']);
  t.equal(pass(pieces, rules(), { windowBytes: 100 }).bytes, GOOD.toString('latin1'));
  t.same(
    pass([GOOD], rules(), { windowBytes: GOOD.length }).events,
    ['whole'],
    'at the window it is whole',
  );
  t.same(
    pass([GOOD], rules(), { windowBytes: GOOD.length - 1 }).events,
    ['begin', 'data', 'end'],
    'a byte beyond it flows',
  );
  t.end();
});

t.test('the newest chunk is kept back: a late violation never completes the message', (t) => {
  for (const tail of [
    '</a></E:Body><b/></E:Envelope>',
    '</a></E:Body></E:Envelope>x',
    '</a></E:Body>',
  ]) {
    const bad = message(tail);
    for (let at = 150; at < bad.length; at++) {
      const { events, bytes, refusal } = pass(
        [bad.subarray(0, 120), bad.subarray(120, at), bad.subarray(at)],
        rules(),
        {
          windowBytes: 100,
        },
      );
      t.not(refusal, null);
      t.notOk(events.includes('end'), 'the end is never said');
      t.ok(bytes.length < bad.length, 'the last bytes are never let through');
    }
  }
  t.end();
});

t.test('a head that is not validated within its limit is refused', (t) => {
  const head = (blocks: number): Buffer =>
    Buffer.from(
      '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Header>' +
        `${'<b:a xmlns:b="urn:b">0123456789</b:a>'.repeat(blocks)}</E:Header><E:Body>` +
        '<a/></E:Body></E:Envelope>',
    );
  const options = { windowBytes: 100, headBytes: 300 };
  const bytewise = (bytes: Buffer) => Array.from(bytes, (byte) => Uint8Array.of(byte));
  t.equal(pass(bytewise(head(4)), rules(), options).refusal, null);
  t.equal(pass(bytewise(head(9)), rules(), options).refusal, 'SOAP_HEADER_LIMIT');
  t.equal(pass([head(SOAP.headerBlocks)], rules()).refusal, null, 'blocks at the limit');
  t.equal(
    pass([head(SOAP.headerBlocks + 1)], rules()).refusal,
    'SOAP_HEADER_LIMIT',
    'one block more',
  );
  t.end();
});

t.test('monitor mode tells the first violation and lets the message through untouched', (t) => {
  const bad = Buffer.from('<a><b></a>');
  const reported: string[] = [];
  const { events, bytes } = pass([bad.subarray(0, 4), bad.subarray(4)], rules(), {
    onViolation: (refusal) => reported.push(refusal.code),
  });
  t.same(reported, ['SOAP_NOT_ENVELOPE']);
  t.same(events, ['whole']);
  t.equal(bytes, bad.toString());
  t.end();
});

t.test('a dialect the service does not speak is a version mismatch', (t) => {
  for (const dialect of DIALECT_NAMES) {
    const others = DIALECT_NAMES.filter((name) => name !== dialect);
    const bytes = Buffer.from(
      fill('<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Body/></E:Envelope>', dialect),
    );
    t.equal(pass([bytes], rules([dialect])).refusal, null);
    t.equal(pass([bytes], rules(others)).refusal, 'VERSION_MISMATCH');
  }
  t.end();
});

t.test('multi-ref siblings pass where encoded services may be', (t) => {
  const body = (child: string): Buffer =>
    Buffer.from(
      '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><a/>' +
        `${child}</E:Body></E:Envelope>`,
    );
  const encoded = { ...rules(), multiRef: true };
  t.equal(pass([body('<multiRef id="id0"/>')], encoded).refusal, null);
  t.equal(pass([body('<multiRef/>')], encoded).refusal, 'SOAP_MULTI_BODY');
  t.equal(pass([body('<multiRef id="id0"/>')], rules()).refusal, 'SOAP_MULTI_BODY');
  t.end();
});

t.test(
  'the several children that an operation declares, in any of its forms, and their handlers',
  (t) => {
    const names = (locals: string): readonly QName[] =>
      [...locals].map((local) => ({ uri: 'urn:m', local }));
    const run = (
      sequences: readonly string[],
      children: string,
      about: Partial<ExpectedParts> & { multiRef?: boolean } = {},
    ) => {
      const { multiRef = false, ...more } = about;
      const expected = {
        sequences: sequences.map(names),
        isExact: true,
        isReadWhole: true,
        ...more,
      };
      const message =
        '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:m">' +
        `<E:Body> ${children}\n</E:Body></E:Envelope>`;
      return assertSplitsAgree(Buffer.from(message), (pieces) => {
        const events: string[] = [];
        const observer: EnvelopeObserver = {
          onHeadValid: (validator) => validator.expectParts(expected),
          openBody: () => ({
            open({ local }) {
              events.push(`<${local}>`);
              return ELEMENTS_ONLY;
            },
            close: () => events.push('/'),
            text() {},
          }),
          openMultiRef({ local }) {
            events.push(`further ${local}`);
            return null;
          },
          openDetailEntry: () => null,
        };
        const validator = new EnvelopeValidator(
          { ...rules(), multiRef },
          null,
          'no detail',
          observer,
        );
        return refusalOf(() => readXml(validator, pieces)) ?? events.join('');
      });
    };
    t.equal(run(['ab'], '<a><x/></a> <b/>'), '<Body><a><x>//<b>//');
    t.equal(run(['aa'], '<a/><a/>'), '<Body><a>/<a>//', 'the same twice');
    for (const [sequences, children] of [
      [['ab'], '<a/>'],
      [['ab'], '<a/><a/>'],
      [['ab'], '<a/><b/><b/>'],
      [['ab'], '<a/><b xmlns="urn:n"/>'],
      [['ab'], '<a/><b/><m id="1"/>'],
      [['abc'], '<a/><c/>'],
      [['ab'], '<b/><a/>'],
      [['ab', 'acd'], '<a/><c/>'],
      [['ab', 'acd'], '<a/><b/><d/>'],
    ] as const) {
      t.equal(run(sequences, children), 'SOAP_MULTI_BODY', children);
    }
    t.equal(run(['ab'], 'text<a/><b/>'), 'SOAP_STRUCTURE');
    t.equal(run(['ab'], '<a/>text<b/>'), 'SOAP_STRUCTURE');
    t.equal(run(['ab'], '<a/><E:Fault/>'), 'SOAP_STRUCTURE');
    t.equal(
      run(['ab', 'acd', 'a'], '<a/><c/><d/>'),
      '<Body><a>/<c>/<d>//',
      'what begins alike may go on differently',
    );
    t.equal(run(['ab', 'a'], '<a/>'), '<Body><a>//');
    const mayLack = { isExact: false };
    t.equal(run(['abc'], '<a/><c/>', mayLack), '<Body><a>/<c>//');
    t.equal(run(['abc'], '<a/>', mayLack), '<Body><a>//');
    t.equal(run(['abc'], '<a/><c/><b/>', mayLack), 'SOAP_MULTI_BODY');
    t.equal(run(['abc'], '<a/><b/><b/>', mayLack), 'SOAP_MULTI_BODY');
    const alone = { isReadWhole: false };
    t.equal(run(['ab', 'a'], '<a/><b/>', alone), '<a>/further b');
    const encoded = { multiRef: true };
    t.equal(run(['ab'], '<a/><b/><m id="1"/>', encoded), '<Body><a>/<b>/further m/');
    t.equal(run(['ab'], '<a/><m/><b/>', encoded), 'SOAP_MULTI_BODY');
    t.equal(run(['ab'], '<a/><m id="1"/><b/>', encoded), 'SOAP_MULTI_BODY');
    t.end();
  },
);

t.test('the service may list what it understands', (t) => {
  const block = (attributes: string): Buffer =>
    Buffer.from(
      '<E:Envelope xmlns:E="http://www.w3.org/2003/05/soap-envelope"><E:Header>' +
        `<h:B xmlns:h="urn:h" ${attributes}/></E:Header><E:Body/></E:Envelope>`,
    );
  const listing = (...names: string[]): EnvelopeRules => ({
    ...rules(),
    header: {
      ownTargets: new Set(['urn:gate']),
      understoodByGateway: new Set(),
      understoodByService: new Set(names),
      enforce: true,
      checksAddressing: true,
    },
  });
  t.equal(pass([block('E:mustUnderstand="1"')], listing('{urn:h}B')).refusal, null);
  t.equal(pass([block('E:mustUnderstand="1"')], listing()).refusal, 'MUST_UNDERSTAND');
  t.equal(pass([block('E:mustUnderstand="0"')], listing()).refusal, null);
  const ultimate = 'E:role="http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver"';
  t.equal(pass([block(`E:mustUnderstand="1" ${ultimate}`)], listing()).refusal, 'MUST_UNDERSTAND');
  t.equal(
    pass([block('E:mustUnderstand="1" E:role="urn:gate"')], listing('{urn:h}B')).refusal,
    'MUST_UNDERSTAND',
  );
  t.equal(pass([block('E:mustUnderstand="1" E:role="urn:other"')], listing()).refusal, null);
  t.end();
});
