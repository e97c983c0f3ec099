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
