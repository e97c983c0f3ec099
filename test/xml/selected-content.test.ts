import assert from 'node:assert/strict';

import fc from 'fast-check';
import t from 'tap';

import { Refusal } from '../../src/core/refusals/refusal.js';
import { SELECTED_NAME_MAX } from '../../src/xml/assembly/layout.js';
import {
  ALL,
  type ChildSelection,
  ELEMENTS_ONLY,
  type Interest,
  type SelectedChild,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../src/xml/events.js';
import type { XmlLimits } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { cutAt, splitsOf } from '../kit/splits.js';
import { LIMITS } from './log.js';

const URI = 'urn:p';

const child = (
  local: string,
  content: SelectedChild['content'],
  hasAttributes = false,
): SelectedChild => ({ name: { uri: URI, local }, content, hasAttributes });

const address: ChildSelection = { children: [child('city', 'text'), child('zip', 'text')] };
const order: ChildSelection = {
  children: [
    child('id', 'text'),
    child('note', 'text'),
    child('address', address),
    child('lines', { children: [child('line', { children: [child('no', 'text')] }, true)] }),
    child('other', null),
  ],
};
const list: ChildSelection = { children: [child('order', order, true)] };

/** An open element: the selection of its content, its text, or nothing where it is skipped. */
interface Open {
  readonly local: string;
  readonly selection: ChildSelection | null;
  text: string | null;
}

/** Logs what is selected, and answers `SKIP` for the rest and for the objects named here. */
class SelectingHandler implements XmlHandler {
  readonly log: string[] = [];
  leaves = 0;
  readonly #open: Open[] = [];
  readonly #skipped: string;

  constructor(skipped: string) {
    this.#skipped = skipped;
  }

  get selection(): ChildSelection | null {
    return this.#open.at(-1)?.selection ?? null;
  }

  open(tag: StartTag): Interest {
    const { local } = tag;
    const around = this.#open.at(-1);
    const selected =
      around === undefined
        ? child(local, list)
        : around.selection?.children.find(
            ({ name }) => name.local === local && (name.uri === tag.uri || tag.uri === ''),
          );
    if (selected === undefined) {
      this.#open.push({ local, selection: null, text: null });
      return SKIP;
    }
    const isSkipped = local === this.#skipped;
    const { content } = selected;
    if (content === 'text' || content === null) {
      const attributes = content === null || tag.attributeCount > 0;
      this.log.push(`open ${local}${attributes ? ` of ${tag.attributeCount}` : ''}`);
      this.#open.push({ local, selection: null, text: '' });
      return ALL;
    }
    const attributes = Array.from({ length: tag.attributeCount }, (_, index) => {
      const [uri, name] = [tag.attributeUri(index), tag.attributeLocal(index)];
      assert.equal(tag.attribute(uri, name), tag.attributeValue(index));
      return `{${uri}}${name}=${tag.attributeValue(index)}`;
    });
    const { depth, offsetBytes, contentBytes, prefix } = tag;
    const bound = tag.namespace(prefix);
    this.log.push(
      `open ${depth} ${offsetBytes} ${contentBytes} ${prefix}:${local} {${bound}}` +
        (selected.hasAttributes ? attributes.join(' ') : ''),
    );
    this.#open.push({ local, selection: isSkipped ? null : content, text: null });
    return isSkipped ? SKIP : ELEMENTS_ONLY;
  }

  leaf(place: number, text: string): void {
    this.leaves++;
    const selected = this.selection?.children[place];
    assert.equal(selected?.content, 'text');
    this.log.push(`open ${selected?.name.local}`, `text ${text}`);
  }

  text(chars: string): void {
    const open = this.#open.at(-1);
    assert(open !== undefined && open.text !== null);
    open.text += chars;
  }

  close(contentEndBytes: number, endBytes: number): void {
    const open = this.#open.pop();
    assert(open !== undefined);
    if (open.text !== null) this.log.push(`text ${open.text}`);
    else if (open.selection !== null || open.local === this.#skipped)
      this.log.push(`close ${open.local} ${contentEndBytes} ${endBytes}`);
  }
}

interface Options {
  readonly limits?: Partial<XmlLimits>;
  /** The handler skips these objects, though they are selected. */
  readonly skipped?: string;
}

function read(pieces: readonly Uint8Array[], { limits = {}, skipped = '' }: Options = {}) {
  const handler = new SelectingHandler(skipped);
  const reader = new XmlReader(handler, { ...LIMITS, ...limits });
  reader.begin(null);
  let refusal: string | null = null;
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    refusal = `${caught.code}: ${caught.detail}`;
  }
  const { elements, skippedBytes } = reader;
  const outcome = {
    log: handler.log,
    refusal,
    elements,
    ...(skipped === '' ? { skippedBytes } : {}),
  };
  return { outcome, leaves: handler.leaves };
}

/** In pieces so small that the skimmer is left out. */
function stepwise(message: Buffer, options: Options = {}) {
  const { outcome, leaves } = read(
    Array.from(message, (byte) => Uint8Array.of(byte)),
    options,
  );
  assert.equal(leaves, 0);
  return outcome;
}

const within = (content: string): Buffer =>
  Buffer.from(
    `<p:list xmlns:p="${URI}" xmlns:q="urn:q" xmlns:same="${URI}" ` +
      `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${content}</p:list>${' '.repeat(100)}`,
  );

const LEAVES = [
  '<p:id>1</p:id>',
  '<p:id/>',
  '<p:id></p:id>',
  '<p:id >2</p:id>',
  '<p:id>2</p:id >',
  '<p:id q:a="1">3</p:id>',
  '<p:id xsi:nil="true"/>',
  '<q:id>4</q:id>',
  '<id>5</id>',
  '<same:id>6</same:id>',
  '<p:note>a &amp; b&#13;c &#x1F600; d</p:note>',
  '<p:note>é\r\nf\rg &lt;&gt;</p:note>',
  '<p:note>h<![CDATA[<i>]]>j<!-- k -->l</p:note>',
  '<p:note>m<p:id>n</p:id>o</p:note>',
  '<p:note>more than sixteen bytes of text, with a tab\tin it</p:note>',
  '<p:note> ]] > </p:note>',
];
const OTHERS = [
  '<p:x>t</p:x>',
  '<q:note-of>t<p:id>1</p:id></q:note-of>',
  '<p:x a="1" q:b="2"><p:id>1</p:id><p:y/></p:x>',
  '<p:x xmlns:p="urn:other"><p:id/></p:x>',
  '<p:x><![CDATA[]]]]><!-- --></p:x>',
  '<p:other b="1">t</p:other>',
  '<!-- c -->',
  'text &amp; ',
  '\n   ',
  '<p:x/>',
];
const OBJECTS = [
  '<p:address><p:city>c</p:city><p:zip>z</p:zip></p:address>',
  '<p:address b="1"><p:country>d</p:country><p:city>c</p:city></p:address>',
  '<p:address xsi:nil="true"/>',
  '<p:address/>',
  '<p:address></p:address>',
  '<p:lines><p:line no="1"><p:no>1</p:no></p:line></p:lines>',
  '<p:lines><p:line no="2 &amp; \té" a=">"></p:line></p:lines>',
  '<p:lines><p:line q:no="1"><p:no>1</p:no></p:line>\n<p:line xml:lang="en"/></p:lines>',
  '<p:lines xmlns:z="urn:z"><p:line><p:no>1</p:no></p:line></p:lines>',
];
const BROKEN = [
  '<p:id>1</p:note>',
  '<p:id>&nbsp;</p:id>',
  '<p:id>]]></p:id>',
  '<p:id>\x01</p:id>',
  '</p:order>',
  '<p:address a="1" a="2"/>',
  '<p:line a="<">',
  '<u:id>1</u:id>',
  '<p:x>',
];

t.test('every element is reported or passed over as step by step, at every cut', (t) => {
  let leaves = 0;
  for (const part of [...LEAVES, ...OTHERS, ...OBJECTS, ...BROKEN]) {
    const message = within(
      `<p:order n="1"><p:id>0</p:id>${part}<p:x>t</p:x></p:order><p:order><p:id>9</p:id></p:order>`,
    );
    const expected = stepwise(message);
    const whole = read([message]);
    assert.deepStrictEqual(whole.outcome, expected, part);
    leaves += whole.leaves;
    for (const [how, pieces] of splitsOf(message))
      assert.deepStrictEqual(read(pieces).outcome, expected, `${part} ${how}`);
  }
  t.ok(leaves > 80, `${leaves} leaves`);
  t.end();
});

t.test('what a handler skips though it is selected has no events', (t) => {
  const orders = `<p:order>${OBJECTS.join('')}<p:id>1</p:id></p:order>`.repeat(2);
  const content = `${orders}<p:x>t</p:x>`;
  for (const skipped of ['order', 'address', 'lines', 'line']) {
    const message = within(content);
    const expected = stepwise(message, { skipped });
    assert.deepStrictEqual(read([message], { skipped }).outcome, expected);
    for (const [how, pieces] of splitsOf(message))
      assert.deepStrictEqual(read(pieces, { skipped }).outcome, expected, `${skipped} ${how}`);
  }
  t.end();
});

t.test('lists of all kinds of elements are read as step by step', (t) => {
  const part = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...LEAVES) },
    { weight: 20, arbitrary: fc.constantFrom(...OTHERS) },
    { weight: 20, arbitrary: fc.constantFrom(...OBJECTS) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  );
  const orders = fc
    .array(fc.array(part, { maxLength: 8 }), { minLength: 1, maxLength: 8 })
    .map((all) => within(all.map((parts) => `<p:order>${parts.join('')}</p:order>`).join('')));
  fc.assert(
    fc.property(orders, fc.array(fc.nat(), { maxLength: 6 }), (message, places) => {
      const expected = stepwise(message);
      assert.deepStrictEqual(read([message]).outcome, expected);
      assert.deepStrictEqual(read(cutAt(message, places)).outcome, expected);
    }),
    { numRuns: 400 },
  );
  t.end();
});

t.test('more events than are kept at once, and more bytes than are held', (t) => {
  const content = Array.from(
    { length: 3000 },
    (_, n) => `<p:order n="${n}"><p:id>${n}</p:id><p:x>${'x'.repeat(n % 90)}</p:x></p:order>`,
  ).join('');
  const message = within(content);
  const expected = stepwise(message);
  t.equal(expected.refusal, null);
  const whole = read([message]);
  t.same(whole.outcome, expected);
  t.ok(whole.leaves > 2900, `${whole.leaves}`);
  t.same(read(cutAt(message, [1000, 70_000, 70_001, 140_000])).outcome, expected);
  t.end();
});

t.test('limits hold at their edge', (t) => {
  const rows: readonly (readonly [
    code: string,
    limits: Partial<XmlLimits>,
    content: (count: number) => string,
  ])[] = [
    ['XML_TEXT_LIMIT', { textBytes: 60 }, (n) => `<p:id>${'t'.repeat(n)}</p:id>`],
    ['XML_TEXT_LIMIT', { textBytes: 60 }, (n) => `<p:id>${'t'.repeat(n - 1)}&amp;</p:id>`],
    ['XML_CHILD_LIMIT', { children: 60 }, (n) => '<p:id>1</p:id>'.repeat(n)],
    ['XML_CHILD_LIMIT', { children: 60 }, (n) => '<p:address></p:address>'.repeat(n)],
    ['XML_ELEMENT_LIMIT', { elements: 60 }, (n) => '<p:id>1</p:id>'.repeat(n - 2)],
    [
      'XML_DEPTH_LIMIT',
      { depth: 4 },
      (n) => `<p:lines><p:line>${n > 60 ? '<p:no>1</p:no>' : ''}</p:line></p:lines>`,
    ],
    [
      'XML_ATTR_VALUE_LIMIT',
      { attributeValueBytes: 60 },
      (n) => `<p:address a="${'a'.repeat(n)}"/>`,
    ],
  ];
  for (const [code, limits, content] of rows) {
    const [most, over] = [60, 61].map((count) => within(`<p:order>${content(count)}</p:order>`));
    assert(most !== undefined && over !== undefined);
    t.equal(read([most], { limits }).outcome.refusal, null, `${code}: at most`);
    const { outcome } = read([over], { limits });
    t.match(outcome.refusal, code, `${code}: one more`);
    t.same(outcome, stepwise(over, { limits }));
  }
  t.end();
});

t.test('selections without room for all of them take turns', (t) => {
  const many = (from: string, inner: ChildSelection | null): ChildSelection => ({
    children: Array.from({ length: 400 }, (_, n) => child(`${from}${n}`, n > 0 ? 'text' : inner)),
  });
  const passes = (selection: ChildSelection): number => {
    const [, second, third] = selection.children.map(({ name }) => name.local);
    const content = `<p:${second}>text</p:${second}><p:${third}>text</p:${third}>`;
    return leavesOf(selection, content.repeat(3));
  };
  const selections = ['a', 'b', 'c', 'd'].map((from) => many(from, null));
  selections.push(many('e', many('f', many('g', many('h', null)))));
  for (const selection of selections) {
    const read = Array.from({ length: 80 }, () => passes(selection));
    t.equal(read.at(-1), 6, 'it has room');
    t.equal(Math.max(...read), 6);
  }
  t.end();
});

t.test('content of a child that is known later is read as soon as it is', (t) => {
  let isKnown = false;
  const row: SelectedChild = {
    name: { uri: URI, local: 'row' },
    get content() {
      return isKnown ? { children: [child('id', 'text')] } : null;
    },
    get hasAttributes() {
      return isKnown;
    },
  };
  const selection = { children: [child('first', 'text'), row] };
  const content = `<p:first>1</p:first>${'<p:row a="1"><p:id>1</p:id></p:row>'.repeat(10)}`;
  t.equal(leavesOf(selection, content), 1);
  isKnown = true;
  t.equal(leavesOf(selection, content), 11);
  t.end();
});

t.test('names of selected children are held up to a length, and in ASCII', async (t) => {
  for (const [local, isHeld] of [
    ['a'.repeat(SELECTED_NAME_MAX), true],
    ['a'.repeat(SELECTED_NAME_MAX + 1), false],
    ['é', false],
  ] as const) {
    const selection = { children: [child('id', 'text'), child(local, 'text')] };
    const read = leavesOf(selection, `<p:id>1</p:id>${`<p:${local}>text</p:${local}>`.repeat(3)}`);
    t.equal(read, isHeld ? 4 : 0, local);
  }
});

/** How many leaves of this content are reported as such. */
function leavesOf(selection: ChildSelection, content: string): number {
  let leaves = 0;
  const handler: XmlHandler = {
    selection,
    open: () => ELEMENTS_ONLY,
    close() {},
    text() {},
    leaf: () => void leaves++,
  };
  const reader = new XmlReader(handler, LIMITS);
  reader.write(within(content));
  reader.end();
  return leaves;
}
