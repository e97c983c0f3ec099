import { deepStrictEqual as same } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import { DIALECT_NAMES, DIALECTS, type Dialect, type DialectName } from '../../src/soap/dialect.js';
import { type EnvelopeObserver, EnvelopeValidator } from '../../src/soap/envelope.js';
import { Gate } from '../../src/soap/gate.js';
import { ALL, type Interest, type StartTag, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { refusalOf } from '../kit/read-xml.js';
import { assertSplitsAgree, cutAt } from '../kit/splits.js';
import { anyMessage } from './bridged-messages.js';
import { ENVELOPE_RULES, SOAP } from './rules.js';

/** Messages that a bridge puts into another version keep their meaning, there and back. */

/** Rules of a message that no node on the way takes blocks out of. */
const RULES = { ...ENVELOPE_RULES, header: { ...ENVELOPE_RULES.header, enforce: false } };

/** Lets Body have several children, each of the name that it was generated with. */
const SEVERAL: EnvelopeObserver = {
  onHeadValid: (validator) => {
    const { operation } = validator;
    if (operation === null || !operation.local.startsWith('Op')) return;
    const { uri } = operation;
    const sequence = ['Op', 'Op2', 'Op3'].map((local) => ({ uri, local }));
    validator.expectParts({ sequences: [sequence], isExact: false, isReadWhole: false });
  },
  openBody: () => null,
};

/** The message in another dialect. Throws the refusal of one that cannot be put into it. */
function translated(pieces: readonly Uint8Array[], to: Dialect, windowBytes: number): Buffer {
  const chunks: Buffer[] = [];
  const validator = new EnvelopeValidator({ ...RULES, multiRef: true }, null, 'all', SEVERAL);
  validator.bridgeTo = () => to;
  const gate = new Gate(
    new XmlReader(validator, defaultsOf(XML_LIMITS)),
    validator,
    {
      windowBytes,
      headBytes: SOAP.headerBytes,
      bufferBytes: SOAP.bufferBytes,
      onViolation: null,
    },
    {
      whole: (message) => chunks.push(message),
      begin: () => {},
      data: (chunk) => chunks.push(chunk),
      end: () => {},
    },
  );
  for (const piece of pieces) gate.write(Buffer.from(piece));
  gate.end();
  return Buffer.concat(chunks);
}

/** An attribute of the envelope, in the words of SOAP 1.2; null for one that says nothing. */
function neutral(local: string, value: string, from: Dialect): string | null {
  const { targetAttribute, ultimateTarget, envelopeUri, hasRelay } = from;
  if (local === 'encodingStyle' || (local === 'relay' && hasRelay)) return null;
  if (local === 'mustUnderstand') return `mustUnderstand=${/^(?:1|true)$/.test(value.trim())}`;
  if (local !== targetAttribute) return `{${envelopeUri}}${local}=${value}`;
  const target = value.trim();
  return target === '' || target === ultimateTarget ? null : `role=${target.replace(/.*\//, '')}`;
}

/** Namespaces by prefix. */
type Scope = ReadonlyMap<string, string>;

/** The meaning of a message: names and values, with the bindings that content may use. */
class Meaning implements XmlHandler {
  readonly events: string[] = [];
  #dialect: Dialect | null = null;
  readonly #scopes: Scope[] = [];
  #text = '';

  open(tag: StartTag): Interest {
    this.#endText();
    this.#dialect ??=
      DIALECT_NAMES.map((name): Dialect => DIALECTS[name]).find(
        ({ envelopeUri }) => envelopeUri === tag.uri,
      ) ?? null;
    const dialect = this.#dialect;
    const bindings = tag.written?.namespacesInScope() ?? [];
    const scope: Scope = new Map(bindings.map(({ prefix, uri }) => [prefix, uri]));
    const isOwn = tag.depth <= 2;
    const attributes: string[] = [];
    for (let at = 0; at < tag.attributeCount; at++) {
      const uri = tag.attributeUri(at);
      const local = tag.attributeLocal(at);
      const value = tag.attributeValue(at);
      const isOfEnvelope = dialect !== null && uri === dialect.envelopeUri && tag.depth <= 3;
      const meant = isOfEnvelope
        ? neutral(local, value, dialect)
        : `{${uri}}${local}=${meantBy(value, scope)}`;
      if (meant !== null) attributes.push(meant);
    }
    this.events.push(`<${isOwn ? '' : `{${tag.uri}}`}${tag.local} ${attributes.sort().join(' ')}>`);
    this.#scopes.push(scope);
    return ALL;
  }

  close(): void {
    this.#endText();
    this.#scopes.pop();
    this.events.push('/');
  }

  text(chars: string): void {
    this.#text += chars;
  }

  #endText(): void {
    const scope = this.#scopes.at(-1);
    if (this.#text !== '' && scope !== undefined) {
      this.events.push(`text ${meantBy(this.#text, scope)}`);
    }
    this.#text = '';
  }
}

/** The text, with the namespaces of the prefixes in it. */
const meantBy = (text: string, scope: Scope): string =>
  text.replaceAll(/[\p{L}_][\p{L}\p{N}_.-]*:/gu, (name) => {
    const uri = scope.get(name.slice(0, -1));
    return uri === undefined ? name : `${name}{${uri}}`;
  });

function meaningOf(message: Uint8Array): readonly string[] {
  const meaning = new Meaning();
  const reader = new XmlReader(meaning, defaultsOf(XML_LIMITS));
  reader.write(message);
  reader.end();
  return meaning.events;
}

const others = (name: DialectName): readonly Dialect[] =>
  DIALECT_NAMES.filter((each) => each !== name).map((each): Dialect => DIALECTS[each]);

/** There in another dialect, and back in the first. */
function checkThereAndBack(t: Test, name: string, message: Buffer, from: Dialect): void {
  for (const to of others(from.name)) {
    for (const windowBytes of [SOAP.windowBytes, 0]) {
      const there = translated([message], to, windowBytes);
      t.same(meaningOf(there), meaningOf(message), `${name} in ${to.name}, window ${windowBytes}`);
      const back = translated([there], from, windowBytes);
      t.same(meaningOf(back), meaningOf(message), `${name} from ${to.name}, window ${windowBytes}`);
    }
  }
}

const CORPUS = '../shared/corpora/soap';

interface Sample {
  readonly file: string;
  readonly soap?: '1.1' | '1.2';
  readonly structure: 'accept' | 'reject';
}

t.test(
  'messages of others are the same there and back',
  existsSync(CORPUS) ? {} : { skip: `${CORPUS} is not here: it is not part of the repository` },
  async (t) => {
    const samples: readonly Sample[] = JSON.parse(readFileSync(join(CORPUS, 'index.json'), 'utf8'));
    let checked = 0;
    for (const { file, soap, structure } of samples) {
      const message = readFileSync(join(CORPUS, file));
      const from = DIALECTS[soap ?? (message.includes('soap-envelope') ? '1.2' : '1.1')];
      // Faults are translated by their parts, and are held whole for it.
      if (structure !== 'accept' || /<(?:[\w-]+:)?Fault[ >]/.test(message.toString('latin1'))) {
        continue;
      }
      const refusal = refusalOf(() => translated([message], DIALECTS['2001-12'], 0));
      if (refusal !== null) continue;
      checkThereAndBack(t, file, message, from);
      checked++;
    }
    t.ok(checked >= 80, `${checked} messages`);
  },
);

const OLD = DIALECTS['1.1'].envelopeUri;

const WRITTEN: Readonly<Record<string, string>> = {
  'a usual message': `<?xml version="1.0"?>\n<s:Envelope xmlns:s='${OLD}'>\n<s:Header>\
<h:A xmlns:h="urn:h" s:mustUnderstand = '1' s:actor="urn:a"/></s:Header><s:Body>\n<m:G \
xmlns:m="urn:m">ü</m:G>\n</s:Body></s:Envelope>`,
  'prefixes in content': `<s:Envelope xmlns:s="${OLD}"><s:Header><h:A xmlns:h="urn:h" \
s:actor="urn:a">s:x</h:A></s:Header><s:Body><m a="s:b"><n>s:Client</n><o xmlns:s="urn:o">s:y</o>\
</m></s:Body></s:Envelope>`,
  'several prefixes': `<a:Envelope xmlns:a="${OLD}" xmlns:b="${OLD}" xmlns="${OLD}"><b:Header>\
<h:A xmlns:h="urn:h" a:actor="urn:a" b:mustUnderstand="0"/></b:Header><Body><m xmlns="">b:x</m>\
</Body></a:Envelope>`,
  'content of the namespace of the envelope': `<s:Envelope xmlns:s="${OLD}"><s:Body><m>\
<s:Envelope><s:Body s:encodingStyle="x"/></s:Envelope></m></s:Body></s:Envelope>`,
  'no prefix': `<Envelope xmlns="${OLD}"><Header/><Body><G><a/></G></Body></Envelope>`,
  'an empty Body': `<s:Envelope xmlns:s="${OLD}"><s:Body/></s:Envelope>`,
  'declarations in blocks': `<s:Envelope xmlns:s="${OLD}"><s:Header><h:A xmlns:h="urn:h" \
xmlns:q="${OLD}" q:actor="urn:a">q:v</h:A><h:A xmlns:h="urn:h" \
xmlns:q="${OLD}" q:mustUnderstand="0"/></s:Header><s:Body><m xmlns:q="${OLD}">q:v</m></s:Body>\
</s:Envelope>`,
  'prefixes in references and between markup': `<s:Envelope xmlns:s="${OLD}"><s:Header><h:A \
xmlns:h="urn:h" b="&#x73;:x"/></s:Header><s:Body><m><n>&#115;:x</n></m></s:Body></s:Envelope>`,
  'a reference with zeros': `<so:Envelope xmlns:so="${OLD}"><so:Body><m a="s&#x006F;:x">y</m></so:Body>\
</so:Envelope>`,
  'a colon in a reference': `<s:Envelope xmlns:s="${OLD}"><s:Body><m>s&#58;x</m></s:Body>\
</s:Envelope>`,
  'a prefix in CDATA': `<s:Envelope xmlns:s="${OLD}"><s:Body><m>s<![CDATA[:x]]></m></s:Body>\
</s:Envelope>`,
  'a prefix before CDATA and a comment': `<so:Envelope xmlns:so="${OLD}"><so:Body><m>\
<![CDATA[s]]>o:x</m></so:Body></so:Envelope>`,
  'a comment in a prefix': `<so:Envelope xmlns:so="${OLD}"><so:Body><m>s<!-- c -->o:x</m></so:Body>\
</so:Envelope>`,
  'prefixes by which the gateway declares its own': `<s:Envelope xmlns:s="${OLD}" \
xmlns:soap-encoding="urn:e"><s:Header><h:A xmlns:h="urn:h" xmlns:soap-bridge="urn:b" \
s:mustUnderstand="0" soap-bridge:a="b">s:x</h:A></s:Header><s:Body><m>soap-encoding:x</m></s:Body>\
</s:Envelope>`,
  'prefixes that end alike': `<ns:Envelope xmlns:ns="${OLD}" xmlns:xns="urn:x"><ns:Body>\
<m>xns:v</m></ns:Body></ns:Envelope>`,
  'names beyond ASCII': `<é:Envelope xmlns:é="${OLD}"><é:Header><h:ü \
xmlns:h="urn:h" é:actor="ö" à="&#228;&lt;"/></é:Header><é:Body><m>é:v</m></é:Body></é:Envelope>`,
};

t.test('written messages are the same there and back', async (t) => {
  for (const [name, text] of Object.entries(WRITTEN)) {
    checkThereAndBack(t, name, Buffer.from(text), DIALECTS['1.1']);
  }
});

t.test('the cuts of the bytes change nothing', async (t) => {
  for (const [name, text] of Object.entries(WRITTEN)) {
    for (const windowBytes of [SOAP.windowBytes, 64]) {
      t.doesNotThrow(() => {
        assertSplitsAgree(Buffer.from(text), (pieces) =>
          translated(pieces, DIALECTS['1.2'], windowBytes).toString(),
        );
      }, name);
    }
  }
});

t.test('content that needs nothing keeps its bytes', async (t) => {
  const content = `<m:G xmlns:m="urn:m" a = 'b&#xE4;' >ü! M&#252;ller #1<![CDATA[<&#99999999;]]><!-- c --></m:G >`;
  const text = `<s:Envelope xmlns:s="${OLD}"><s:Body>${content}</s:Body></s:Envelope >`;
  const there = translated([Buffer.from(text)], DIALECTS['1.2'], SOAP.windowBytes).toString();
  t.equal(there, text.replace(OLD, DIALECTS['1.2'].envelopeUri));
});

t.test('generated messages are the same there and back, whatever the cuts', async (t) => {
  const choices = fc.record({
    message: anyMessage,
    to: fc.nat(1),
    windowBytes: fc.constantFrom(0, 64, 300, SOAP.windowBytes),
    cuts: fc.array(fc.nat(), { maxLength: 12 }),
    isWide: fc.boolean(),
  });
  fc.assert(
    fc.property(choices, ({ message, to, windowBytes, cuts, isWide }) => {
      const { from, text } = message;
      const [other = DIALECTS['1.1']] = others(from.name).slice(to);
      const bytes = isWide ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text);
      const meant = meaningOf(bytes);
      const there = translated(cutAt(bytes, cuts), other, windowBytes);
      same(meaningOf(there), meant, 'there');
      const back = translated(cutAt(there, cuts), from, windowBytes);
      same(meaningOf(back), meant, 'back');
    }),
    { numRuns: 500 },
  );
  t.pass('500 messages');
});
