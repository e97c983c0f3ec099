import t from 'tap';
import { assertSplitsAgree } from '../kit/splits.js';
import { type Outcome, read, result, textOf } from './log.js';

function outcomeOf(message: Uint8Array, charset: string | null): Outcome {
  return assertSplitsAgree(message, (pieces) => read(pieces, { charset }));
}

const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const declared = (encoding: string, text = 'x'): string =>
  `<?xml version="1.0" encoding="${encoding}"?><a>${text}</a>`;
const latin = (encoding: string, text: string): Buffer =>
  Buffer.from(declared(encoding, text), 'latin1');
const BOM = '\ufeff';

/** Encodings of single bytes, with words in them and their bytes. */
const BYTES: readonly (readonly [encoding: string, written: string, text: string])[] = [
  ['ISO-8859-2', 'Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1', 'Zażółć gęślą jaźń'],
  ['ISO-8859-3', '\xe6\xb1\xfd', 'ĉħŭ'],
  ['ISO-8859-4', '\xe0\xf1\xba', 'āņē'],
  ['ISO-8859-5', '\xbf\xe0\xd8\xd2\xd5\xe2', 'Привет'],
  ['ISO-8859-6', '\xe5\xd1\xcd\xc8\xc7', '\u0645\u0631\u062d\u0628\u0627'],
  ['ISO-8859-7', '\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1', 'Καλημέρα'],
  ['ISO-8859-8', '\xf9\xec\xe5\xed', '\u05e9\u05dc\u05d5\u05dd'],
  ['ISO-8859-9', '\xddstanbul \xfe\xf0\xfd', 'İstanbul şğı'],
  ['ISO-8859-10', '\xe0\xff', 'āĸ'],
  ['ISO-8859-11', '\xcd\xd2', '\u0e2d\u0e32'],
  ['ISO-8859-13', '\xe0\xe8\xf0\xfe', 'ąčšž'],
  ['ISO-8859-14', '\xf0\xfe', 'ŵŷ'],
  ['ISO-8859-15', '\xa4 \xbd \x80\x9f', '€ œ \x80\x9f'],
  ['ISO-8859-16', '\xba\xfe\xa4', 'șț€'],
  ['windows-874', '\x80\xcd', '€\u0e2d'],
  ['windows-1250', '\x80 \x8a\x9e\xb9', '€ Šžą'],
  ['windows-1251', '\xcf\xf0\xe8\xe2\xe5\xf2 \xb9', 'Привет №'],
  ['windows-1253', '\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1 \xa2', 'Καλημέρα Ά'],
  ['windows-1254', '\x80\xdd\xfe', '€İş'],
  ['windows-1255', '\x80\xf9\xa4', '€\u05e9₪'],
  ['windows-1256', '\x80\xe3', '€\u0645'],
  ['windows-1257', '\x80\xe0\xfe', '€ąž'],
  ['windows-1258', '\x80\xfe\xd2', '€₫\u0309'],
];

/** Other names of encodings in which the byte A0 is a no-break space. */
const NAMES: readonly (readonly [name: string, encoding: string])[] = [
  ['ISO_8859-2', 'iso-8859-2'],
  ['latin2', 'iso-8859-2'],
  ['latin5', 'iso-8859-9'],
  ['Latin-9', 'iso-8859-15'],
  ['cp1250', 'windows-1250'],
  ['CP1251', 'windows-1251'],
];

t.test('encodings that agree are read', async (t) => {
  const rows: readonly (readonly [string, Buffer, string | null, string, string])[] = [
    ['nothing said', Buffer.from('<a>é</a>'), null, 'utf-8', 'é'],
    ['byte order mark', Buffer.from(`${BOM}<a>é</a>`), null, 'utf-8', 'é'],
    [
      'byte order mark and declaration',
      Buffer.from(BOM + declared('UTF-8', 'é')),
      'utf-8',
      'utf-8',
      'é',
    ],
    ['declared in small letters', Buffer.from(declared('utf-8', 'é')), null, 'utf-8', 'é'],
    ['header alone', Buffer.from('<a>é</a>'), 'utf-8', 'utf-8', 'é'],
    ['UTF-16, little end first', utf16le(`${BOM}<a>é😀</a>`), null, 'utf-16le', 'é😀'],
    [
      'UTF-16, big end first',
      utf16be(BOM + declared('UTF-16', 'é😀')),
      'utf-16',
      'utf-16be',
      'é😀',
    ],
    ['UTF-16LE by header', utf16le('<a>é</a>'), 'utf-16le', 'utf-16le', 'é'],
    ['UTF-16BE by header', utf16be(declared('UTF-16BE', 'é')), 'utf-16be', 'utf-16be', 'é'],
    ['UTF-16 by header without mark', utf16le('<a>é</a>'), 'utf-16', 'utf-16le', 'é'],
    ['UTF-16 declared without mark', utf16be(declared('UTF-16', 'é😀')), null, 'utf-16be', 'é😀'],
    [
      'UTF-16LE declared without mark',
      utf16le(declared('UTF-16LE', 'é')),
      'utf-16',
      'utf-16le',
      'é',
    ],
    ['UTF-16 without mark behind white space', utf16be('\n<a>é</a>'), 'utf-16be', 'utf-16be', 'é'],
    ['ISO-8859-1 declared', latin('ISO-8859-1', 'é\x80\xff'), null, 'iso-8859-1', 'é\x80\xff'],
    ['ISO-8859-1 by header', Buffer.from('<a>é</a>', 'latin1'), 'iso-8859-1', 'iso-8859-1', 'é'],
    ['windows-1252', latin('windows-1252', '\x80\x9f\xe9'), 'windows-1252', 'windows-1252', '€Ÿé'],
    ['US-ASCII', latin('US-ASCII', 'e'), null, 'us-ascii', 'e'],
    ['a charset in single quotes', Buffer.from('<a>é</a>'), "'utf-8'", 'utf-8', 'é'],
    ['another in single quotes', latin('CP1250', '\x9a'), "'windows-1250'", 'windows-1250', 'š'],
    ...BYTES.map(([encoding, written, text]) => {
      const name = encoding.toLowerCase();
      return [encoding, latin(encoding, written), name, name, text] as const;
    }),
    ...NAMES.map(([name, encoding]) => {
      const message = Buffer.from('<a>\xa0</a>', 'latin1');
      return [name, message, name.toLowerCase(), encoding, '\xa0'] as const;
    }),
  ];
  for (const [what, message, charset, encoding, text] of rows) {
    const outcome = outcomeOf(message, charset);
    t.strictSame(
      [result(outcome), outcome.encoding, textOf(outcome)],
      ['accepted', encoding, text],
      what,
    );
  }
});

t.test('encodings that differ, are unknown or broken are refused', async (t) => {
  const rows: readonly (readonly [string, Buffer, string | null])[] = [
    ['header and declaration', Buffer.from(declared('UTF-8')), 'iso-8859-1'],
    ['declaration and header', Buffer.from(declared('ISO-8859-1')), 'utf-8'],
    ['mark and declaration', Buffer.from(BOM + declared('ISO-8859-1')), null],
    ['mark and header', Buffer.from(`${BOM}<a/>`), 'windows-1252'],
    ['mark of UTF-16 and declaration', utf16le(BOM + declared('UTF-8')), null],
    ['mark of UTF-16 and header', utf16le(`${BOM}<a/>`), 'utf-16be'],
    ['UTF-16 declared in single bytes', Buffer.from(declared('UTF-16')), null],
    ['UTF-16LE declared in single bytes', Buffer.from(declared('UTF-16LE')), null],
    ['UTF-16 by header in single bytes', Buffer.from('<a/>'), 'utf-16'],
    ['UTF-16 unannounced', utf16le('<a/>'), null],
    ['UTF-16 without mark and encoding', utf16be('<?xml version="1.0"?><a/>'), null],
    ['UTF-16 by header, the other end first', utf16be('<a/>'), 'utf-16le'],
    ['UTF-16 declared, the other end first', utf16le(declared('UTF-16BE')), null],
    ['UTF-16 declared as UTF-8', utf16le(declared('UTF-8')), null],
    ['UTF-7', Buffer.from(declared('UTF-7')), null],
    ['UTF-32', Buffer.from('<a/>'), 'utf-32'],
    ['Shift_JIS', Buffer.from(declared('Shift_JIS')), null],
    ['an unknown header', Buffer.from('<a/>'), 'x-user-defined'],
    ['an empty header', Buffer.from('<a/>'), ''],
    ['US-ASCII with more', latin('US-ASCII', 'é'), null],
    ['windows-1252 with a hole', latin('windows-1252', '\x81'), null],
    ['windows-1250 with a hole', latin('windows-1250', '\x81'), null],
    ['windows-1253 with a hole', latin('windows-1253', '\xaa'), null],
    ['ISO-8859-7 with a hole', latin('ISO-8859-7', '\xff'), null],
    ['a part of ISO 8859 that was never made', latin('ISO-8859-12', 'x'), null],
    ['GBK', latin('GBK', '\x81\x40'), null],
    ['GB18030', Buffer.from('<a/>'), 'gb18030'],
    ['Big5', latin('Big5', '\xa4\x40'), null],
    ['EUC-JP', latin('EUC-JP', '\xa4\xa2'), null],
    ['EUC-KR', latin('EUC-KR', '\xb0\xa1'), null],
    ['single quotes and another declaration', latin('ISO-8859-2', 'x'), "'utf-8'"],
    ['one single quote', Buffer.from('<a/>'), "'utf-8"],
    ['a lone high surrogate', utf16le(`${BOM}<a>\ud800</a>`), null],
    ['a lone low surrogate', utf16be(`${BOM}<a>\udc00</a>`), null],
    ['half a code unit', Buffer.concat([utf16le(`${BOM}<a/>`), Buffer.of(32)]), null],
    ['half a surrogate pair at the end', utf16le(`${BOM}<a/>\ud800`), null],
  ];
  for (const [what, message, charset] of rows) {
    t.equal(result(outcomeOf(message, charset)), 'XML_ENCODING', what);
  }
  t.equal(
    result(outcomeOf(utf16le(`${BOM}<a>\uffff</a>`), null)),
    'XML_NOT_WELLFORMED',
    'no character',
  );
});

t.test('the XML declaration', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['<?xml version="1.0"?><a/>', 'accepted'],
    ["<?xml\tversion = '1.0'\r\nencoding\n=\t'utf-8' standalone = 'yes' ?><a/>", 'accepted'],
    ['<?xml version="1.0" standalone="no"?>\n<a/>', 'accepted'],
    [`<?xml ${' '.repeat(200)}version="1.0"?><a/>`, 'accepted'],
    ['<?xml version="1.1"?><a/>', 'XML_VERSION'],
    ['<?xml version="2.0"?><a/>', 'XML_VERSION'],
    ['<?xml version="1.00"?><a/>', 'XML_VERSION'],
    ['<?xml version="1"?><a/>', 'XML_VERSION'],
    ['<?xml?><a/>', 'XML_PI_FORBIDDEN'],
    ['<?xml ?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml encoding="utf-8"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" encoding=""?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" encoding="1"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0"encoding="utf-8"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" standalone="yes" encoding="utf-8"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" standalone="maybe"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" version="1.0"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0\'?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0" x="y"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?xml version="1.0"><a/>', 'XML_NOT_WELLFORMED'],
    [`<?xml ${' '.repeat(300)}version="1.0"?><a/>`, 'XML_NOT_WELLFORMED'],
    ['<?XML version="1.0"?><a/>', 'XML_PI_FORBIDDEN'],
    ['<?xmlx version="1.0"?><a/>', 'XML_PI_FORBIDDEN'],
    ['<?xm', 'XML_PI_FORBIDDEN'],
    ['<?xml', 'XML_PI_FORBIDDEN'],
    ['<?xml version="1.0"', 'XML_NOT_WELLFORMED'],
    ['', 'XML_NOT_WELLFORMED'],
    [BOM, 'XML_NOT_WELLFORMED'],
    [`${BOM}${BOM}<a/>`, 'XML_NOT_WELLFORMED'],
  ];
  for (const [message, expected] of rows) {
    t.equal(result(outcomeOf(Buffer.from(message), null)), expected, message);
  }
});
