import assert from 'node:assert/strict';

import fc from 'fast-check';
import t from 'tap';

import { Refusal } from '../../src/core/refusals/refusal.js';
import { ELEMENTS as ELEMENTS_WORD } from '../../src/xml/assembly/layout.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  WATCH,
  type XmlHandler,
} from '../../src/xml/events.js';
import { InterestFilter } from '../../src/xml/interest-filter.js';
import { XmlReader } from '../../src/xml/reader.js';
import { skimMemory } from '../../src/xml/skim-memory.js';
import { TeeHandler } from '../../src/xml/tee-handler.js';
import { assertSplitsAgree, cutAt } from '../kit/splits.js';
import { LIMITS } from './log.js';

const WATCHED: ReadonlySet<string> = new Set(['urn:w', 'urn:v']);

const WATCHED_WITH_IDS: ReadonlySet<string> = new Set([...WATCHED, '']);
const IDS: ReadonlySet<string> = new Set(['Id', 'ID', 'id', 'AssertionID']);

/** Names of elements with watched attributes, where each begins, and the values. */
type Seen = readonly string[];

/** Keeps the elements below the document element that have watched attributes. */
class Watcher implements XmlHandler {
  readonly watched: ReadonlySet<string>;
  readonly seen: string[] = [];
  readonly #interest: Interest;
  closed = 0;

  /** With `WATCH` the reader finds them, else this handler. */
  constructor(interest: Interest, watched = WATCHED) {
    this.#interest = interest;
    this.watched = watched;
  }

  open(tag: StartTag): Interest {
    if (tag.depth > 1) this.watch(tag);
    return this.#interest;
  }

  watch(tag: StartTag): void {
    const values = Array.from({ length: tag.attributeCount }, (_, at) => at)
      .filter(
        (at) =>
          this.watched.has(tag.attributeUri(at)) &&
          (tag.attributeUri(at) !== '' || IDS.has(tag.attributeLocal(at))),
      )
      .map((at) => `${tag.attributeLocal(at)}=${tag.attributeValue(at)}`);
    if (values.length === 0) return;
    this.seen.push(`{${tag.uri}}${tag.local} ${tag.depth} ${tag.offsetBytes} ${values.join()}`);
  }

  close(): void {
    this.closed++;
  }

  text(): void {}
}

/** What was seen, and the code of the refusal. */
function watch(pieces: Iterable<Uint8Array>, watcher: Watcher, handler: XmlHandler = watcher) {
  const reader = new XmlReader(handler, LIMITS);
  let refusal: string | null = null;
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    refusal = caught.code;
  }
  return { seen: watcher.seen as Seen, refusal, closed: watcher.closed };
}

/** Behind it is room, so that the end of the message is not near. */
const within = (content: string): Buffer =>
  Buffer.from(`<r xmlns:w="urn:w" xmlns:o="urn:o" xmlns="urn:d">${content}</r>${' '.repeat(100)}`);

const PARTS = [
  '<a>text</a>',
  '<a b="1" o:b="2">é</a>',
  '<a w:b="1"/>',
  '<w:a b="1"><o:a w:c="&lt;" o:d="2">t</o:a></w:a>',
  '<a><a><a w:b="x" w:c="y"></a></a></a>',
  '<a xmlns:v="urn:v" v:b="1"><b v:b="2"/><b o:b="3"/></a>',
  '<a xmlns:w="urn:o" w:b="1"><b w:b="2"/></a>',
  '<a xmlns:o="urn:w"><b o:b="1"/><b b="2"/></a>',
  "<a w:b='1'></a >",
  '<w:a><![CDATA[<a w:b="1"/>]]></w:a>',
  '<!-- <a w:b="1"/> -->',
  `<a>${'<long-name b="1">'.repeat(20)}${'</long-name>'.repeat(20)}</a>`,
];

t.test('watched attributes in skipped content are reported as they are in content', (t) => {
  const part = fc.constantFrom(...PARTS);
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat({ max: 400 }), { maxLength: 4 }),
      (parts, places) => {
        const message = within(parts.join(''));
        const { seen } = watch([message], new Watcher(ELEMENTS_ONLY));
        assert.deepStrictEqual(watch(cutAt(message, places), new Watcher(WATCH)), {
          seen,
          refusal: null,
          closed: 1,
        });
      },
    ),
    { numRuns: 2000 },
  );
  t.end();
});

t.test('Ids without a namespace are watched where the handler asks for them', (t) => {
  const names = ['Id', 'ID', 'id', 'iD', 'AssertionID', 'assertionID', 'o:Id', 'w:Id', 'Idx', 'i'];
  const tags = names.map((name) => `<a b="1" ${name}="2" c="3"><b ${name}='4'/></a>`);
  const message = within(tags.join('<c>text</c>'));
  for (const watched of [WATCHED, WATCHED_WITH_IDS]) {
    const { seen } = watch([message], new Watcher(ELEMENTS_ONLY, watched));
    t.equal(seen.length, watched === WATCHED ? 2 : 10);
    t.same(
      assertSplitsAgree(message, (pieces) => watch(pieces, new Watcher(WATCH, watched)).seen),
      seen,
    );
  }
  t.end();
});

t.test('wherever the message is cut', (t) => {
  const message = within(PARTS.join(''));
  const { seen } = watch([message], new Watcher(ELEMENTS_ONLY));
  t.equal(seen.length, 7);
  t.same(
    assertSplitsAgree(message, (pieces) => watch(pieces, new Watcher(WATCH)).seen),
    seen,
  );
  t.end();
});

t.test('an equal scope is not taken for one with other watched namespaces', (t) => {
  const message = within('<a w:b="1"/>'.repeat(50));
  for (const [interest, count] of [
    [SKIP, 0],
    [WATCH, 50],
    [SKIP, 0],
    [WATCH, 50],
  ] as const)
    t.equal(watch([message], new Watcher(interest)).seen.length, count);
  t.end();
});

t.test('content without watched attributes goes through the skimmer, all of it', (t) => {
  const reader = new XmlReader(new Watcher(WATCH), LIMITS);
  skimMemory.setWord(ELEMENTS_WORD, 0);
  reader.write(within('<a b="1" o:e="2"><o:c>text</o:c></a>'.repeat(100)));
  reader.end();
  t.ok(reader.elements > 200);
  t.equal(skimMemory.word(ELEMENTS_WORD), reader.elements);
  t.end();
});

t.test('a refusal of what is watched ends the message', (t) => {
  class Refusing extends Watcher {
    override watch(): void {
      throw new Refusal('SOAP_ARRAY_LIMIT');
    }
  }
  const message = within(`${'<a b="1"/>'.repeat(50)}<a w:b="1"/>`);
  t.equal(watch([message], new Refusing(WATCH)).refusal, 'SOAP_ARRAY_LIMIT');
  t.end();
});

t.test('a handler beside one that reads more is passed the same', (t) => {
  const message = within(PARTS.join(''));
  const { seen } = watch([message], new Watcher(ELEMENTS_ONLY));
  const beside = new Watcher(WATCH);
  const tee = new TeeHandler(beside, new Watcher(ELEMENTS_ONLY));
  t.same(watch([message], beside, tee), { seen, refusal: null, closed: 1 });
  const filtered = new Watcher(WATCH);
  t.same(watch([message], filtered, new InterestFilter(filtered)), {
    seen,
    refusal: null,
    closed: 1,
  });
  t.end();
});
