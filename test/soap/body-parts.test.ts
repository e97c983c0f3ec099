import assert from 'node:assert';
import { Buffer } from 'node:buffer';
import t from 'tap';

import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import { defaultsOf } from '../../src/core/limit.js';
import type { RefusalCode } from '../../src/core/refusals/refusals.js';
import { EnvelopeValidator } from '../../src/soap/envelope.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { SOAP_11 } from '../kit/envelope.js';
import { refusalOf } from '../kit/read-xml.js';
import { splitsOf } from '../kit/splits.js';
import { echoWsdl, modelOf } from '../wsdl/written.js';
import { ENVELOPE_RULES } from './rules.js';

/**
 * A Body of several parts is one element for its validator, and each part a child of Body for the
 * envelope, also where WebAssembly passes over their content.
 */

const named = (local: string) => ({ uri: 'urn:t', local });
const PARTS = {
  sequences: [['Search', 'Page', 'Tag'].map(named)],
  isExact: true,
  isReadWhole: true,
};
const OPTIONS = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };
const FRAMES = new FramePool();

const row = (name: string, content: string): string =>
  `<xs:element name="${name}"><xs:complexType><xs:sequence>${content}</xs:sequence>
</xs:complexType></xs:element>`;
const XSD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"
targetNamespace="urn:t" elementFormDefault="qualified">
${row('Search', '<xs:element name="text" type="xs:string" maxOccurs="unbounded"/>')}
${row('Page', '<xs:element name="size" type="xs:int" maxOccurs="unbounded"/>')}
<xs:element name="Tag" type="xs:string"/><xs:element name="EchoResponse"/>
${row('Echo', ['Search', 'Page', 'Tag'].map((name) => `<xs:element ref="t:${name}"/>`).join(''))}
</xs:schema>`;

const SEARCH = `<t:Search>${`<t:text>${'a '.repeat(30)}</t:text>`.repeat(2)}</t:Search>`;
const PAGE = `<t:Page>${'<t:size>25</t:size>'.repeat(6)}</t:Page>`;
const TAG = '<t:Tag>x</t:Tag>';
const message = (content: string): Buffer =>
  Buffer.from(
    `<s:Envelope xmlns:s="${SOAP_11}" xmlns:t="urn:t"><s:Body>${content}</s:Body></s:Envelope>` +
      ' '.repeat(200),
  );

async function startValidating() {
  const rules = new SchemaRules(await modelOf(echoWsdl(XSD)));
  const root = rules.global('urn:t', 'Echo');
  if (root === null) throw new Error('no such element');
  return (pieces: readonly Uint8Array[]) => {
    const violations: string[] = [];
    const validator = new EnvelopeValidator(ENVELOPE_RULES, null, 'no detail', {
      onHeadValid: () => validator.expectParts(PARTS),
      openBody: () =>
        new ContentValidator(
          rules,
          root,
          ({ path, what }) => violations.push(`${path} ${what}`),
          OPTIONS,
          FRAMES,
        ),
    });
    const reader = new XmlReader(validator, defaultsOf(XML_LIMITS));
    const refusal = refusalOf(() => {
      for (const piece of pieces) reader.write(Buffer.from(piece));
      reader.end();
    });
    return { violations, refusal };
  };
}

const FAULT = '<s:Fault><faultcode>s:Server</faultcode><faultstring>x</faultstring></s:Fault>';
/** The content of Body, the code that refuses it, and the violation of the schema. */
const CASES: readonly (readonly [string, RefusalCode | null, RegExp | null])[] = [
  [`${SEARCH}${PAGE}${TAG}`, null, null],
  [`${SEARCH}\n ${PAGE}<!-- between -->${TAG}`, null, null],
  [`${SEARCH}${PAGE}`, 'SOAP_MULTI_BODY', /Echo must have further elements: Tag/],
  [`${SEARCH}${TAG}`, 'SOAP_MULTI_BODY', null],
  [`${SEARCH}${PAGE}${TAG}${TAG}`, 'SOAP_MULTI_BODY', null],
  [`${SEARCH}${PAGE}${PAGE}${TAG}`, 'SOAP_MULTI_BODY', null],
  [`${SEARCH}${SEARCH}${PAGE}${TAG}`, 'SOAP_MULTI_BODY', null],
  [`${SEARCH}${PAGE}${FAULT}${TAG}`, 'SOAP_STRUCTURE', null],
  [`${SEARCH}text${PAGE}${TAG}`, 'SOAP_STRUCTURE', null],
  [`${SEARCH}${PAGE.replace('25', 'x')}${TAG}`, null, /size\[1\] must be/],
];

t.test('parts are children of Body wherever the message is cut', async (t) => {
  const validate = await startValidating();
  for (const [content, refusal, violation] of CASES) {
    const whole = validate([message(content)]);
    t.equal(whole.refusal, refusal, content);
    if (violation === null) t.same(whole.violations, [], content);
    else t.match(whole.violations[0] ?? '', violation, content);
    for (const [how, pieces] of splitsOf(message(content)))
      assert.deepStrictEqual(validate(pieces), whole, `${how}: ${content}`);
  }
});
