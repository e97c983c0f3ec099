import fc from 'fast-check';
import { type XmlAttribute, XmlDocument, type XmlElement } from 'libxml2-wasm';
import t from 'tap';
import { XSI } from '../../src/wsdl/documents/namespaces.js';
import { desk, startDesk } from '../acceptance/desk.js';

/** Names that values of callers bring into a message, as a second reader finds them: libxml2. */

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const RESERVED = [
  ENVELOPE,
  'http://www.w3.org/2003/05/soap-envelope',
  'http://www.w3.org/2001/12/soap-envelope',
  'http://www.w3.org/2002/06/soap-envelope',
  ENCODING,
  'http://www.w3.org/2003/05/soap-encoding',
  'http://www.w3.org/2001/12/soap-encoding',
  'http://www.w3.org/2001/XInclude',
  'http://www.w3.org/2003/XInclude',
  'http://www.w3.org/2004/08/xop/include',
  'https://www.w3.org/2004/08/xop/include',
  'http://www.w3.org/2000/xmlns/',
];
const OPEN = ['', 'urn:t', 'urn:a', 'urn:b', 'http://www.w3.org/XML/1998/namespace'];

const WSDL = desk({
  types:
    '<xs:complexType name="Point"><xs:sequence><xs:element name="x" type="xs:int"/>' +
    '<xs:element name="more" type="xs:anyType" minOccurs="0"/></xs:sequence></xs:complexType>' +
    '<xs:complexType name="Open"><xs:sequence><xs:any namespace="##other" ' +
    'processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>' +
    '</xs:complexType><xs:complexType name="Own"><xs:sequence>' +
    '<xs:any namespace="##targetNamespace" processContents="lax" minOccurs="0"/></xs:sequence>' +
    '</xs:complexType><xs:complexType name="Listed"><xs:sequence>' +
    '<xs:any namespace="urn:a urn:b" processContents="lax" minOccurs="0"/></xs:sequence>' +
    '</xs:complexType><xs:complexType name="Mixed" mixed="true"><xs:sequence>' +
    '<xs:element name="b" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>' +
    '</xs:sequence></xs:complexType>',
  request:
    '<xs:element name="v" type="xs:anyType" minOccurs="0"/>' +
    '<xs:element name="open" type="t:Open" minOccurs="0"/><xs:element name="own" type="t:Own" ' +
    'minOccurs="0"/><xs:element name="listed" type="t:Listed" minOccurs="0"/>',
});
const REPLY = '<t:GetResponse><t:result>x</t:result></t:GetResponse>';
const QUERY =
  'query ($v: AnyValueInput, $open: OpenInput, $own: OwnInput, $listed: ListedInput) { get(v: ' +
  '$v, open: $open, own: $own, listed: $listed) }';

/** Names of a document: of elements, of attributes, and of types that attributes name. */
interface Names {
  readonly elements: readonly (readonly [uri: string, local: string])[];
  readonly attributes: readonly string[];
  readonly types: readonly string[];
}

function namesIn(document: XmlDocument): Names {
  const elements = document.find('//*') as XmlElement[];
  const attributes = document.find('//*/@*') as XmlAttribute[];
  return {
    elements: elements.map((each) => [each.namespaceUri, each.name]),
    attributes: attributes.map((each) => each.namespaceUri),
    types: attributes
      .filter((each) => each.namespaceUri === XSI && each.name === 'type')
      .map(({ value, parent }) => parent?.namespaceForPrefix(value.split(':')[0] ?? '') ?? ''),
  };
}

/** Half of them may be written, so that many messages are. */
const uris = fc.oneof(fc.constantFrom(...OPEN), fc.constantFrom(...OPEN, ...RESERVED));
const local = fc.constantFrom(
  'a',
  'b',
  'include',
  'Include',
  'Body',
  'Header',
  'xmlns',
  'item',
  'x',
);
const qualified = fc.tuple(uris, local).map(([uri, name]) => `{${uri}}${name}`);
const key = fc.oneof(
  { weight: 4, arbitrary: local },
  qualified,
  fc.constantFrom('@xmlns', '@xmlns:p', 'xmlns:p', '@href', '@id', '@s:mustUnderstand', '@n1:a'),
  qualified.map((name) => `@${name}`),
  fc.constantFrom('#text', '$type', '$value', '@', '', 's:Body', '@xsi:type'),
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>('file:///etc/passwd', 1, true, null, 'xmlns="urn:x"', 'int', 'string'),
  uris.map((uri) => `sink:${uri}`),
  qualified,
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(key, tie('json'), { maxKeys: 3 }),
    fc.array(tie('json'), { maxLength: 2 }),
  ),
}));

const prefix = fc.constantFrom('', 's', 'n1', 'xsi', 'p', 'xsd');
/** XML text of an element, with prefixes that may be those of the gateway. */
const { xml } = fc.letrec<{ xml: string }>((tie) => ({
  xml: fc
    .tuple(
      ...[prefix, uris, local, prefix, uris, local],
      fc.constantFrom('', 'p:x', 's:Body text', 'n1:a'),
      fc.oneof({ maxDepth: 3 }, fc.constant(''), tie('xml')),
    )
    .map(([own, uri, name, other, otherUri, attribute, text, child]) => {
      const mine = own === '' ? name : `${own}:${name}`;
      const bound = `xmlns${own === '' ? '' : `:${own}`}="${uri}"`;
      const second =
        other === own || other === ''
          ? ''
          : ` xmlns:${other}="${otherUri}" ${other}:${attribute}="${text}"`;
      return `<${mine} ${bound}${second}>${text}${child}</${mine}>`;
    }),
}));

const type = fc.option(fc.oneof(qualified, fc.constantFrom('int', 'string', '{urn:t}Point')), {
  nil: undefined,
});
const value = fc.oneof(
  fc.record({ type, value: json }),
  fc.record({ type, value: fc.record({ x: fc.constant(1), more: json }) }),
  fc.record({ xml }),
);
const named = fc.oneof(
  fc.record({ name: fc.oneof(qualified, local), type, value: json }),
  fc.record({ xml }),
);
const variables = fc.oneof(
  value.map((v) => ({ v })),
  fc.array(named, { maxLength: 2 }).map((any) => ({ open: { any } })),
  named.map((any) => ({ own: { any } })),
  named.map((any) => ({ listed: { any } })),
);

t.test('no value brings names of SOAP, XOP or XInclude into a message', async (t) => {
  const { ask, backend } = await startDesk(t, WSDL);
  let written = 0;
  await fc.assert(
    fc.asyncProperty(variables, async (values) => {
      const before = backend.complete.length;
      const { errors } = await ask(QUERY, REPLY, values);
      const sent = backend.complete[before]?.body.toString();
      if (errors !== undefined) {
        const [error] = errors;
        if (error?.extensions['code'] !== 'BAD_USER_INPUT' || sent !== undefined)
          throw new Error(`${JSON.stringify(errors)}: ${sent}`);
        return;
      }
      if (sent === undefined) throw new Error('nothing was sent');
      written++;
      const wrong = wrongIn(sent);
      if (wrong !== null) throw new Error(`${wrong}: ${sent}`);
    }),
    { numRuns: 300 },
  );
  t.ok(written > 50, `${written} messages were written`);
});

/** What a message has that no value may bring into it; null where all is well. */
function wrongIn(sent: string): string | null {
  const document = XmlDocument.fromString(sent);
  try {
    const { elements, attributes, types } = namesIn(document);
    const envelope = elements.filter(([uri]) => uri === ENVELOPE).map(([, name]) => name);
    if (envelope.join() !== 'Envelope,Body') return `the envelope has ${envelope.join()}`;
    if (document.find('/*/*/*').length !== 1) return 'second payload';
    const uris = [...elements.slice(2).map(([uri]) => uri), ...attributes];
    const reserved = uris.find((uri) => RESERVED.includes(uri));
    if (reserved !== undefined) return `a name in ${reserved}`;
    const type = types.find((uri) => RESERVED.includes(uri) && !uri.endsWith('encoding/'));
    if (type !== undefined) return `a type in ${type}`;
    if (uris.some((uri) => uri.startsWith('sink:'))) return 'a namespace out of a value';
    const wild = (holder: string): readonly string[] =>
      (document.find(`/*/*/*/*[local-name() = '${holder}']/*`) as XmlElement[]).map(
        (each) => each.namespaceUri,
      );
    if (wild('open').some((uri) => uri === '' || uri === 'urn:t')) return 'not ##other';
    if (wild('own').some((uri) => uri !== 'urn:t')) return 'not ##targetNamespace';
    if (wild('listed').some((uri) => uri !== 'urn:a' && uri !== 'urn:b')) return 'not in the list';
    return null;
  } finally {
    document.dispose();
  }
}
