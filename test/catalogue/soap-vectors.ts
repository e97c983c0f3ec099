import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import type { MessageVector } from './messages.js';

/** The messages of group S, by the gateway they are sent to. */

const OLD: readonly DialectName[] = ['2001-12', '1.1'];
const NEW: readonly DialectName[] = ['1.2'];
const NOBODY = DIALECTS['1.2'].noneTarget;
const ENVELOPE = '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">';
const CLOSE = '</E:Envelope>';
const CALL = '<m:Ping xmlns:m="urn:m"><a>1</a></m:Ping>';
const BODY = `<E:Body>${CALL}</E:Body>`;

export const envelope = (content: string): string => `${ENVELOPE}${content}${CLOSE}`;
export const withBody = (content: string): string => envelope(`<E:Body>${content}</E:Body>`);
export const withHeader = (content: string, body = BODY): string => envelope(`<E:Header>${content}</E:Header>${body}`);
export const PLAIN = envelope(BODY);

const WSA = ['http://www.w3.org/2005/08/addressing', 'http://schemas.xmlsoap.org/ws/2004/08/addressing'] as const;
const [, OLD_WSA] = WSA;
export const ANONYMOUS = `${WSA[0]}/anonymous`;
/** A block of WS-Addressing 1.0. */
export const wsa = (local: string, content: string, attributes = '', uri: string = WSA[0]): string =>
  `<w:${local} xmlns:w="${uri}" ${attributes}>${content}</w:${local}>`;
const endpoint = (local: string, address: string, uri: string = WSA[0]): string =>
  wsa(local, `<w:Address>${address}</w:Address>`, '', uri);

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const security = (content: string, attributes = ''): string =>
  `<wsse:Security xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" ${attributes}>${content}</wsse:Security>`;
/** A signature over the parts with these Ids. What it is worth is for the receiver to say. */
export const signature = (...ids: readonly string[]): string =>
  `<ds:Signature xmlns:ds="${DSIG}"><ds:SignedInfo>${ids.map((id) => `<ds:Reference URI="#${id}"/>`).join('')}</ds:SignedInfo></ds:Signature>`;
const signed = (body: string, header = ''): string =>
  `<E:Envelope xmlns:E="{env}" xmlns:c="{enc}" xmlns:wsu="${WSU}"><E:Header>${header}${security(signature('b'))}</E:Header>${body}${CLOSE}`;

const block = (attributes: string): string => withHeader(`<h:B xmlns:h="urn:h" ${attributes}><c>1</c></h:B>`);
const blocks = (count: number): string => withHeader('<h:B xmlns:h="urn:h"/>'.repeat(count));

const row = (id: string, cases: Readonly<Record<string, Omit<MessageVector, 'row' | 'case'>>>): MessageVector[] =>
  Object.entries(cases).map(([name, vector]) => ({ row: id, case: name, ...vector }));

/** For services without a WSDL; the gateway's own role is `urn:gate`. */
export const UNDESCRIBED: readonly MessageVector[] = [
  ...row('S01', {
    'another document element': { message: '<E:Message xmlns:E="{env}"/>' },
    'a Body without an Envelope': { message: '<E:Body xmlns:E="{env}"/>' },
    'a document of HTML': { message: '<html><body/></html>' },
    'an envelope inside another element': { message: `<a>${PLAIN}</a>` },
  }),
  ...row('S02', {
    'an unknown namespace': { message: '<E:Envelope xmlns:E="urn:x"><E:Body/></E:Envelope>' },
    'no namespace': { message: '<Envelope><Body/></Envelope>' },
    'the namespace of another dialect': {
      message: (dialect) => {
        const other = DIALECTS[dialect === '1.1' ? '1.2' : '1.1'].envelopeUri;
        return `<E:Envelope xmlns:E="${other}"><E:Body/></E:Envelope>`;
      },
    },
  }),
  ...row('S03', {
    '1.1 as application/soap+xml': {
      dialects: ['1.1'],
      message: PLAIN,
      path: '/soap/all',
      headers: { 'Content-Type': 'application/soap+xml' },
    },
    '1.2 as text/xml': {
      dialects: NEW,
      message: PLAIN,
      path: '/soap/all',
      headers: { 'Content-Type': 'text/xml' },
    },
    'a type the route does not speak': {
      dialects: ['1.1'],
      message: PLAIN,
      headers: { 'Content-Type': 'application/soap+xml' },
    },
    'a type of nobody': { message: PLAIN, headers: { 'Content-Type': 'application/json' } },
    'a charset of nobody': {
      dialects: ['1.1'],
      message: PLAIN,
      headers: { 'Content-Type': 'text/xml; charset=utf-7' },
    },
  }),
  ...row('S04', {
    'no Body': { message: envelope('') },
    'a Header and no Body': { message: envelope('<E:Header/>') },
    'two Bodies': { message: envelope(BODY + BODY) },
    'Header after Body': { message: envelope(`${BODY}<E:Header/>`) },
    'child after Body': { message: envelope(`${BODY}<x:a xmlns:x="urn:x"/>`) },
    'child before Body': { message: envelope(`<x:a xmlns:x="urn:x"/>${BODY}`) },
    'text in Envelope': { message: envelope(`hello${BODY}`) },
    'text in Header': { message: withHeader('hello') },
    'text in Body': { message: withBody('hello') },
    'text in CDATA': { message: envelope(`<![CDATA[x]]>${BODY}`) },
    'Body in another namespace': { message: envelope('<x:Body xmlns:x="urn:x"/>') },
    'an unqualified header block': { message: withHeader('<B/>') },
    'a Fault beside the call': { message: withBody(`${CALL}<E:Fault/>`) },
  }),
  ...row('S05', {
    'two Headers': { message: envelope(`<E:Header/><E:Header/>${BODY}`) },
    '64 blocks': { message: blocks(64) },
    '65 blocks': { message: blocks(65) },
    'more than 256 KiB of Header': { message: withHeader(`<h:B xmlns:h="urn:h">${'x'.repeat(270_000)}</h:B>`) },
    'much, but less than 256 KiB': { message: withHeader(`<h:B xmlns:h="urn:h">${'x'.repeat(250_000)}</h:B>`) },
  }),
  ...row('S06', {
    'two elements where encoding may be': { message: withBody(CALL + CALL) },
    'a multi-ref element': { message: withBody(`${CALL}<multiRef id="id0"/>`) },
    'an Id in a namespace is none': { message: withBody(`${CALL}<m xmlns:x="urn:x" x:id="a"/>`) },
  }),
  ...row('S07', {
    'SOAPAction and action parameter differ': {
      dialects: NEW,
      message: PLAIN,
      headers: { SOAPAction: '"urn:b"', 'Content-Type': 'application/soap+xml; action="urn:a"' },
    },
    'SOAPAction and action parameter agree': {
      dialects: NEW,
      message: PLAIN,
      headers: { SOAPAction: '"urn:a"', 'Content-Type': 'application/soap+xml; action="urn:a"' },
    },
    'any SOAPAction where nothing is known': { message: PLAIN, headers: { SOAPAction: '"urn:whatever"' } },
  }),
  ...row('S08', {
    'wsa:Action and SOAPAction differ': {
      message: withHeader(wsa('Action', 'urn:a')),
      headers: { SOAPAction: '"urn:b"' },
    },
    'wsa:Action and SOAPAction agree': {
      message: withHeader(wsa('Action', ' urn:a ')),
      headers: { SOAPAction: '"urn:a"' },
    },
    'wsa:Action for somebody else': {
      message: withHeader(wsa('Action', 'urn:a', 'E:{target}="urn:else"')),
      headers: { SOAPAction: '"urn:b"' },
    },
    'wsa:Action for nobody': {
      dialects: NEW,
      message: withHeader(wsa('Action', 'urn:a', `E:{target}="${NOBODY}"`)),
      headers: { SOAPAction: '"urn:b"' },
    },
    'wsa:Action for somebody else, and it agrees': {
      message: withHeader(wsa('Action', 'urn:a', 'E:{target}="urn:else"')),
      headers: { SOAPAction: '"urn:a"' },
    },
    'wsa:Action for somebody else beside another': {
      message: withHeader(wsa('Action', 'urn:a', 'E:{target}="urn:else"') + wsa('Action', 'urn:a')),
    },
    'two wsa:Actions': { message: withHeader(wsa('Action', 'urn:a') + wsa('Action', 'urn:a')) },
    'two wsa:Actions of two versions': {
      message: withHeader(wsa('Action', 'urn:a') + wsa('Action', 'urn:a', '', OLD_WSA)),
    },
    'an element in wsa:Action': { message: withHeader(wsa('Action', 'urn:a<b/>')) },
  }),
  ...row('S09', {
    twice: { message: PLAIN, headers: { SOAPAction: '"urn:a"\r\nSOAPAction: "urn:a"' } },
    folded: { message: PLAIN, headers: { SOAPAction: '"urn:a\r\n b"' } },
    'a line feed inside': { message: PLAIN, headers: { SOAPAction: '"urn:a\nX: b"' } },
    'longer than 1 KiB': { message: PLAIN, headers: { SOAPAction: `"${'a'.repeat(1023)}"` } },
    '1 KiB': { message: PLAIN, headers: { SOAPAction: `"${'a'.repeat(1022)}"` } },
    unquoted: { message: PLAIN, headers: { SOAPAction: 'urn:a' } },
    'half quoted': { message: PLAIN, headers: { SOAPAction: '"urn:a' } },
    'two values in one': { message: PLAIN, headers: { SOAPAction: '"urn:a", "urn:b"' } },
    'beyond ASCII': { message: PLAIN, headers: { SOAPAction: '"urn:\u00e9"' } },
  }),
  ...WSA.flatMap((uri, version) =>
    row('S10', {
      [`ReplyTo elsewhere, ${version}`]: { message: withHeader(endpoint('ReplyTo', 'http://127.0.0.1:1/', uri)) },
      [`FaultTo elsewhere, ${version}`]: { message: withHeader(endpoint('FaultTo', 'mailto:a@b.example', uri)) },
      [`anonymous, ${version}`]: {
        message: withHeader(
          endpoint('ReplyTo', version === 0 ? ANONYMOUS : `${OLD_WSA}/role/anonymous`, uri) +
            endpoint('From', 'http://anywhere.example/', uri),
        ),
      },
    }),
  ),
  ...row('S10', {
    none: { message: withHeader(endpoint('FaultTo', `${WSA[0]}/none`)) },
    'a second address': {
      message: withHeader(
        wsa('ReplyTo', `<w:Address>${ANONYMOUS}</w:Address><w:Address>http://127.0.0.1:1/</w:Address>`),
      ),
    },
    'no address': { message: withHeader(wsa('ReplyTo', '')) },
    'two ReplyTo': { message: withHeader(endpoint('ReplyTo', ANONYMOUS) + endpoint('ReplyTo', ANONYMOUS)) },
    'for the gateway itself': {
      message: withHeader(
        wsa('ReplyTo', '<w:Address>http://127.0.0.1:1/</w:Address>', 'E:{target}="{next}" E:mustUnderstand="1"'),
      ),
    },
    'for somebody else': {
      message: withHeader(wsa('ReplyTo', '<w:Address>http://127.0.0.1:1/</w:Address>', 'E:{target}="urn:else"')),
    },
    'ReplyTo for nobody': {
      dialects: NEW,
      message: withHeader(wsa('ReplyTo', '<w:Address>http://127.0.0.1:1/</w:Address>', `E:{target}="${NOBODY}"`)),
    },
    'FaultTo for nobody': {
      dialects: NEW,
      message: withHeader(wsa('FaultTo', '<w:Address>http://127.0.0.1:1/</w:Address>', `E:{target}="${NOBODY}"`)),
    },
  }),
  ...row('S11', {
    'another host': { message: withHeader(wsa('To', 'http://other.example/base')) },
    'another path of the gateway': { message: withHeader(wsa('To', 'http://localhost/soap/other')) },
    'an address with user information': { message: withHeader(wsa('To', 'http://localhost@other.example/')) },
    'nothing at all': { message: withHeader(wsa('To', '')) },
    'two of them': { message: withHeader(wsa('To', ANONYMOUS) + wsa('To', ANONYMOUS)) },
    anonymous: { message: withHeader(wsa('To', ANONYMOUS)) },
    'anonymous of 2004': { message: withHeader(wsa('To', `${OLD_WSA}/role/anonymous`, '', OLD_WSA)) },
    'one that is listed': { message: withHeader(wsa('To', 'urn:listed')) },
    'for somebody else': { message: withHeader(wsa('To', 'http://other.example/', 'E:{target}="urn:else"')) },
    'for nobody': {
      dialects: NEW,
      message: withHeader(wsa('To', 'http://other.example/', `E:{target}="${NOBODY}"`)),
    },
    'anonymous, for somebody else': { message: withHeader(wsa('To', ANONYMOUS, 'E:{target}="urn:else"')) },
    'a text that never ends': { message: withHeader(wsa('To', 'x'.repeat(1100))) },
  }),
  ...row('S12', {
    'for next': { message: block('E:mustUnderstand="1" E:{target}="{next}"') },
    'for the role of the gateway': { message: block('E:mustUnderstand="1" E:{target}=" urn:gate "') },
    'true in 1.2': { dialects: NEW, message: block('E:mustUnderstand="true" E:role="{next}"') },
    'relayed, but to be understood': {
      dialects: NEW,
      message: block('E:mustUnderstand="1" E:role="{next}" E:relay="1"'),
    },
    'for somebody else': { message: block('E:mustUnderstand="1" E:{target}="urn:else"') },
    'for the final receiver': { message: block('E:mustUnderstand="1"') },
    'one the gateway understands': {
      message: withHeader('<k:Known xmlns:k="urn:k" E:mustUnderstand="1" E:{target}="{next}"/>'),
    },
  }),
  ...row('S13', {
    'mustUnderstand yes': { message: block('E:mustUnderstand="yes"') },
    'mustUnderstand true in the older ones': { dialects: OLD, message: block('E:mustUnderstand="true"') },
    'relay maybe': { dialects: NEW, message: block('E:relay="maybe"') },
    'encodingStyle on Envelope': {
      dialects: NEW,
      message: `<E:Envelope xmlns:E="{env}" E:encodingStyle="{enc}">${BODY}${CLOSE}`,
    },
    'unknown encodingStyle': { dialects: NEW, message: withBody('<a E:encodingStyle="urn:x"/>') },
    'unknown encodingStyle in the older ones': { dialects: OLD, message: withBody('<a E:encodingStyle="urn:x"/>') },
    'unknown encodingStyle further down': {
      dialects: NEW,
      message: withBody('<a><b><c E:encodingStyle="urn:x"/></b></a>'),
    },
    'encodingStyle none': {
      dialects: NEW,
      message: withBody('<a E:encodingStyle="http://www.w3.org/2003/05/soap-envelope/encoding/none"/>'),
    },
    'encodingStyle of 1.1': {
      message: withBody('<a E:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>'),
    },
  }),
  ...row('S14', {
    'two thousand million': { message: withBody('<a><b c:arrayType="xsd:int[2147483647]"/></a>') },
    'two dimensions': { message: withBody('<a c:arrayType="xsd:int[101,100]"/>') },
    'arrays of arrays': { message: withBody('<a c:arrayType="xsd:int[][10001]"/>') },
    'an offset': { message: withBody('<a c:arrayType="xsd:int[2]" c:offset="[99999999]"/>') },
    'a position': { message: withBody('<a c:arrayType="xsd:int[2]"><i c:position="[99999999]"/></a>') },
    'more digits than a number has': { message: withBody(`<a c:arrayType="xsd:int[${'9'.repeat(500)}]"/>`) },
    'a size that never ends': { message: withBody(`<a c:arrayType="xsd:int[${'1'.repeat(1100)}]"/>`) },
    'in a multi-ref element': { message: withBody(`${CALL}<m id="a"><b c:arrayType="xsd:int[10001]"/></m>`) },
    'ten thousand': { message: withBody('<a c:arrayType="xsd:int[10000]"/>') },
    'no size': { message: withBody('<a c:arrayType="xsd:int[]"/>') },
    'arraySize of 1.2': { dialects: NEW, message: withBody('<a c:arraySize="* 10001"/>') },
    'arraySize that is in order': { dialects: NEW, message: withBody('<a c:arraySize="2 3"/>') },
    'a name of the application': { message: withBody('<a arrayType="xsd:int[2147483647]"/>') },
  }),
  ...row('S15', {
    'a cycle': { message: withBody(`<m:Ping xmlns:m="urn:m" href="#1"/><r id="1"><a href="#1"/></r>`) },
    '10,000 hrefs': {
      message: withBody(`<m:Ping xmlns:m="urn:m">${'<a href="#1"/>'.repeat(10_000)}</m:Ping><r id="1"/>`),
    },
  }),
  ...row('S18', {
    'Body and header block with one Id': {
      message: signed(`<E:Body wsu:Id="b">${CALL}</E:Body>`, '<h:B xmlns:h="urn:h" wsu:Id="b"/>'),
    },
    'two header blocks with one Id': {
      message: signed(BODY, '<h:B xmlns:h="urn:h" wsu:Id="c"/><h:B xmlns:h="urn:h" wsu:Id="c"/>'),
    },
    'Body moved below a header block': {
      message: signed(
        `<E:Body wsu:Id="b">${CALL}</E:Body>`,
        '<h:Wrapper xmlns:h="urn:h"><E:Body wsu:Id="b"><m:Pong xmlns:m="urn:m"/></E:Body></h:Wrapper>',
      ),
    },
    'Body and its child with one Id': {
      message: signed('<E:Body wsu:Id="b"><m:Ping xmlns:m="urn:m" wsu:Id="b"/></E:Body>'),
    },
    'Body and an element far below with one Id': {
      message: signed('<E:Body wsu:Id="b"><m:Ping xmlns:m="urn:m"><a><b wsu:Id="b"/></a></m:Ping></E:Body>'),
    },
    'Body and an unqualified Id that is signed': {
      message: signed('<E:Body wsu:Id="b"><m:Ping xmlns:m="urn:m"><a Id="b"/></m:Ping></E:Body>'),
    },
    'xml:id': { message: signed(`<E:Body xml:id="b">${CALL}</E:Body>`, '<h:B xmlns:h="urn:h" wsu:Id="b"/>') },
    'data of the application': {
      message: signed('<E:Body wsu:Id="b"><m:Ping xmlns:m="urn:m"><a Id="7"/><a Id="7"/></m:Ping></E:Body>'),
    },
    'all in order': { message: signed(`<E:Body wsu:Id="b">${CALL}</E:Body>`, '<h:B xmlns:h="urn:h" wsu:Id="c"/>') },
  }),
  ...row('S20', {
    'two for the final receiver': { message: withHeader(security('') + security('')) },
    'two for next': {
      message: withHeader(security('', 'E:{target}="{next}"') + security('', 'E:{target}=" {next} "')),
    },
    'next and its other name': {
      message: withHeader(security('', 'E:{target}="{next}"') + security('', 'E:{target}="urn:gate"')),
    },
    'no actor and the name of the final receiver': {
      dialects: NEW,
      message: withHeader(
        security('') + security('', 'E:role="http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver"'),
      ),
    },
    'one for each': { message: withHeader(security('') + security('', 'E:{target}="urn:else"')) },
  }),
];
