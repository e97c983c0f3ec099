import fc from 'fast-check';
import t from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { MessageVerifier } from '../../src/wss/message-verifier.js';
import { SignedContent } from '../../src/wss/signed-content.js';
import { EMPTY_TAGS_MAX } from '../../src/xml/assembly/layout.js';
import {
  type CanonicalMethod,
  canonicalMethodOf,
} from '../../src/xml/canonical/canonical-method.js';
import { type CanonicalSink, CanonicalWriter } from '../../src/xml/canonical/canonical-writer.js';
import {
  type CanonicalContent,
  type CanonicalRun,
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  WATCH,
  type XmlHandler,
} from '../../src/xml/events.js';
import { InterestFilter } from '../../src/xml/interest-filter.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { readXml, refusalOf } from '../kit/read-xml.js';
import { signedMessage, WSU } from '../kit/signed-message.js';
import { cutAt } from '../kit/splits.js';
import { rulesTrusting } from './trusting-rules.js';

/**
 * Signed content that is digested as it stands comes to the same canonical form as content whose
 * events are reported one by one, and nothing is passed over that must be looked at.
 */

const LIMITS = { ...defaultsOf(XML_LIMITS), children: 100, attributes: 5, depth: 12 };
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const WATCHED = 'urn:watched';

const methodOf = (identifier: string, prefixes: readonly string[] = []): CanonicalMethod => {
  const method = canonicalMethodOf(identifier, new Set(prefixes));
  if (method === null) throw new Error(identifier);
  return method;
};

const METHODS = [
  methodOf(EXCLUSIVE),
  methodOf(EXCLUSIVE, ['p', '']),
  methodOf(`${EXCLUSIVE}WithComments`),
  methodOf(INCLUSIVE),
  methodOf('http://www.w3.org/2006/12/xml-c14n11'),
];

class Collector implements CanonicalSink {
  text = '';

  write(chars: string): void {
    this.text += chars;
  }

  writeTag(before: string, name: string): void {
    this.text += `${before}${name}>`;
  }

  writeAscii(): boolean {
    return false;
  }

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.text += Buffer.from(bytes.slice(start, end)).toString();
  }
}

/** What came of a message. */
interface Outcome {
  text: string;
  /** The start tags that the handler of the message was told, as it watches some. */
  readonly watched: string[];
  readonly ids: string[];
  refusal: string | null;
  passedBytes: number;
}

/** Signs the child of the document element, whose handler skips what is `skipFrom` deep. */
class Signing implements XmlHandler {
  readonly outcome: Outcome = { text: '', watched: [], ids: [], refusal: null, passedBytes: 0 };
  readonly #sink = new Collector();
  readonly #writer: CanonicalWriter;
  readonly #inner: InterestFilter;
  readonly #content: SignedContent | undefined;
  #depth = 0;

  constructor(method: CanonicalMethod, interest: Interest, skipFrom: number, passes: boolean) {
    this.#writer = new CanonicalWriter(method, this.#sink);
    const { watched } = this.outcome;
    this.#inner = new InterestFilter({
      watched: new Set([WATCHED]),
      open: ({ depth, local }) => {
        watched.push(`open ${local}`);
        return depth < skipFrom ? ELEMENTS_ONLY : interest;
      },
      close: () => watched.push('close'),
      watch: (tag) => {
        if (tag.attribute(WATCHED, 'w') !== null) watched.push(tag.local);
      },
      text() {},
    });
    this.#content = passes
      ? new SignedContent({
          writer: this.#writer,
          inner: this.#inner,
          depth: () => this.#depth,
          onPass: (run) => this.#pass(run),
        })
      : undefined;
  }

  get canonicalContent(): CanonicalContent | null | undefined {
    return this.#writer.depth > 0 && this.#inner.skipped > 0 ? this.#content : null;
  }

  #pass(run: CanonicalRun): void {
    this.outcome.passedBytes += run.end - run.start;
    this.#writer.content(run, this.#depth - run.lowest);
    const before = this.#depth;
    this.#depth = run.lowest + run.opened.length;
    this.#inner.move(this.#depth - before);
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth !== tag.depth) throw new Error('another depth than that of the reader');
    this.#inner.open(tag);
    const id = tag.attribute('', 'Id');
    if (id !== null) this.outcome.ids.push(id);
    return this.#depth === 1 ? ELEMENTS_ONLY : this.#writer.open(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#depth-- > 1) this.#writer.close();
    this.#inner.close(contentEndBytes, endBytes);
    this.outcome.text = this.#sink.text;
  }

  text(chars: string): void {
    this.#writer.text(chars);
  }

  comment(chars: string): void {
    if (this.#writer.depth > 0) this.#writer.comment(chars);
  }
}

type Options = readonly [method: CanonicalMethod, interest: Interest, skipFrom: number];

function read(chunks: Iterable<Uint8Array>, options: Options, passes: boolean): Outcome {
  const handler = new Signing(...options, passes);
  const reader = new XmlReader(handler, LIMITS);
  try {
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    handler.outcome.refusal = `${caught.code} ${caught.rule}`;
    // What was written before the refusal depends on how far the skimmer came.
    handler.outcome.text = '';
    handler.outcome.watched.length = 0;
    handler.outcome.ids.length = 0;
  }
  return handler.outcome;
}

const local = fc.constantFrom('a', 'row', 'x-1', 'é', 'aVeryLongNameOfAnElement', 'Include');
const value = fc
  .array(
    fc.constantFrom('v', '1', '&lt;', '&quot;', '&amp;', '&gt;', '&#65;', '>', "'", 'é', '\n'),
    {
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(''));
const attribute = fc
  .tuple(
    fc.constantFrom(' ', ' ', ' ', '  ', '\n'),
    attributeName(),
    value,
    fc.constantFrom('"', '"', "'"),
  )
  .map(
    ([space, name, text, quote]) => `${space}${name}=${quote}${text.replaceAll(quote, '')}${quote}`,
  );

function attributeName(): fc.Arbitrary<string> {
  return fc
    .constantFrom(
      'a',
      'b',
      'c',
      'id2',
      'Id',
      'p:a',
      'p:b',
      'q:a',
      'w:w',
      'xml:lang',
      'xmlns="urn:1"',
      'xmlns:p="urn:2"',
      'xmlns:q="urn:3"',
      'xmlns=""',
    )
    .map((name) => (name.includes('=') ? `${name} z` : name));
}

const text = fc
  .array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.constantFrom(
          'text',
          'long enough to be worth a look',
          ' ',
          '\n',
          '0.50',
          '<none/>',
          '<p:none a="1" b=""/>',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '&amp;',
          '&lt;',
          '&gt;',
          'é',
          '商品',
          ']]',
          '&quot;',
          '&#13;',
          '&#65;',
          '\r\n',
          '\r',
          '>',
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom('<!-- c -->', '<![CDATA[x<&]]>', '<a/>', '<p:a />') },
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(
      fc.oneof({ weight: 6, arbitrary: fc.constant('') }, fc.constantFrom('p:', 'q:', 'unbound:')),
      local,
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(attribute, { maxLength: 3 })),
      tie('content'),
      fc.constantFrom('', '', '', '', ' '),
    )
    .map(
      ([prefix, name, attributes, content, space]) =>
        `<${prefix}${name}${attributes.join('')}${space}>${content}</${prefix}${name}${space}>`,
    ),
  content: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.array(fc.oneof(tie('element'), text), { maxLength: 5 }).map((parts) => parts.join('')),
  ),
}));

const heads = fc.constantFrom(
  [
    '<w xmlns="urn:1" xmlns:p="urn:p" xmlns:q="urn:q" xmlns:w="urn:watched"><Order>',
    '</Order></w>',
  ],
  ['<w xmlns:p="urn:p"><p:Order xmlns:q="urn:a" q:x="1" xmlns:w="urn:watched">', '</p:Order></w>'],
  ['<p:w xmlns:p="urn:p" xmlns:q="urn:q" xmlns:w="urn:w"><Order p:b="" q:a="">', '</Order></p:w>'],
  [
    '<w xmlns:p="http://www.w3.org/2004/08/xop/include" xmlns:q="urn:q" ' +
      'xmlns:w="urn:watched"><p:Order q:a="">',
    '</p:Order></w>',
  ],
);

const options: fc.Arbitrary<Options> = fc.tuple(
  fc.constantFrom(...METHODS),
  fc.constantFrom(SKIP, WATCH),
  fc.constantFrom(2, 3),
);

t.test('content that is passed over comes to the same canonical form', async (t) => {
  let passedBytes = 0;
  let complete = 0;
  fc.assert(
    fc.property(
      heads,
      fc.array(element, { minLength: 1, maxLength: 12 }),
      options,
      fc.array(fc.nat(), { maxLength: 4 }),
      ([head = '', tail = ''], elements, given, places) => {
        const message = Buffer.from(`${head}${elements.join('')}${tail}`);
        const stepwise = read([message], given, false);
        for (const chunks of [[message], cutAt(message, places)]) {
          const outcome = read(chunks, given, true);
          passedBytes += outcome.passedBytes;
          outcome.passedBytes = 0;
          if (JSON.stringify(outcome) !== JSON.stringify(stepwise)) {
            throw new Error(`${JSON.stringify(outcome)}\n${JSON.stringify(stepwise)}`);
          }
        }
        if (stepwise.refusal === null) complete++;
      },
    ),
    { seed: 20, numRuns: 1500 },
  );
  t.ok(passedBytes > 50_000, `${passedBytes} bytes were passed over`);
  t.ok(complete > 300, `${complete} messages were complete`);
});

/** Skips what Body holds. */
const skipping: XmlHandler = {
  open: ({ depth }) => (depth < 3 ? ELEMENTS_ONLY : SKIP),
  close() {},
  text() {},
};

t.test(
  'what must be looked at is found among content that is passed over',
  WITH_OPENSSL,
  async (t) => {
    const authority = new Authority(t.testdir());
    const client = authority.sign('erp');
    const rules = rulesTrusting(authority.ca.cert, 'ecdsa-sha256');
    const rows = '<row no="1"><name>Ann &amp; Bob</name><sum>12.50</sum></row>\n '.repeat(40);
    const codeOf = (content: string, canonicalContent = content): string | null => {
      const { message } = signedMessage(client, canonicalContent, { algorithm: 'ecdsa-sha256' });
      const bytes = Buffer.from(message.replace(canonicalContent, () => content));
      const verdicts = [[bytes], cutAt(bytes, [1000, 2000, 3000])].map((chunks) => {
        const verifier = new MessageVerifier(skipping, rules, Date.now());
        return refusalOf(() => readXml(verifier, chunks, { elements: 10_000, children: 10_000 }));
      });
      t.equal(verdicts[0], verdicts[1]);
      return verdicts[0] ?? null;
    };
    const run = (content: string): string => `<Run xmlns="urn:desk">${content}</Run>`;
    t.equal(codeOf(run(rows)), null);

    const empty = run(`${rows}${'<none/><no a="1"/>'.repeat(EMPTY_TAGS_MAX)}${rows}`);
    t.equal(codeOf(empty, empty.replaceAll(/<(\w+)([^>]*)\/>/g, '<$1$2></$1>')), null);
    t.equal(codeOf(empty), 'wsse:FailedCheck', 'a digest of other bytes');

    for (const attribute of ['Id="body"', 'ID="body"', 'id=" body "', 'AssertionID="body"']) {
      const content = run(`${rows}<row ${attribute}>1</row>${rows}`);
      t.equal(codeOf(content), 'WSSE_DUPLICATE_ID', attribute);
    }
    const qualified = run(`${rows}<row xmlns:u="${WSU}" u:Id="body">1</row>${rows}`);
    t.equal(codeOf(qualified), 'WSSE_DUPLICATE_ID');

    const around = (before: string, comment: string, after: string): string | null => {
      const content = run(`${rows}${before}${rows}${comment}${rows}${after}${rows}`);
      return codeOf(content, content.replace('<!-- c -->', ''));
    };
    t.equal(around('', '<!-- c -->', ''), null, 'white space alone is beside the comment');
    t.equal(around('text', '<!-- c -->', ''), 'wsse:FailedCheck', 'before');
    t.equal(around('', '<!-- c -->', 'text'), 'wsse:FailedCheck', 'behind');
    t.equal(around('<p>text', '</p><!-- c -->', ''), null, 'of an element that is closed');
    t.equal(around('<p>text', '<!-- c --></p>', ''), 'wsse:FailedCheck', 'inside');
    t.equal(around('<p>', '<q>text</q><!-- c --></p>', ''), null, 'inside and in another element');

    const include = run(`${rows}<Include xmlns="http://www.w3.org/2004/08/xop/include"></Include>`);
    t.equal(codeOf(include), 'wsse:UnsupportedAlgorithm');

    const named = rows.replaceAll('no="1"', 'x:no="1"');
    t.equal(
      codeOf(`<Run xmlns="urn:desk" xmlns:x="urn:x">${named}</Run>`),
      'wsse:FailedCheck',
      'each row needs a declaration',
    );
    t.equal(
      codeOf(
        `<Run xmlns="urn:desk" xmlns:x="urn:x">${named}</Run>`,
        run(named.replaceAll('<row x:no', '<row xmlns:x="urn:x" x:no')),
      ),
      null,
    );
    t.equal(
      codeOf(
        `<x:Run xmlns="urn:desk" xmlns:x="urn:desk">${rows}</x:Run>`,
        `<x:Run xmlns:x="urn:desk">${rows.replaceAll('<row', '<row xmlns="urn:desk"')}</x:Run>`,
      ),
      null,
    );
  },
);
