import t from 'tap';
import { REFUSAL_CODES, REFUSALS } from '../../src/config/refusal-tables.js';
import { asUpstream, Refusal, refuseByLimit } from '../../src/core/refusals/refusal.js';
import { kindOf, type RefusalCode } from '../../src/core/refusals/refusals.js';
import { hasFault, wireStatus } from '../../src/core/refusals/wire-status.js';
import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { EnvelopeValidator } from '../../src/soap/envelope.js';
import { type FaultParts, type FaultWants, SoapFaultError } from '../../src/soap/fault/fault.js';
import { faultCodeOf, printFault } from '../../src/soap/fault/print-fault.js';
import { NotUnderstood } from '../../src/soap/header/header.js';
import { readXml, refusalOf } from '../kit/read-xml.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { ENVELOPE_RULES } from './rules.js';

const { header } = ENVELOPE_RULES;
const RULES = { ...ENVELOPE_RULES, header: { ...header, enforce: false, checksAddressing: false } };

/** What a message's Fault says, or the code of the refusal, or null for no Fault. */
function read(pieces: readonly Uint8Array[], wants: FaultWants): FaultParts | string | null {
  const validator = new EnvelopeValidator(RULES, null, wants);
  return refusalOf(() => readXml(validator, pieces)) ?? validator.fault?.parts ?? null;
}

const envelope = (dialect: DialectName, fault: string): Buffer => {
  const { envelopeUri, encodingUri } = DIALECTS[dialect];
  return Buffer.from(
    `<E:Envelope xmlns:E="${envelopeUri}" E:encodingStyle="${encodingUri}"><E:Body><E:Fault>` +
      `${fault}</E:Fault></E:Body></E:Envelope>`,
  );
};

const readFault = (
  dialect: DialectName,
  fault: string,
  wants: FaultWants = 'all',
): FaultParts | string | null =>
  assertSplitsAgree(envelope(dialect, fault), (pieces) => read(pieces, wants));

const quickly = (dialect: DialectName, fault: string, wants: FaultWants = 'all'): FaultParts => {
  const parts = read([envelope(dialect, fault)], wants);
  if (parts === null || typeof parts === 'string') throw new Error(`no Fault: ${parts}`);
  return parts;
};

const OLD = `<faultcode>E:Client.BadSku</faultcode><faultstring xml:lang="en"> no &amp; \
<![CDATA[<b>]]> </faultstring>
  <faultactor>urn:actor</faultactor><detail><m:bad xmlns:m="urn:m" code="7"><sku>A1</sku>\
<sku>B2</sku><deep><er>x</er></deep><none/></m:bad></detail>`;
const NEW = `<E:Code><E:Value>E:Sender</E:Value><E:Subcode>\
<E:Value xmlns:m="urn:m">m:BadSku</E:Value>
  <E:Subcode><E:Value>m:Worse</E:Value></E:Subcode></E:Subcode></E:Code>
  <E:Reason><E:Text xml:lang="en">no</E:Text><E:Text xml:lang="de">nein</E:Text></E:Reason>
  <E:Node>urn:node</E:Node><E:Role>urn:role</E:Role><E:Detail><m:bad xmlns:m="urn:m">\
<sku>A1</sku></m:bad></E:Detail>`;

t.test('a Fault in its older form', async (t) => {
  const detail = { bad: { sku: ['A1', 'B2'], deep: { er: 'x' }, none: '' } };
  const parts = {
    code: 'Client.BadSku',
    subcode: null,
    string: 'no & <b>',
    actor: 'urn:actor',
    detail,
  };
  t.same(readFault('1.1', OLD), parts);
  t.same(readFault('1.2', OLD), parts, 'some stacks put it into an envelope of 1.2');
  t.equal(readFault('2001-12', OLD), 'SOAP_FAULT_CODE', 'the first dialect has four bare codes');
  for (const code of ['Client', 'Server', 'MustUnderstand', 'VersionMismatch', ' Server\n']) {
    const bare = readFault(
      '2001-12',
      `<faultcode>${code}</faultcode><faultstring>no</faultstring>`,
    );
    t.match(bare, { code: code.trim(), string: 'no', detail: null });
  }
});

t.test('a Fault in its newer form: the outermost subcode, the first reason', async (t) => {
  const parts = {
    code: 'Sender',
    subcode: 'BadSku',
    string: 'no',
    actor: 'urn:role',
    detail: { bad: { sku: 'A1' } },
  };
  t.same(readFault('1.2', NEW), parts);
  t.same(readFault('1.1', NEW), parts);
});

t.test('Faults as odd as they come are still Faults', async (t) => {
  const nothing = { code: '', subcode: null, string: '', actor: null, detail: null };
  t.same(readFault('1.1', ''), nothing, 'an empty one');
  t.same(readFault('1.1', '<faultcode/><faultstring/><detail/>'), nothing, 'empty parts');
  t.same(readFault('1.1', '<detail>only text</detail>'), nothing, 'text in detail');
  t.same(
    readFault('1.1', '<other><faultcode>x</faultcode></other>'),
    nothing,
    'parts where they do not belong',
  );
  t.same(
    readFault('1.2', '<E:Reason><E:x><E:Text>no</E:Text></E:x></E:Reason><E:Value>x</E:Value>'),
    nothing,
  );
  t.match(readFault('1.1', '<faultcode>wsse:FailedAuthentication</faultcode>'), {
    code: 'FailedAuthentication',
  });
  t.match(
    readFault('1.2', '<E:Code><E:Value>Sender</E:Value></E:Code>'),
    { code: 'Sender' },
    'without prefix',
  );
  t.match(
    readFault(
      '1.1',
      '<faultstring>a<!-- b -->c</faultstring><detail><a/></detail><detail><b/></detail>',
    ),
    { string: 'ac', detail: { a: '' } },
    'the first detail counts',
  );
  t.equal(
    readFault('1.1', '<faultstring>a<b/></faultstring>'),
    'SOAP_STRUCTURE',
    'elements in a text',
  );
  t.equal(readFault('1.2', '<E:Code><E:Value><a/></E:Value></E:Code>'), 'SOAP_STRUCTURE');
});

t.test('of the detail only what is wanted is read', async (t) => {
  const fault =
    '<detail><a><secret>1</secret></a><stackTrace><a>2</a></stackTrace><b>3</b></detail>';
  t.same(readFault('1.1', fault, 'no detail'), {
    code: '',
    subcode: null,
    string: '',
    actor: null,
    detail: null,
  });
  t.match(readFault('1.1', fault, { policy: 'declared', declared: new Set(['a']) }), {
    detail: { a: { secret: '1' } },
  });
  t.notOk(
    'stackTrace' in
      (quickly('1.1', fault, { policy: 'declared', declared: new Set(['a']) }).detail ?? {}),
  );
  t.equal(
    quickly('1.1', fault, { policy: 'declared', declared: new Set(['c']) }).detail,
    null,
    'nothing of it is wanted',
  );
});

t.test('a detail is bounded in elements and in text', async (t) => {
  const many = quickly(
    '1.1',
    `<detail><l>${'<i>x</i>'.repeat(5000)}</l><after>y</after></detail>`,
  ).detail;
  const list = many?.['l'];
  t.ok(
    typeof list === 'object' && 'i' in list && Array.isArray(list['i']) && list['i'].length === 999,
    'elements',
  );
  t.notOk('after' in (many ?? {}));
  const wide = quickly(
    '1.1',
    `<detail>${`<i>${'x'.repeat(1000)}</i>`.repeat(500)}</detail>`,
  ).detail;
  t.ok(JSON.stringify(wide).length < 70_000, 'text');
  const deep = quickly('1.1', `<detail>${'<i>'.repeat(90)}x${'</i>'.repeat(90)}</detail>`).detail;
  t.match(JSON.stringify(deep), /^(?:\{"i":){90}"x"\}{90}$/);
});

t.test('names of prototypes are names like any other', async (t) => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length'];
  const inner = names
    .map((name) => `<${name}>a</${name}><${name}><polluted>b</polluted></${name}>`)
    .join('');
  const { detail } = quickly('1.1', `<detail>${inner}</detail>`);
  t.same(Object.keys(detail ?? {}), names);
  for (const name of names) t.equal(JSON.stringify(detail?.[name]), '["a",{"polluted":"b"}]', name);
  t.notOk('polluted' in {});
  t.equal(Object.getPrototypeOf(detail), null);
});

t.test('an error made of a Fault keeps its parts and says nothing of them by itself', async (t) => {
  const fault = quickly('1.1', OLD);
  const error = new SoapFaultError(fault);
  t.equal(error.code, 'SOAP_FAULT');
  t.equal(error.fault, fault);
  t.notMatch(`${error.message} ${error.detail}`, 'no &');
});

t.test(
  'the Faults of the gateway pass its own validator, in every dialect and for every refusal',
  async (t) => {
    const spoken = DIALECT_NAMES.map((name) => DIALECTS[name]);
    for (const name of DIALECT_NAMES) {
      const dialect = DIALECTS[name];
      for (const code of Object.keys(REFUSALS) as RefusalCode[]) {
        const refusal = new Refusal(code, 'not for the caller');
        const printed = printFault(dialect, refusal, { id: 'id-1', spoken, isExplained: false });
        const parts = read([printed], 'all');
        const expected = {
          code:
            refusal.kind.isSecurityFault === true && name === '1.1'
              ? code.replace('wsse:', '')
              : faultCodeOf(dialect, refusal),
          string: refusal.message,
          detail: { error: { code, id: 'id-1' } },
        };
        t.match(parts, expected, `${name} ${code}`);
        t.match(
          printed.toString(),
          `<error xmlns="urn:soapstone:error" code="${code}" id="id-1"><code>` +
            `${code}</code><id>id-1</id></error>`,
        );
        t.notMatch(printed.toString(), 'not for the caller');
        if (!hasFault(refusal, dialect) || code === 'CLIENT_GONE') continue;
        t.equal(wireStatus(refusal, dialect), expected.code === 'Sender' ? 400 : 500);
      }
    }
    const bare = { id: 'id', spoken, isExplained: false };
    const mismatch = printFault(DIALECTS['1.2'], new Refusal('VERSION_MISMATCH'), bare).toString();
    for (const { envelopeUri } of spoken)
      t.match(mismatch, `"${envelopeUri}"`, 'the versions that are spoken');
    t.notMatch(
      printFault(DIALECTS['1.1'], new Refusal('VERSION_MISMATCH'), bare).toString(),
      'Upgrade',
    );
    const hostile = printFault(DIALECTS['1.1'], new Refusal('INTERNAL'), { ...bare, id: '"><x/>' });
    t.not(typeof read([hostile], 'all'), 'string', 'an id cannot become markup');
  },
);

t.test('an explained Fault says what was wrong, for people and for programs', (t) => {
  const refusal = new Refusal('UNKNOWN_OPERATION', null, {
    found: 'for the log',
    facts: { elements: [{ uri: 'urn:a&b', local: 'Get' }], offsetBytes: 212 },
  });
  refusal.locate({ line: 5, byte: 212 });
  for (const name of DIALECT_NAMES) {
    const parts = read([explained(name, refusal)], 'all');
    const string =
      'The service has no such operation: {urn:a&b}Get, at line 5, byte 212. ' +
      'Send the request element of an operation in Body, in the namespace that the WSDL gives it.';
    t.match(parts, {
      string,
      detail: {
        error: { code: 'UNKNOWN_OPERATION', element: '{urn:a&b}Get', line: '5', byte: '212' },
      },
    });
  }
  t.match(
    explained('1.1', refusal).toString(),
    ' element="{urn:a&amp;b}Get" line="5" byte="212"><code>UNKNOWN_OPERATION</code><id>id</id>' +
      '<element>{urn:a&amp;b}Get</element><line>5</line><byte>212</byte></error>',
  );
  const two = new NotUnderstood([
    { uri: 'urn:a', local: 'A' },
    { uri: 'urn:b', local: 'B' },
  ]);
  t.match(explained('1.1', two).toString(), 'not understood: {urn:a}A and {urn:b}B. Remove');
  t.match(
    explained('1.1', two).toString(),
    / element="\{urn:a\}A \{urn:b\}B">.*<element>\{urn:a\}A<\/element><element>/,
  );
  const deep = refuseByLimit('XML_DEPTH_LIMIT', 'limits.xml.depth', 100);
  t.match(
    explained('1.1', deep).toString(),
    'more elements than allowed: limits.xml.depth is 100. Nest',
  );
  t.match(explained('1.1', deep).toString(), ' limit="limits.xml.depth" max="100">');
  t.end();
});

t.test('a name that is shown has at most 128 characters, and none that could hide others', (t) => {
  const shown = (action: string): string => {
    const refusal = new Refusal('ACTION_MISMATCH', null, { facts: { action } });
    return /<action>(.*)<\/action>/s.exec(explained('1.1', refusal).toString())?.[1] ?? '';
  };
  t.equal(shown('x'.repeat(128)), 'x'.repeat(128));
  t.equal(shown('x'.repeat(129)), `${'x'.repeat(125)}...`);
  t.equal(shown('\u{1f600}'.repeat(128)), '\u{1f600}'.repeat(128), 'characters, not code units');
  t.equal([...shown('\u{1f600}'.repeat(10_000))].length, 128);
  t.equal(shown('a\u202eb\u0007c\nd\ud800e\u2028f\ufffeg'), 'a?b?c?d?e?f?g');
  t.equal(shown('"></action><x>'), '"&gt;&lt;/action&gt;&lt;x&gt;');
  t.end();
});

t.test('a refusal tells no fact that the row of its code does not have', (t) => {
  const facts = {
    offsetBytes: 1,
    path: '/secret-path',
    elements: [{ uri: 'secret-uri', local: 'secret-local' }],
    action: 'secret-action',
    expected: ['secret-expected'],
  };
  for (const code of REFUSAL_CODES) {
    const refusal = new Refusal(code, 'secret-rule', {
      found: 'secret-found',
      limit: { key: 'secret-limit', value: 1 },
      retryAfter: '86399',
      facts,
    });
    const text = explained('1.1', refusal).toString();
    const tells = kindOf(code).shows ?? [];
    t.notMatch(text, 'secret-found', code);
    t.equal(text.includes('secret-rule'), tells.includes('rule'), code);
    t.equal(text.includes('secret-local'), tells.includes('elements'), code);
    t.equal(text.includes('secret-action'), tells.includes('action'), code);
    t.equal(text.includes('secret-expected'), tells.includes('expected'), code);
    t.equal(text.includes('secret-limit'), tells.includes('limit'), code);
    t.equal(text.includes('86399'), tells.includes('retryAfter'), code);
    if (kindOf(code).blame === 'upstream')
      t.notMatch(text, 'secret', `${code}: nothing of a backend`);
    t.notMatch(
      printFault(DIALECTS['1.1'], refusal, { id: 'id', spoken: [], isExplained: false }).toString(),
      'secret',
    );
    t.notMatch(
      explained(
        '1.1',
        asUpstream(new Refusal('XML_DTD_FORBIDDEN', 'secret', { facts })),
      ).toString(),
      'secret',
    );
  }
  t.end();
});

const explained = (name: DialectName, refusal: Refusal): Buffer =>
  printFault(DIALECTS[name], refusal, { id: 'id', spoken: [], isExplained: true });
