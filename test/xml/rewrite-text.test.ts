import fc from 'fast-check';
import t from 'tap';

import {
  collapseSpaces,
  Rewriting,
  rewriteText,
  writeInAscii,
} from '../../src/xml/rewrite-text.js';

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['"', '&quot;'],
  ['\t', ' '],
  ['\r', ''],
]);
const REWRITING = new Rewriting(WRITTEN);

/** Texts of a few characters that are repeated, so that they go over the ends of slices. */
const texts = fc
  .tuple(
    fc.array(fc.constantFrom(...'a&<"\t\r\n é€\u{1f600}'), { maxLength: 12 }),
    fc.integer({ min: 1, max: 3000 }),
  )
  .map(([characters, times]) => characters.join('').repeat(times));

t.test('a text is rewritten as character by character, however long it is', async () => {
  fc.assert(
    fc.property(texts, (text) => {
      const expected = [...text].map((character) => WRITTEN.get(character) ?? character).join('');
      return rewriteText(text, REWRITING) === expected;
    }),
  );
});

t.test('characters beyond ASCII are written as references', async () => {
  fc.assert(
    fc.property(texts, (text) => {
      const expected = text.replaceAll(
        /[^\t\n\r\x20-\x7e]/gu,
        (character) => `&#${character.codePointAt(0)};`,
      );
      return writeInAscii(text) === expected;
    }),
  );
});

t.test('white space is collapsed over the ends of slices', async () => {
  fc.assert(
    fc.property(texts, (text) => collapseSpaces(text) === text.replaceAll(/[ \t\n\r]+/g, ' ')),
  );
});
