import { DIALECT_NAMES, DIALECTS } from '../../src/soap/dialect.js';
import { fill } from '../perimeter/case-file.js';
import type { MessageVector } from './messages.js';

type Row = readonly [row: string, name: string, message: string];

const OPEN = '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">';
const CLOSE = '</E:Envelope>';
/** A message with this in its one operation. */
export const withContent = (content: string): string =>
  `${OPEN}<E:Body><m:Ping xmlns:m="urn:m">${content}</m:Ping></E:Body>${CLOSE}`;
/** A message whose Envelope declares this many namespaces. */
const onEnvelope = (count: number): string =>
  PLAIN.replace('>', `${repeat(count - 2, (i) => ` xmlns:p${i}="urn:a"`)}>`);
const PLAIN = withContent('<a>1</a>');

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');
const nested = (count: number): string => '<a>'.repeat(count) + '</a>'.repeat(count);
/** `Aa` and `BB` have one hash where it is multiplied by 31. */
const colliding = (index: number): string =>
  repeat(14, (bit) => ((index >> bit) & 1 ? 'Aa' : 'BB'));

/** `trap` is the address of somebody who must never be called. */
const doctypes = (trap: string): readonly Row[] => [
  ['X01', 'bare', `<!DOCTYPE E:Envelope>${PLAIN}`],
  ['X01', 'internal subset', `<?xml version="1.0"?>\n<!DOCTYPE a [<!ELEMENT a ANY>]>${PLAIN}`],
  ['X01', 'external identifier', `<!DOCTYPE a PUBLIC "-//x//y" "z.dtd">${PLAIN}`],
  ['X01', 'behind a comment', `<!-- a --> <!DOCTYPE a>${PLAIN}`],
  ['X01', 'cut off behind its name', '<!DOCTYPE'],
  ['X01', 'broken behind its name', `<!DOCTYPE \u0001 <<< ]]> ${PLAIN}`],
  [
    'X02',
    'billion laughs',
    '<!DOCTYPE a [<!ENTITY l0 "ha">' +
      `${repeat(9, (i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)}]>` +
      `${withContent('&l9;')}`,
  ],
  [
    'X02',
    'quadratic blow-up',
    `<!DOCTYPE a [<!ENTITY q "${'q'.repeat(50_000)}">]>${withContent('&q;'.repeat(50_000))}`,
  ],
  [
    'X02',
    'parameter entities',
    `<!DOCTYPE a [<!ENTITY % p "<!ENTITY q 'x'>">%p;]>${withContent('&q;')}`,
  ],
  ['X03', 'twice', `<!DOCTYPE a><!DOCTYPE a>${PLAIN}`],
  ['X03', 'a hundred times', '<!DOCTYPE a [<!ENTITY x "y">]>'.repeat(100) + PLAIN],
  ['X03', 'within the Body', withContent('<!DOCTYPE a>')],
  ['X03', 'behind the Envelope', `${PLAIN}<!DOCTYPE a>`],
  ['X04', 'file', `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${withContent('&x;')}`],
  ['X04', 'http', `<!DOCTYPE a [<!ENTITY x SYSTEM "${trap}/x">]>${withContent('&x;')}`],
  ['X04', 'parameter entity', `<!DOCTYPE a [<!ENTITY % x SYSTEM "${trap}/x.dtd">%x;]>${PLAIN}`],
  ['X05', 'system', `<!DOCTYPE a SYSTEM "${trap}/a.dtd">${PLAIN}`],
  [
    'X05',
    'public',
    `<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "${trap}/a.dtd">${PLAIN}`,
  ],
];

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
/**
 * What elsewhere makes a processor fetch something; here it is an attribute or an element like any
 * other.
 */
const hints = (trap: string): readonly Row[] => [
  ['X28', 'schemaLocation', withContent(`<a ${XSI} xsi:schemaLocation="urn:a ${trap}/a.xsd"/>`)],
  [
    'X28',
    'noNamespaceSchemaLocation',
    withContent(`<a ${XSI} xsi:noNamespaceSchemaLocation="${trap}/a.xsd"/>`),
  ],
  ['X28', 'xml base', withContent(`<a xml:base="${trap}/">b</a>`)],
  [
    'X28',
    'XInclude',
    withContent(`<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="${trap}/x"/>`),
  ],
];

const SYNTAX: readonly Row[] = [
  ['X06', 'nbsp', withContent('a&nbsp;b')],
  ['X06', 'of a declared one no trace', withContent('&x;')],
  ['X06', 'in an attribute', withContent('<a b="&nbsp;"/>')],
  ['X06', 'the five', withContent('&lt;&gt;&amp;&quot;&apos;<a b="&lt;&gt;&amp;&quot;&apos;"/>')],
  ['X08', 'zero', withContent('&#0;')],
  ['X08', 'surrogate', withContent('&#xD800;')],
  ['X08', 'noncharacter', withContent('&#xFFFF;')],
  ['X08', 'beyond Unicode', withContent('&#x110000;')],
  ['X08', 'zero in hexadecimal', withContent('&#x00000;')],
  ['X08', 'in an attribute', withContent('<a b="&#8;"/>')],
  ['X08', 'enormous', withContent(`&#${'9'.repeat(400)};`)],
  ['X08', 'empty', withContent('&#;')],
  ['X18', '1 KiB', withContent(`<!--${'c'.repeat(1024)}-->`)],
  ['X18', '1 KiB and one', withContent(`<!--${'c'.repeat(1025)}-->`)],
  ['X18', 'within a word', withContent('<a>adm<!-- -->in</a>')],
  ['X18', 'two hyphens', withContent('<!-- -- -->')],
  ['X19', 'before', `<?go now?>${PLAIN}`],
  [
    'X19',
    'xml-stylesheet',
    `<?xml version="1.0"?><?xml-stylesheet href="a.xsl" type="text/xsl"?>${PLAIN}`,
  ],
  ['X19', 'within the Body', withContent('<?php echo 1 ?>')],
  ['X19', 'behind', `${PLAIN}<?go?>`],
  ['X20', 'end of CDATA in text', withContent('a]]>b')],
  ['X20', 'nested', withContent('<![CDATA[<![CDATA[x]]>]]>')],
  ['X20', 'CDATA', withContent('<a><![CDATA[<b>&nbsp;</b>]]></a><a>&lt;b></a>')],
  ['X20', 'CDATA that ends in brackets', withContent('<![CDATA[x]]]]><![CDATA[>]]>')],
  ['X20', 'outside the Envelope', `<![CDATA[x]]>${PLAIN}`],
  ['X23', '1.1', `<?xml version="1.1"?>${PLAIN}`],
  ['X23', '2.0', `<?xml version="2.0"?>${PLAIN}`],
  ['X24', 'second root', `${PLAIN}<a/>`],
  ['X24', 'text behind', `${PLAIN}a`],
  ['X24', 'mark inside', `<?xml version="1.0"?>\ufeff${PLAIN}`],
  ['X24', 'mark behind', `${PLAIN}\ufeff`],
  ['X24', 'second root behind the window', `${withContent('x'.repeat(150_000))}${PLAIN}`],
  ['X25', 'undeclared prefix', withContent('<u:a/>')],
  ['X25', 'undeclared prefix of an attribute', withContent('<a u:b=""/>')],
  ['X25', 'xml rebound', withContent('<a xmlns:xml="urn:a"/>')],
  ['X25', 'xmlns bound', withContent('<a xmlns:xmlns="urn:a"/>')],
  ['X25', 'prefix undeclared', withContent('<a xmlns:m=""/>')],
  [
    'X25',
    'duplicate expanded attribute',
    withContent('<a xmlns:p="urn:a" xmlns:q="urn:a" p:b="" q:b=""/>'),
  ],
  ['X25', 'namespace of xmlns', withContent('<a xmlns:p="http://www.w3.org/2000/xmlns/"/>')],
];

const SIZES: readonly Row[] = [
  // The Envelope, the Body and the operation are three.
  ['X09', 'depth 100', withContent(nested(97))],
  ['X09', 'depth 101', withContent(nested(98))],
  ['X09', 'depth 20000', withContent(nested(19_997))],
  ['X10', '30000 unclosed', withContent('<a>'.repeat(30_000))],
  ['X11', '50000 siblings', withContent('<a/>'.repeat(50_000))],
  ['X11', '50001 siblings', withContent('<a/>'.repeat(50_001))],
  ['X13', '100 attributes', withContent(`<a${repeat(100, (i) => ` b${i}=""`)}/>`)],
  ['X13', '101 attributes', withContent(`<a${repeat(101, (i) => ` b${i}=""`)}/>`)],
  [
    'X13',
    '10000 colliding attributes',
    withContent(`<a${repeat(10_000, (i) => ` ${colliding(i)}=""`)}/>`),
  ],
  ['X13', '10000 colliding elements', withContent(repeat(10_000, (i) => `<${colliding(i)}/>`))],
  ['X13', '10000 names like numbers', withContent(repeat(10_000, (i) => `<_${i} b.${i}=""/>`))],
  ['X14', '64 KiB', withContent(`<a b="${'v'.repeat(65_536)}"/>`)],
  ['X14', '64 KiB and one', withContent(`<a b="${'v'.repeat(65_537)}"/>`)],
  ['X15', '256 characters', withContent(`<${'n'.repeat(256)}/>`)],
  ['X15', 'element', withContent(`<${'n'.repeat(257)}/>`)],
  ['X15', 'attribute', withContent(`<a ${'n'.repeat(257)}=""/>`)],
  ['X15', 'prefix', withContent(`<a xmlns:${'n'.repeat(251)}="urn:a"/>`)],
  ['X16', '256 on the Envelope', onEnvelope(256)],
  ['X16', '257 on the Envelope', onEnvelope(257)],
  ['X16', '256 on one element', withContent(`<a${repeat(256, (i) => ` xmlns:p${i}="urn:a"`)}/>`)],
  ['X16', '257 on one element', withContent(`<a${repeat(257, (i) => ` xmlns:p${i}="urn:a"`)}/>`)],
  [
    'X16',
    '1025 in scope',
    withContent(
      repeat(52, (k) => `<a${repeat(20, (i) => ` xmlns:p${k}.${i}="u"`)}>`) + '</a>'.repeat(52),
    ),
  ],
  ['X16', 'name of 1024', withContent(`<a xmlns:p="${'u'.repeat(1024)}"/>`)],
  ['X16', 'name of 1025', withContent(`<a xmlns:p="${'u'.repeat(1025)}"/>`)],
];

const broken = (bytes: string): string => withContent(`<a>${bytes}</a>`);
/** Bytes that are no UTF-8, written as Latin 1. */
const BYTES: readonly Row[] = [
  ['X22', 'overlong', broken('\xc0\xaf')],
  ['X22', 'CESU-8', broken('\xed\xa0\xbd\xed\xb8\x80')],
  ['X22', 'lone surrogate', broken('\xed\xa0\x80')],
  ['X22', 'truncated', broken('\xe2\x82')],
  ['X22', 'truncated at the end', `${PLAIN}\xf0\x9f\x98`],
  ['X22', 'continuation alone', broken('\x80')],
  ['X22', 'beyond Unicode', broken('\xf4\x90\x80\x80')],
  ['X22', 'in a name', withContent('<a\xff/>')],
  ['X22', 'in an attribute', withContent('<a b="\xc3"/>')],
];

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => utf16(text).swap16();
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const MARK = '\ufeff';
const declared = (encoding: string, content = 'x'): string =>
  `<?xml version="1.0" encoding="${encoding}"?>${withContent(content)}`;

/** Row, case, charset of the header (null for none), the message, and how it is written. */
const ENCODED: readonly (readonly [
  string,
  string,
  string | null,
  string,
  (text: string) => Buffer,
])[] = [
  ...['UTF-7', 'UTF-32', 'ISO-2022-JP', 'Shift_JIS', 'GB18030', 'EUC-KR'].map(
    (name) => ['X21', `header ${name}`, name.toLowerCase(), PLAIN, latin] as const,
  ),
  ['X21', 'header EBCDIC', 'ibm037', PLAIN, latin],
  ['X21', 'declared UTF-7', null, declared('UTF-7'), latin],
  ['X21', 'declared UTF-32', null, declared('UTF-32'), latin],
  ['X21', 'declared ISO-2022-JP', null, declared('ISO-2022-JP'), latin],
  ['X21', 'header in single quotes', "'utf-8'", PLAIN, latin],
  ['X21', 'declared Shift_JIS', null, declared('Shift_JIS', '\x83\x5c'), latin],
  ['X21', 'declared GBK', null, declared('GBK', '\x81\x40'), latin],
  ['X21', 'declared Big5', null, declared('Big5', '\xa4\x40'), latin],
  ['X21', 'declared EUC-JP', null, declared('EUC-JP', '\xa4\xa2'), latin],
  ['X21', 'declared EBCDIC', null, declared('IBM037'), latin],
  ['X21', 'bytes of EBCDIC', null, '\x4c\x6f\xa7\x94\x93\x40\xa5\x85', latin],
  ['X21', 'bytes of UTF-32', null, `\xff\xfe\0\0${[...PLAIN].join('\0\0\0')}\0\0\0`, latin],
  ['X21', 'header and declaration differ', 'utf-8', declared('ISO-8859-1'), latin],
  ['X21', 'header and mark differ', 'utf-8', MARK + PLAIN, utf16],
  ['X21', 'mark and declaration differ', null, MARK + declared('UTF-8'), big],
  ['X21', 'UTF-16 declared in single bytes', null, declared('UTF-16'), latin],
  ['X21', 'UTF-16 unannounced', null, PLAIN, utf16],
  ['X21', 'UTF-16 with mark', 'utf-16', MARK + declared('UTF-16', 'é😀'), utf16],
  ['X21', 'UTF-16 without mark', 'utf-16', declared('UTF-16', 'é😀'), big],
  ['X21', 'ISO-8859-1', 'iso-8859-1', declared('ISO-8859-1', 'é'), latin],
  ['X21', 'US-ASCII with more', 'us-ascii', declared('US-ASCII', 'é'), latin],
  ['X21', 'windows-1252', null, declared('windows-1252', '\x80'), latin],
  ['X21', 'ISO-8859-2', 'iso-8859-2', declared('ISO-8859-2', '\xb3'), latin],
  ['X21', 'windows-1251', null, declared('windows-1251', '\xcf'), latin],
  ['X21', 'single-byte encodings differ', 'windows-1250', declared('ISO-8859-2', '\xb3'), latin],
  ['X21', 'undefined byte', null, declared('windows-1250', '\x81'), latin],
  ['X22', 'in UTF-16', 'utf-16', `${MARK}${withContent('\ud800x')}`, utf16],
];

const encoded = ([
  row,
  name,
  charset,
  message,
  write,
]: (typeof ENCODED)[number]): readonly MessageVector[] =>
  DIALECT_NAMES.map((dialect) => ({
    row,
    case: name,
    dialects: [dialect],
    message: (own) => write(fill(message, own)),
    headers: {
      'Content-Type':
        DIALECTS[dialect].mediaType + (charset === null ? '' : `; charset=${charset}`),
    },
  }));

/** Longer messages are sent in one dialect: reading them is the same in all. */
const LONG_BYTES = 600;
const vector = ([row, name, message]: Row): MessageVector => ({
  row,
  case: name,
  message,
  ...(message.length > LONG_BYTES ? { dialects: ['1.1'] } : {}),
});

/** The vectors that are messages sent as a whole. */
export const xmlVectors = (trap: string): readonly MessageVector[] => [
  ...[...doctypes(trap), ...SYNTAX, ...SIZES, ...hints(trap)].map(vector),
  ...BYTES.map(
    ([row, name, message]): MessageVector => ({
      row,
      case: name,
      message: (dialect) => latin(fill(message, dialect)),
    }),
  ),
  ...ENCODED.flatMap(encoded),
  vector(['X07', 'in text', withContent('&#65;'.repeat(1_000_000))]),
];

/** What is refused while it is still open: the first bytes of a message that never goes on. */
export const UNFINISHED: readonly Row[] = [
  ['X10', 'before its end', `${OPEN}<E:Body>${'<a>'.repeat(30_000)}`],
  ['X14', 'never closed', `${OPEN}<E:Body><a b="${'v'.repeat(70_000)}`],
  ['X15', 'never ended', `${OPEN}<E:Body><${'n'.repeat(300)}`],
  ['X18', 'never ended', `${OPEN}<E:Body><!--${'c'.repeat(1_100)}`],
];
