import fc from 'fast-check';
import t from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { EnvelopeValidator } from '../../src/soap/envelope.js';
import { Gate, type GateOptions } from '../../src/soap/gate.js';
import { FreshnessChecker } from '../../src/soap/header/freshness.js';
import { type EnvelopeRules, NotUnderstood } from '../../src/soap/header/header.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { refusalOf } from '../kit/read-xml.js';
import { assertSplitsAgree, cutAt } from '../kit/splits.js';
import { fill } from '../perimeter/case-file.js';
import { ENVELOPE_RULES, SOAP } from './rules.js';

const { header: HEADER } = ENVELOPE_RULES;
const RULES: EnvelopeRules = {
  ...ENVELOPE_RULES,
  header: {
    ...HEADER,
    ownTargets: new Set(['urn:gate']),
    understoodByGateway: new Set(['{urn:h}Known']),
  },
};

function pass(pieces: readonly Uint8Array[], options: Partial<GateOptions> = {}, rules = RULES) {
  const chunks: Buffer[] = [];
  let growthBytes: number | null = null;
  const validator = new EnvelopeValidator(rules, null, 'no detail');
  const gateOptions = {
    windowBytes: SOAP.windowBytes,
    headBytes: SOAP.headerBytes,
    bufferBytes: SOAP.bufferBytes,
    onViolation: null,
    ...options,
  };
  const gate = new Gate(new XmlReader(validator, defaultsOf(XML_LIMITS)), validator, gateOptions, {
    whole: (message) => chunks.push(message),
    begin: (growth) => {
      growthBytes = growth;
    },
    data: (chunk) => chunks.push(chunk),
    end() {},
  });
  const refusal = refusalOf(() => {
    for (const piece of pieces) gate.write(Buffer.from(piece));
    gate.end();
  });
  return { bytes: Buffer.concat(chunks), growthBytes, refusal, validator };
}

/** A block of a Header, and whether it is for the gateway. */
interface Block {
  readonly text: string;
  readonly isTaken: boolean;
}

const TAKEN = [
  'E:{target}="{next}"',
  "E:{target} = ' {next}\n'",
  'E:{target}="urn:gate" E:mustUnderstand="0"',
];
const LEFT = [
  '',
  'E:mustUnderstand="1"',
  'E:{target}="urn:else"',
  '{target}="{next}"',
  'E:{target}=""',
];
/** Letters of one, two, three and four bytes in UTF-8. */
const LETTERS = fc.string({
  unit: fc.constantFrom('a', 'é', '€', '😀', ' ', '\n', ']'),
  maxLength: 8,
});

const blocks: fc.Arbitrary<Block> = fc
  .record({
    isTaken: fc.boolean(),
    which: fc.nat(),
    text: LETTERS,
    shape: fc.constantFrom('empty', 'text', 'nested', 'known'),
  })
  .map(({ isTaken, which, text, shape }) => {
    const choices = isTaken ? TAKEN : LEFT;
    const attributes = choices[which % choices.length] ?? '';
    const content =
      shape === 'nested' ? `<h:B>${text}<!--${text.replaceAll('-', '')}--></h:B>` : text;
    const open = `<h:${shape === 'known' ? 'Known' : 'B'} a="${text}" ${attributes}`;
    const name = shape === 'known' ? 'Known' : 'B';
    return { text: shape === 'empty' ? `${open}/>` : `${open}\n>${content}</h:${name} >`, isTaken };
  });

const between = fc.constantFrom('', ' ', '\r\n\t', '<!-- é😀 -->');

/** Encodings with what the message begins with in each. */
const ENCODINGS = [
  'utf-8',
  'utf-8 with mark',
  'utf-16le',
  'utf-16be',
  'iso-8859-1',
  'windows-1252',
] as const;

function encode(text: string, encoding: (typeof ENCODINGS)[number]): Buffer {
  const declared = (name: string): string => `<?xml version="1.0" encoding="${name}"?>${text}`;
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8 with mark') return Buffer.from(`\ufeff${text}`);
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${declared('utf-16')}`, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const narrow = declared(encoding).replaceAll(
    /[😀€]/gu,
    encoding === 'windows-1252' ? '\u0080' : '',
  );
  return Buffer.from(narrow, 'latin1');
}

t.test(
  'exactly the blocks for the gateway are cut out, in every encoding, ' +
    'at every cut, whole or flowing',
  (t) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DIALECT_NAMES),
        fc.constantFrom(...ENCODINGS),
        fc.array(fc.tuple(blocks, between), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.constantFrom(100, 400, SOAP.windowBytes),
        (dialect, encoding, parts, places, windowBytes) => {
          const message = (isKept: (block: Block) => boolean): Buffer => {
            const header = parts
              .map(([block, after]) => (isKept(block) ? block.text : '') + after)
              .join('');
            const whole =
              '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}" xmlns:h="urn:h"><E:Header>' +
              `${header}</E:Header><E:Body><a>é€😀</a></E:Body></E:Envelope>\n`;
            return encode(fill(whole, dialect), encoding);
          };
          const sent = message(() => true);
          const expected = message(({ isTaken }) => !isTaken);
          const { bytes, refusal, growthBytes } = pass(cutAt(sent, places), { windowBytes });
          if (refusal !== null) throw new Error(refusal);
          if (!bytes.equals(expected))
            throw new Error(`${bytes.toString()}\ninstead of ${expected.toString()}`);
          if (growthBytes !== null && growthBytes !== expected.length - sent.length)
            throw new Error('growth');
        },
      ),
      { numRuns: 1000 },
    );
    t.end();
  },
);

const header = (content: string, dialect: DialectName = '1.2'): Buffer =>
  Buffer.from(
    fill(
      `<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Header>${content}</E:Header><E:Body>` +
        '<a/></E:Body></E:Envelope>',
      dialect,
    ),
  );

t.test('the limit of the Header gives one result for every split', (t) => {
  const content = '<h:B xmlns:h="urn:h">0123456789</h:B>';
  const message = header(content);
  const end = message.indexOf('<a/>') + '<a/>'.length;
  for (const [name, headBytes, expected] of [
    ['as long as allowed', end, null],
    ['a byte less', end - 1, 'SOAP_HEADER_LIMIT'],
    ['up to the start of the tag', end - 4, 'SOAP_HEADER_LIMIT'],
    ['far less', 60, 'SOAP_HEADER_LIMIT'],
  ] as const) {
    const seen = assertSplitsAgree(
      message,
      (pieces) => pass(pieces, { headBytes, windowBytes: 10 }).refusal,
    );
    t.equal(seen, expected, name);
  }
  for (const bad of ['<h:B xmlns:h="urn:h"><x</h:B>', '<B/>', '&no;']) {
    const broken = header(`${content}${bad}`);
    const at = broken.indexOf(bad);
    for (const headBytes of [at - 1, at, at + bad.length, broken.length]) {
      assertSplitsAgree(broken, (pieces) => pass(pieces, { headBytes, windowBytes: 10 }).refusal);
    }
  }
  const empty = Buffer.from(
    fill('<E:Envelope xmlns:E="{env}"><E:Body>    </E:Body></E:Envelope>', '1.1'),
  );
  const closed = empty.indexOf('</E:Body>') + '</E:Body>'.length;
  for (const [headBytes, expected] of [
    [closed, null],
    [closed - 1, 'SOAP_HEADER_LIMIT'],
  ] as const) {
    t.equal(
      assertSplitsAgree(empty, (pieces) => pass(pieces, { headBytes }).refusal),
      expected,
      'an empty Body',
    );
  }
  t.end();
});

t.test('every block that had to be understood is named, up to a bound', (t) => {
  const unknown = (count: number): string =>
    Array.from(
      { length: count },
      (_, index) => `<h:B${index} xmlns:h="urn:h" E:mustUnderstand="1" E:role="{next}"/>`,
    ).join('');
  const named = (content: string): readonly string[] => {
    const validator = new EnvelopeValidator(RULES, null, 'no detail');
    const reader = new XmlReader(validator, defaultsOf(XML_LIMITS));
    try {
      reader.write(header(content));
    } catch (caught) {
      if (caught instanceof NotUnderstood) return caught.names.map(({ local }) => local);
      throw caught;
    }
    return [];
  };
  t.same(named(unknown(2)), ['B0', 'B1']);
  t.equal(named(unknown(60)).length, 16);
  t.same(
    named('<h:Known xmlns:h="urn:h" E:mustUnderstand="1" E:role="urn:gate"/>'),
    [],
    'what is understood is not',
  );
  t.end();
});

t.test('what WS-Addressing says is read, bounded, in both directions', (t) => {
  const wsa = 'xmlns:w="http://www.w3.org/2005/08/addressing"';
  const content =
    `<w:MessageID ${wsa}> urn:uuid:1<!-- a -->23\n</w:MessageID>` +
    `<w:RelatesTo ${wsa} RelationshipType="urn:x">urn:no</w:RelatesTo>` +
    `<w:RelatesTo ${wsa}>urn:uuid:<![CDATA[7]]></w:RelatesTo>` +
    `<w:RelatesTo ${wsa}>urn:late</w:RelatesTo><w:Action ${wsa}>urn:a&#38;b</w:Action>`;
  for (const enforce of [true, false]) {
    const rules = { ...RULES, header: { ...RULES.header, enforce, checksAddressing: enforce } };
    const { addressing } = pass([header(content)], {}, rules).validator;
    t.match(addressing, {
      messageId: 'urn:uuid:123',
      relatesTo: 'urn:uuid:7',
      action: 'urn:a&b',
      to: null,
    });
  }
  t.equal(pass([header('')]).validator.addressing, null);
  const twice = header(`<w:To ${wsa}>a</w:To><w:To ${wsa}>b</w:To>`);
  t.equal(pass([twice]).refusal, 'SOAP_STRUCTURE');
  const unchecked = { ...RULES, header: { ...RULES.header, checksAddressing: false } };
  t.equal(pass([twice], {}, unchecked).refusal, null, 'a reply, and where it is switched off');
  t.equal(pass([twice], {}, unchecked).validator.addressing?.to, null, 'one of two is not chosen');
  t.equal(
    pass([header(`<w:MessageID ${wsa}>${'x'.repeat(1025)}</w:MessageID>`)]).refusal,
    'SOAP_HEADER_LIMIT',
  );
  t.end();
});

t.test('where the answer shall go is read in every version of WS-Addressing', (t) => {
  const last = 'http://www.w3.org/2005/08/addressing';
  const versions = ['2003/03', '2004/03', '2004/08'].map(
    (date) => `http://schemas.xmlsoap.org/ws/${date}/addressing`,
  );
  for (const uri of [last, ...versions]) {
    const anonymous = uri === last ? `${uri}/anonymous` : `${uri}/role/anonymous`;
    for (const [address, expected] of [
      [`<w:Address> ${anonymous} </w:Address>`, false],
      ['<w:Address>http://elsewhere.example/</w:Address>', true],
      [`<w:Address>${anonymous}<!-- -->/x</w:Address>`, true],
      [`<x:Address xmlns:x="urn:x">${anonymous}</x:Address>`, true],
      [`<w:Other><w:Address>${anonymous}</w:Address></w:Other>`, true],
      ['', true],
    ] as const) {
      for (const block of ['ReplyTo', 'FaultTo']) {
        const { validator } = pass([
          header(`<w:${block} xmlns:w="${uri}">${address}</w:${block}>`),
        ]);
        t.equal(
          validator.addressing?.hasOtherReplyAddress,
          expected,
          `${uri}: ${block} ${address}`,
        );
      }
    }
  }
  t.end();
});

t.test('replies pass with whatever their blocks say', (t) => {
  const rules = { ...RULES, header: { ...RULES.header, enforce: false } };
  const message = header(
    '<h:B xmlns:h="urn:h" E:role="{next}" E:mustUnderstand="1"/>' +
      '<h:B xmlns:h="urn:h" E:encodingStyle="urn:x"/>',
  );
  const { bytes, refusal } = pass([message], {}, rules);
  t.equal(refusal, null);
  t.same(bytes, message);
  t.end();
});

t.test('the Ids of a message are bounded', (t) => {
  const wsu =
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"';
  const ids = (count: number): Buffer =>
    header(
      `<h:B xmlns:h="urn:h" ${wsu}>${Array.from(
        { length: count },
        (_, index) => `<h:C \
u:Id="i${index}"/>`,
      ).join('')}` + '</h:B>',
    );
  t.equal(pass([ids(20)], {}, { ...RULES, idsMax: 20 }).refusal, null);
  t.equal(pass([ids(21)], {}, { ...RULES, idsMax: 20 }).refusal, 'WSSE_STRUCTURE');
  t.end();
});

t.test(
  'nonces are remembered for as long as they may come again, and no more of them than allowed',
  (t) => {
    const windowMillis = 300_000;
    const freshness = new FreshnessChecker({
      timestamps: false,
      nonces: true,
      windowMillis,
      noncesMax: 100,
    });
    const check = (nonce: string, nowMillis: number, madeMillis = nowMillis): string | null => {
      const created = new Date(madeMillis).toISOString();
      try {
        freshness.check([{ kind: 'UsernameToken', created, expires: null, nonce }], nowMillis);
        return null;
      } catch (caught) {
        return caught instanceof Refusal ? caught.code : 'bug';
      }
    };
    const start = Date.parse('2026-01-01T00:00:00Z');
    t.equal(check('a', start, start + windowMillis), null, 'made by a clock that runs ahead');
    t.equal(
      check('a', start + 2 * windowMillis - 1, start + windowMillis),
      'wsse:FailedAuthentication',
      'as late as it can come',
    );
    t.equal(check('a', start + 2 * windowMillis + 1, start + windowMillis), 'wsse:MessageExpired');
    t.equal(check(' a ', start + 2 * windowMillis + 1), null, 'a new token may have it then');
    for (let index = 0; index < 99; index++) check(`b${index}`, start + 2 * windowMillis + 2);
    t.equal(
      check('a', start + 2 * windowMillis + 3),
      'wsse:FailedAuthentication',
      'a hundred are remembered',
    );
    check('c', start + 2 * windowMillis + 3);
    t.equal(check('a', start + 2 * windowMillis + 4), null, 'more push the oldest out');
    t.end();
  },
);

t.test('a nonce is the same however its bytes are written, and others are others', (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const created = new Date(now).toISOString();
  const memory = (): ((nonce: string) => boolean) => {
    const freshness = new FreshnessChecker({
      timestamps: false,
      nonces: true,
      windowMillis: 300_000,
      noncesMax: 1000,
    });
    return (nonce) => {
      try {
        freshness.check([{ kind: 'UsernameToken', created, expires: null, nonce }], now);
        return true;
      } catch (caught) {
        t.equal(caught instanceof Refusal ? caught.code : caught, 'wsse:FailedAuthentication');
        return false;
      }
    };
  };
  const bytes = Buffer.from('fbef be12 3456 789a bcde f012 3456 78ff'.replaceAll(' ', ''), 'hex');
  for (const length of [4, 14, 15, 16]) {
    const first = bytes.subarray(0, length).toString('base64');
    const letters = first.replace(/=+$/, '');
    const spare =
      `${letters.slice(0, -1)}` +
      `${String.fromCharCode(letters.charCodeAt(letters.length - 1) + 1)}`;
    const anew = [
      first,
      ` ${first}\n`,
      `${first.slice(0, 5)} ${first.slice(5)}`,
      `${first.slice(0, 5)}\r\n\t${first.slice(5)}`,
      letters,
      `${letters}=`,
      `${letters}===`,
      `${letters}=AAAA`,
      `${letters}\u00a0`,
      `!${letters}`,
      `${letters.slice(0, 3)}.${letters.slice(3)}`,
      letters.replaceAll('+', '-').replaceAll('/', '_'),
      `${letters.replaceAll('+', '-').replaceAll('/', '_')}==`,
      ...(length === 15
        ? [`${letters}A`]
        : [spare, `${spare}==`, `${spare}=`, `${spare.slice(0, 4)} *${spare.slice(4)}`]),
    ];
    for (const again of anew) {
      const isNew = memory();
      t.ok(isNew(first));
      t.notOk(isNew(again), `${first}, then ${JSON.stringify(again)}`);
      t.ok(isNew(bytes.subarray(1).toString('base64')), 'another');
    }
    const isNew = memory();
    if (length !== 15) {
      const reversed = memory();
      t.ok(reversed(spare.padEnd(first.length, '=')), 'with other spare bits');
      t.notOk(reversed(first), 'then without');
    }
    t.ok(isNew(letters), 'without padding');
    t.notOk(isNew(first), 'then with it');
    if (length > 12)
      for (const again of anew) t.notOk(isNew(again), `${letters}, then ${JSON.stringify(again)}`);
  }
  const isNew = memory();
  const texts = [
    'n1',
    'n2',
    'n3',
    'n10',
    'n11',
    'n12',
    'abc',
    'abd',
    'n 1.1',
    'n 1.2',
    '1732196826',
    '1732196827',
    '1732196826123',
    '1732196826124',
  ];
  for (const text of [...texts, 'nonce-1732196826123', 'nonce-1732196826124', 'é', 'ü', ''])
    t.ok(isNew(text), text);
  for (const text of [...texts, 'nonce-1732196826123', 'é', '', ' '])
    t.notOk(isNew(text), `${text} again`);
  t.end();
});

t.test('every dialect has its own name for whom a block is for', (t) => {
  for (const dialect of DIALECT_NAMES) {
    const row = DIALECTS[dialect];
    const foreign = row.targetAttribute === 'role' ? 'actor' : 'role';
    const message = header(
      `<h:B xmlns:h="urn:h" E:${foreign}="{next}" E:mustUnderstand="1"/>`,
      dialect,
    );
    t.equal(pass([message]).refusal, null, `${dialect}: ${foreign} means nothing`);
    t.same(pass([message]).bytes, message);
  }
  t.end();
});
