import { Buffer } from 'node:buffer';
import t from 'tap';

import { defaultsOf } from '../../../src/core/index.js';
import { compareReplies, type ReplyComparison } from '../../../src/flow/compare/compare-replies.js';
import { ReplyReader } from '../../../src/flow/compare/reply-reader.js';
import { type ReplyTypes, replyTypesOf } from '../../../src/flow/compare/reply-types.js';
import { MIME_LIMITS } from '../../../src/soap/index.js';
import { allOperations } from '../../../src/wsdl/index.js';
import { XML_LIMITS } from '../../../src/xml/index.js';
import { envelope, faultOf, SOAP_12 } from '../../kit/envelope.js';
import { element, wrapper, wsdlOf } from '../../kit/wsdl.js';
import { modelOf } from '../../wsdl/written.js';

/** Replies that mean the same are equal, and others differ at the paths of what differs. */

const SCHEMA = `
  <xs:complexType name="Line"><xs:sequence>${element('sku', 'xs:string')}\
${element('price', 'xs:decimal')}</xs:sequence>\
<xs:attribute name="rank" type="xs:int"/><xs:attribute name="unit" type="xs:string" \
default="piece"/></xs:complexType>
  <xs:complexType name="Open"><xs:all>${element('a', 'xs:string')}\
${element('b', 'xs:string')}</xs:all></xs:complexType>
  ${wrapper('Get')}
  ${wrapper(
    'GetResponse',
    element('total', 'xs:decimal', 'minOccurs="0"') +
      element('rate', 'xs:double', 'minOccurs="0"') +
      element('paid', 'xs:boolean', 'minOccurs="0"') +
      element('at', 'xs:dateTime', 'minOccurs="0"') +
      element('kind', 'xs:QName', 'minOccurs="0"') +
      element('codes', 'xs:NMTOKENS', 'minOccurs="0"') +
      element('note', 'xs:string', 'minOccurs="0" nillable="true"') +
      element('open', 't:Open', 'minOccurs="0"') +
      element('line', 't:Line', 'minOccurs="0" maxOccurs="unbounded"') +
      element('data', 'xs:base64Binary', 'minOccurs="0"'),
  )}
  ${wrapper('Bad', element('code', 'xs:int'))}`;

const LIMITS = { xml: defaultsOf(XML_LIMITS), mime: defaultsOf(MIME_LIMITS) };

async function typesOfGet(): Promise<ReplyTypes> {
  const model = await modelOf(wsdlOf('urn:t', SCHEMA, ['Get'], { faults: ['Bad'] }));
  const [operation] = allOperations(model);
  // As a recording holds them.
  return JSON.parse(JSON.stringify(replyTypesOf(operation ?? null, model)));
}

function read(
  text: string | Buffer,
  types: ReplyTypes,
  ignore: readonly string[] = [],
  chunk = Number.POSITIVE_INFINITY,
  type = 'text/xml; charset=utf-8',
) {
  const reader = new ReplyReader(type, { types, ignore: new Set(ignore) }, LIMITS);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) {
    reader.write(bytes.subarray(at, Math.min(bytes.length, at + chunk)));
  }
  return reader.end();
}

const reply = (content: string): string =>
  envelope(`<GetResponse xmlns="urn:t">${content}</GetResponse>`);

const pathsOf = (comparison: ReplyComparison): readonly string[] =>
  comparison.outcome === 'different' ? comparison.paths : [comparison.outcome];

const SAME: Readonly<Record<string, readonly [string, string]>> = {
  'trailing zeros of a decimal': ['<total>1.0</total>', '<total>1.00</total>'],
  'a sign and leading zeros': ['<total>+01.5</total>', '<total>1.50</total>'],
  'an exponent of a double': ['<rate>1.0E1</rate>', '<rate>10</rate>'],
  'forms of a Boolean': ['<paid>1</paid>', '<paid> true </paid>'],
  'a time in two zones': [
    '<at>2026-01-01T12:00:00Z</at>',
    '<at>2026-01-01T13:00:00.000+01:00</at>',
  ],
  'prefixes of a QName': ['<kind xmlns:a="urn:k">a:K</kind>', '<kind xmlns:b="urn:k"> b:K </kind>'],
  'spaces of a list': ['<codes>a b</codes>', '<codes> a\n  b</codes>'],
  'CDATA and references': ['<note>&lt;x</note>', '<note><![CDATA[<x]]></note>'],
  'layout and comments': [
    '<total>1</total><paid>1</paid>',
    '\n <total>1</total>\n <!-- c --><paid>1</paid>\n',
  ],
  'an element that is nil': [
    '<note xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1"/>',
    '<note xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:nil="true"/>',
  ],
  'a type that is the declared one': [
    '<total>1</total>',
    '<total xmlns:i="http://www.w3.org/2001/XMLSchema-instance" ' +
      'xmlns:d="http://www.w3.org/2001/XMLSchema" i:type="d:decimal">1</total>',
  ],
  'the order of xs:all': ['<open><a>1</a><b>2</b></open>', '<open><b>2</b><a>1</a></open>'],
  'the order of attributes, and a default': [
    '<line rank="1" unit="piece"><sku>a</sku><price>1</price></line>',
    '<line rank="01"><sku>a</sku><price>1.0</price></line>',
  ],
  'layout of binary content': ['<data>AAEC\nAwQF</data>', '<data>AAECAwQF</data>'],
};

const DIFFERENT: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  'a value': ['<total>1</total>', '<total>2</total>', ['GetResponse/total']],
  'a space in a string': ['<note>a</note>', '<note>a </note>', ['GetResponse/note']],
  'an element that is missing': [
    '<note>a</note><paid>1</paid>',
    '<paid>1</paid>',
    ['GetResponse/note'],
  ],
  'nil and empty': [
    '<note xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1"/>',
    '<note/>',
    ['GetResponse/note'],
  ],
  'an attribute': [
    '<line rank="1"><sku>a</sku></line>',
    '<line rank="2"><sku>a</sku></line>',
    ['GetResponse/line/@rank'],
  ],
  'the order of a sequence': [
    '<paid>1</paid><total>1</total>',
    '<total>1</total><paid>1</paid>',
    ['GetResponse'],
  ],
  'the order of a list': [
    '<line><sku>a</sku></line><line><sku>b</sku></line>',
    '<line><sku>b</sku></line><line><sku>a</sku></line>',
    ['GetResponse/line/sku'],
  ],
  'a value that another item has': [
    '<line><sku>a</sku><price>1</price></line><line><sku>b</sku></line>',
    '<line><sku>a</sku></line><line><sku>b</sku><price>1</price></line>',
    ['GetResponse/line/price'],
  ],
  'one item more': [
    '<line><sku>a</sku></line>',
    '<line><sku>a</sku></line><line><sku>b</sku></line>',
    ['GetResponse/line'],
  ],
  'a namespace': ['<total>1</total>', '<total xmlns="urn:other">1</total>', ['GetResponse/total']],
  'the namespace of a QName': [
    '<kind xmlns:a="urn:k">a:K</kind>',
    '<kind xmlns:a="urn:l">a:K</kind>',
    ['GetResponse/kind'],
  ],
};

t.test('replies that mean the same are the same', async (t) => {
  const types = await typesOfGet();
  for (const [name, [one, other]] of Object.entries(SAME)) {
    const comparison = compareReplies(read(reply(one), types), read(reply(other), types));
    t.same(comparison, { outcome: 'same' }, name);
  }
});

t.test('replies that differ are different at the paths of what differs', async (t) => {
  const types = await typesOfGet();
  for (const [name, [one, other, paths]] of Object.entries(DIFFERENT)) {
    const compare = (left: string, right: string): readonly string[] =>
      pathsOf(compareReplies(read(reply(left), types), read(reply(right), types)));
    t.same(compare(one, other), paths, name);
    t.same(compare(other, one), paths, `${name}, the other way`);
  }
});

t.test('the cuts of the bytes change no comparison', async (t) => {
  const types = await typesOfGet();
  const all = Object.values(SAME).flat().join('');
  for (const chunk of [1, 2, 3, 7, 64]) {
    t.same(
      compareReplies(read(reply(all), types), read(reply(all), types, [], chunk)),
      { outcome: 'same' },
      `${chunk} bytes at a time`,
    );
  }
});

t.test('a path that is ignored is left out with all below it', async (t) => {
  const types = await typesOfGet();
  const compare = (one: string, other: string, ignore: readonly string[]): ReplyComparison =>
    compareReplies(read(reply(one), types, ignore), read(reply(other), types, ignore));
  t.same(compare('<total>1</total>', '', ['GetResponse/total']), { outcome: 'same' });
  t.same(compare('<line><sku>a</sku></line>', '<line><sku>b</sku></line>', ['GetResponse/line']), {
    outcome: 'same',
  });
  t.same(compare('<line rank="1"/>', '<line rank="2"/>', ['GetResponse/line/@rank']), {
    outcome: 'same',
  });
  t.equal(compare('<total>1</total>', '', ['GetResponse/note']).outcome, 'different');
});

t.test('Faults are compared by their parts, whatever their version', async (t) => {
  const types = await typesOfGet();
  const detail = (code: string): string => `<Bad xmlns="urn:t"><code>${code}</code></Bad>`;
  const of11 = (code: string): string => envelope(faultOf('s:Client', 'no', detail(code)));
  const of12 =
    `<e:Envelope xmlns:e="${SOAP_12}"><e:Body><e:Fault><e:Code><e:Value>e:Sender</e:Value>` +
    '</e:Code><e:Reason><e:Text xml:lang="en">no</e:Text></e:Reason>' +
    `<e:Detail>${detail('01')}</e:Detail></e:Fault></e:Body></e:Envelope>`;
  const compare = (one: string, other: string): ReplyComparison =>
    compareReplies(read(one, types), read(other, types));
  t.same(compare(of11('1'), of12), { outcome: 'same' });
  t.same(pathsOf(compare(of11('2'), of12)), ['Fault/detail/Bad/code']);
  t.same(pathsOf(compare(of11('1').replace('Client', 'Server'), of12)), ['Fault/faultcode']);
  t.same(pathsOf(compare(of11('1'), reply(''))), ['Fault', 'GetResponse']);
});

t.test('parts of packages are compared with the content that includes them', async (t) => {
  const types = await typesOfGet();
  const packaged = (id: string, content: string) => {
    const include = `<data><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" \
href="cid:${id}"/></data>`;
    const body =
      '--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\n' +
      `Content-ID: <root@x>\r\n\r\n${reply(include)}\r\n--b\r\nContent-ID: <${id}>\r\n` +
      `Content-Type: application/octet-stream\r\n\r\n${content}\r\n--b--\r\n`;
    const type =
      'multipart/related; boundary=b; type="application/xop+xml"; start="<root@x>"; ' +
      'start-info="text/xml"';
    return read(body, types, [], 11, type);
  };
  t.same(compareReplies(packaged('1@x', 'abc'), packaged('2@x', 'abc')), { outcome: 'same' });
  t.same(pathsOf(compareReplies(packaged('1@x', 'abc'), packaged('1@x', 'abd'))), [
    'GetResponse/data',
  ]);
});

t.test('long texts and long lists are compared whole', async (t) => {
  const types = await typesOfGet();
  const line = (sku: string): string => `<line><sku>${sku}</sku><price>1.0</price></line>`;
  const long = 'x'.repeat(200_000);
  const list = Array.from({ length: 5000 }, (_, at) => line(`${at}`)).join('');
  const one = `<note>${long}</note>${list}`;
  t.same(compareReplies(read(reply(one), types), read(reply(one), types, [], 1000)), {
    outcome: 'same',
  });
  const other = `<note>${long}y</note>${list.replace('4321', '4322')}`;
  t.same(pathsOf(compareReplies(read(reply(one), types), read(reply(other), types))), [
    'GetResponse/note',
    'GetResponse/line/sku',
  ]);
});

t.test('a reply with too many different paths is not compared', async (t) => {
  const types = await typesOfGet();
  const wide = Array.from({ length: 10_001 }, (_, at) => `<n${at}/>`).join('');
  const limits = { ...LIMITS, xml: { ...LIMITS.xml, elements: 100_000 } };
  const reader = new ReplyReader('text/xml', { types, ignore: new Set() }, limits);
  reader.write(Buffer.from(reply(wide)));
  t.equal(compareReplies(reader.end(), read(reply(''), types)).outcome, 'incomparable');
});
