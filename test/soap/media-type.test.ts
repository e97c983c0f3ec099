import fc from 'fast-check';
import t from 'tap';

import { DIALECT_NAMES, DIALECTS } from '../../src/soap/dialect.js';
import {
  dialectsOfMediaType,
  printMediaType,
  readMediaType,
} from '../../src/soap/mime/media-type.js';

t.test('every spelling that was seen on the wire is read', async (t) => {
  const soap = 'application/soap+xml';
  const cases: readonly (readonly [string, string, string | null, string | null])[] = [
    ['text/xml', 'text/xml', null, null],
    ['text/xml; charset=utf-8', 'text/xml', 'utf-8', null],
    ['text/xml;charset=utf-8', 'text/xml', 'utf-8', null],
    ['text/xml;charset="utf-8"', 'text/xml', 'utf-8', null],
    ['text/xml ;charset=utf-16', 'text/xml', 'utf-16', null],
    ['TEXT/XML; CHARSET=UTF-8', 'text/xml', 'utf-8', null],
    ['  text/xml  ', 'text/xml', null, null],
    ['text/xml;', 'text/xml', null, null],
    ['text/xml; charset=utf-8;', 'text/xml', 'utf-8', null],
    ['text/xml;; charset=utf-8; ;', 'text/xml', 'utf-8', null],
    ['text/xml;\tcharset=iso-8859-1', 'text/xml', 'iso-8859-1', null],
    [`${soap}; charset=utf-8; action="urn:a/B"`, soap, 'utf-8', 'urn:a/B'],
    [`${soap}; action="urn:a;b=c, d"; charset=utf-8`, soap, 'utf-8', 'urn:a;b=c, d'],
    [`${soap}; action=""`, soap, null, ''],
    [`${soap}; charset=utf-8; action="None"`, soap, 'utf-8', 'None'],
    [`${soap};charset=utf-8;action="a"`, soap, 'utf-8', 'a'],
    [`${soap};action=Echo`, soap, null, 'Echo'],
    [`${soap}; action="a\\"b\\\\c"`, soap, null, 'a"b\\c'],
    [`${soap}; action="a" ; charset=utf-8`, soap, 'utf-8', 'a'],
    ['text/xml; __proto__=a; constructor=b; charset=utf-8', 'text/xml', 'utf-8', null],
    ['text/html', 'text/html', null, null],
  ];
  for (const [header, name, charset, action] of cases)
    t.same(readMediaType(header), { name, charset, action }, header);
});

t.test('what is malformed is no media type', async (t) => {
  for (const header of [
    '',
    ' ',
    'text',
    'text/',
    '/xml',
    'text/xml/more',
    'te xt/xml',
    'text/xml, text/html',
    'text/xml; charset',
    'text/xml; charset=',
    'text/xml; charset="utf-8',
    'text/xml; charset="utf-8\\',
    'text/xml; charset="utf-8"x',
    'text/xml; charset=utf-8; charset=utf-16',
    'text/xml; charset=utf-8; CHARSET=utf-8',
    'text/xml; =utf-8',
    'text/xml; cha rset=utf-8',
    'text/xml; charset=utf 8',
    'text/xml\r\nX: y',
    'text/xml; charset=utf-8\r\nX: y',
    `text/xml; a=${'b'.repeat(3000)}`,
    `text/${'x'.repeat(128)}`,
  ]) {
    t.equal(readMediaType(header), null, JSON.stringify(header).slice(0, 60));
  }
  t.equal(readMediaType(undefined), null);
});

t.test('reading never throws, and what it reads is in lower case', async (t) => {
  const pieces = fc.constantFrom(
    'text/xml',
    'a/b',
    ';',
    '; ',
    '=',
    '"',
    '\\',
    ' ',
    'charset',
    'action',
    'utf-8',
    ',',
  );
  const header = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  const check = fc.check(
    fc.property(header, (text) => {
      const read = readMediaType(text);
      if (read === null) return true;
      return /^[^/\s;"]+\/[^/\s;"]+$/.test(read.name) && read.name === read.name.toLowerCase();
    }),
    { numRuns: 2000 },
  );
  t.notOk(check.failed, JSON.stringify(check.counterexample));
});

t.test('the time is bounded for whatever fits the length', async (t) => {
  const started = performance.now();
  for (const piece of ['a=b;', ';', '"', 'a="";', 'a="\\\\";', '=', ' ', 'text/xml;', 'a=";']) {
    for (let index = 0; index < 100; index++)
      readMediaType(`text/xml;${piece.repeat(2000 / piece.length)}`);
  }
  t.comment(`took ${Math.round(performance.now() - started)} ms`);
});

t.test('what is printed is read again', async (t) => {
  for (const name of DIALECT_NAMES) {
    const dialect = DIALECTS[name];
    for (const action of [null, '', 'urn:a', 'a "quoted" \\ one', 'a; charset=utf-16']) {
      const read = readMediaType(printMediaType(dialect, action));
      const carried = name === '1.2' && action !== '' ? action : null;
      t.same(
        read,
        { name: dialect.mediaType, charset: 'utf-8', action: carried },
        `${name} ${action}`,
      );
    }
  }
});

t.test(
  'a media type stands for the dialects that travel under it, in the order of the service',
  async (t) => {
    const names = (type: string) =>
      dialectsOfMediaType(type, ['1.2', '1.1', '2001-12']).map(({ name }) => name);
    t.same(names('application/soap+xml'), ['1.2', '2001-12']);
    t.same(names('text/xml'), ['1.1']);
    t.same(names('text/html'), []);
  },
);
