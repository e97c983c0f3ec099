import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { defaultsOf } from '../../../src/core/limit.js';
import {
  type CanonicalMethod,
  canonicalMethodOf,
} from '../../../src/xml/canonical/canonical-method.js';
import {
  type CanonicalSink,
  CanonicalWriter,
} from '../../../src/xml/canonical/canonical-writer.js';
import { compareByCodePoint } from '../../../src/xml/canonical/code-points.js';
import {
  type ElementNode,
  TreeBuilder,
  writeTree,
} from '../../../src/xml/canonical/element-tree.js';
import { ALL, type Interest, type StartTag, type XmlHandler } from '../../../src/xml/events.js';
import { XML_LIMITS } from '../../../src/xml/limits.js';
import { XmlReader } from '../../../src/xml/reader.js';
import { cutAt, splitsOf } from '../../kit/splits.js';
import { documents, places, print } from '../documents.js';

const LIMITS = defaultsOf(XML_LIMITS);
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

function methodOf(identifier: string, prefixes: readonly string[] = []): CanonicalMethod {
  const method = canonicalMethodOf(identifier, new Set(prefixes));
  if (method === null) throw new Error(identifier);
  return method;
}

class Collector implements CanonicalSink {
  text = '';

  write(chars: string): void {
    this.text += chars;
  }

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.text += Buffer.from(bytes.slice(start, end)).toString();
  }

  writeTag(before: string, name: string): void {
    this.text += `${before}${name}>`;
  }

  writeAscii(bytes: Uint8Array, start: number, end: number): boolean {
    const piece = bytes.subarray(start, end);
    if (piece.includes(0x3e) || piece.includes(0x0d)) return false;
    this.text += Buffer.from(bytes.subarray(start, end)).toString('latin1');
    return true;
  }
}

/** Writes the elements called `target`, or the document element, as they come by. */
class Streaming implements XmlHandler {
  readonly sink = new Collector();
  readonly #writer: CanonicalWriter;
  readonly #target: string | null;
  #isOn = false;

  constructor(method: CanonicalMethod, target: string | null) {
    this.#writer = new CanonicalWriter(method, this.sink);
    this.#target = target;
  }

  open(tag: StartTag): Interest {
    this.#isOn ||= tag.local === this.#target || this.#target === null;
    return this.#isOn ? this.#writer.open(tag) : ALL;
  }

  close(): void {
    if (!this.#isOn) return;
    this.#writer.close();
    this.#isOn = this.#writer.depth > 0;
  }

  text(chars: string): void {
    if (this.#isOn) this.#writer.text(chars);
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#isOn && this.#writer.asciiText(bytes, start, end);
  }

  comment(chars: string): void {
    if (this.#isOn) this.#writer.comment(chars);
  }
}

function feed(handler: XmlHandler, chunks: Iterable<Uint8Array>): void {
  const reader = new XmlReader(handler, LIMITS);
  for (const chunk of chunks) reader.write(chunk);
  reader.end();
}

function canonical(message: string, method: CanonicalMethod, target: string | null = null): string {
  const handler = new Streaming(method, target);
  feed(handler, [Buffer.from(message)]);
  return handler.sink.text;
}

function treeOf(message: string): ElementNode {
  const builder = new TreeBuilder(null, ALL, () => {});
  feed(builder, [Buffer.from(message)]);
  if (builder.root === null || !builder.isComplete) throw new Error('no tree');
  return builder.root;
}

function descendant(root: ElementNode, local: string): ElementNode {
  if (root.local === local) return root;
  for (const child of root.elements) {
    const found = child.local === local ? child : child.elements.find((one) => one.local === local);
    if (found !== undefined) return found;
  }
  throw new Error(local);
}

t.test('the specification of exclusive canonicalization, section 2.2', async (t) => {
  const enveloped = (
    outer: string,
  ): string => `<n0:local ${outer}><n1:elem2 xmlns:n1="http://example.net" xml:lang="en">
    <n3:stuff xmlns:n3="ftp://example.org"/>
  </n1:elem2></n0:local>`;
  const written = `<n1:elem2 xmlns:n1="http://example.net" xml:lang="en">
    <n3:stuff xmlns:n3="ftp://example.org"></n3:stuff>
  </n1:elem2>`;
  for (const outer of [
    'xmlns:n0="foo:bar" xmlns:n3="ftp://example.org"',
    'xmlns:n0="urn:x" xmlns:n2="urn:y" xml:lang="fr"',
  ])
    t.equal(canonical(enveloped(outer), methodOf(EXCLUSIVE), 'elem2'), written);
  t.equal(
    canonical(
      enveloped('xmlns:n0="foo:bar" xmlns:n3="ftp://example.org"'),
      methodOf(INCLUSIVE),
      'elem2',
    ),
    written
      .replace('xmlns:n1', 'xmlns:n0="foo:bar" xmlns:n1')
      .replace('example.net"', 'example.net" xmlns:n3="ftp://example.org"')
      .replace('<n3:stuff xmlns:n3="ftp://example.org">', '<n3:stuff>'),
  );
});

t.test(
  'start tags, white space and references are written as section 3 of Canonical XML has them',
  async (t) => {
    const method = methodOf(INCLUSIVE);
    t.equal(
      canonical(
        '<doc><e2   /><e3   name = "elem3"   id="elem3"   /><e5 a:attr="out" b:attr="sorted" ' +
          'attr2="all" attr="I\'m"\n' +
          '   xmlns:b="http://www.ietf.org" xmlns:a="http://www.w3.org" ' +
          'xmlns="http://example.org"/></doc>',
        method,
      ),
      '<doc><e2></e2><e3 id="elem3" name="elem3"></e3><e5 xmlns="http://example.org" ' +
        'xmlns:a="http://www.w3.org"' +
        ' xmlns:b="http://www.ietf.org" attr="I\'m" attr2="all" b:attr="sorted" ' +
        'a:attr="out"></e5></doc>',
    );
    t.equal(
      canonical(
        '<doc><text>First line&#x0d;&#10;Second line</text><value>&#x32;</value><compute>' +
          '<![CDATA[value>"0" && value<"10"]]></compute>' +
          '<compute expr=\'value>"0" &amp;&amp; ' +
          'value&lt;"10" ?"valid":"error"\'>valid</compute>' +
          '<n a="x&#x20;&#13;&#xa;&#9;y z"/></doc>',
        method,
      ),
      '<doc><text>First line&#xD;\nSecond line</text><value>2</value>' +
        '<compute>value&gt;"0" &amp;&amp; value&lt;"10"</compute>' +
        '<compute expr="value>&quot;0&quot; &amp;&amp; value&lt;&quot;10&quot; ' +
        '?&quot;valid&quot;:&quot;error&quot;">valid</compute>' +
        '<n a="x &#xD;&#xA;&#x9;y z"></n></doc>',
    );
    t.equal(
      canonical('<a xmlns="urn:1"><b xmlns=""><c xmlns=""/></b></a>', method),
      '<a xmlns="urn:1"><b xmlns=""><c></c></b></a>',
    );
  },
);

t.test('comments belong to the ways with comments, at every split', async (t) => {
  const message = '<a><!-- é -\r\n- --><b>1<!---->2</b></a>';
  const [without, withComments] = [methodOf(EXCLUSIVE), methodOf(`${EXCLUSIVE}WithComments`)];
  t.equal(canonical(message, without), '<a><b>12</b></a>');
  t.equal(canonical(message, withComments), '<a><!-- é -\n- --><b>1<!---->2</b></a>');
  for (const [, chunks] of splitsOf(Buffer.from(message))) {
    const handler = new Streaming(withComments, null);
    feed(handler, chunks);
    t.equal(handler.sink.text, '<a><!-- é -\n- --><b>1<!---->2</b></a>');
  }
});

t.test('names are in the order of their code points', async (t) => {
  const [private_, beyond] = ['\ue000', '\u{10000}'];
  t.ok(beyond < private_, 'UTF-16 units have another order');
  t.ok(compareByCodePoint(private_, beyond) < 0);
  t.ok(compareByCodePoint('a', 'ab') < 0);
  t.equal(compareByCodePoint('ab', 'ab'), 0);
  t.equal(canonical('<a 𐀀="1" ﷰ="2"/>', methodOf(EXCLUSIVE)), '<a ﷰ="2" 𐀀="1"></a>');
});

t.test('listed prefixes are written where they are declared, also the default', async (t) => {
  const message = '<a xmlns="urn:1" xmlns:p="urn:p" xmlns:q="urn:q"><q:t><q:u>p:x</q:u></q:t></a>';
  t.equal(
    canonical(message, methodOf(EXCLUSIVE, ['p', '', 'none']), 't'),
    '<q:t xmlns="urn:1" xmlns:p="urn:p" xmlns:q="urn:q"><q:u>p:x</q:u></q:t>',
  );
});

t.test(
  'attributes xml: are inherited as they are given, and there may be no default namespace',
  async (t) => {
    const tree = treeOf('<a xml:lang="de" xml:space="preserve"><b xml:lang="en" c="d">x</b></a>');
    const target = descendant(tree, 'b');
    const sink = new Collector();
    writeTree(target, new CanonicalWriter(methodOf(INCLUSIVE), sink, tree.xmlAttributes(), true));
    t.equal(sink.text, '<b xmlns="" c="d" xml:lang="en" xml:space="preserve">x</b>');
  },
);

/** Canonical XML of files by libxml2: of the document, and of the first element `Order` in it. */
const PEER = `
import json, sys
from lxml import etree
def c14n(e, exclusive, comments, prefixes=None):
    return etree.tostring(e, method="c14n", exclusive=exclusive, with_comments=comments, \
inclusive_ns_prefixes=prefixes).decode()
rows = []
for message in json.load(sys.stdin):
    root = etree.fromstring(message.encode(), etree.XMLParser(huge_tree=True))
    found = next((e for e in root.iter("{*}Order") if e is not root), None)
    part = None
    if found is not None:
        found.tail = None
        part = [c14n(found, True, True), c14n(found, True, False, ["p", "q"]), c14n(found, False, \
True)]
    rows.append([c14n(root, True, True) if found is None else None, c14n(root, False, False) if \
found is None else None, part])
json.dump(rows, sys.stdout)
`;

const python = spawnSync('/usr/bin/python3', ['-c', 'import lxml']).status === 0;
const MISSING = 'lxml is not installed (Debian: apt-get install python3-lxml)';

t.test(
  'generated documents are written as libxml2 writes them',
  { skip: python ? false : MISSING },
  async (t) => {
    const sources = fc
      .sample(fc.tuple(documents, places), { numRuns: 3000, seed: 20 })
      .map(([document, cuts], index) => {
        const isPart = index % 2 === 1;
        const written = print(isPart ? { ...document, local: 'Order' } : document);
        const message = isPart
          ? `<w:w xmlns:w="urn:w" xmlns:q="urn:2" xmlns="urn:1">${written}</w:w>`
          : written;
        // libxml2 refuses namespaces that are no absolute URI, and writes an ampersand in them as
        // it is.
        return { message: message.replaceAll('"u&amp;v"', '"urn:u+v"'), cuts };
      })
      .filter(({ message }) => isAccepted(message));
    const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', PEER], {
      input: JSON.stringify(sources.map(({ message }) => message)),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    t.equal(stderr, '');
    const rows: readonly (readonly [
      string | null,
      string | null,
      readonly [string, string, string] | null,
    ])[] = JSON.parse(stdout);
    let parts = 0;
    for (const [index, { message, cuts }] of sources.entries()) {
      const [exclusive = null, inclusive = null, part = null] = rows[index] ?? [];
      const compare = (method: CanonicalMethod, target: string | null, theirs: string): void => {
        const handler = new Streaming(method, target);
        feed(new FirstOnly(handler, target), cutAt(Buffer.from(message), cuts));
        if (handler.sink.text !== theirs) t.equal(handler.sink.text, theirs, message);
      };
      if (exclusive !== null) compare(methodOf(`${EXCLUSIVE}WithComments`), null, exclusive);
      if (inclusive !== null) compare(methodOf(INCLUSIVE), null, inclusive);
      if (part === null) continue;
      parts++;
      compare(methodOf(`${EXCLUSIVE}WithComments`), 'Order', part[0]);
      compare(methodOf(EXCLUSIVE, ['p', 'q']), 'Order', part[1]);
      compare(methodOf(`${INCLUSIVE}#WithComments`), 'Order', part[2]);
    }
    t.ok(sources.length > 800 && parts > 100, `${sources.length} documents, ${parts} with a part`);
  },
);

/** Hides all but the first element of this name below the document element. */
class FirstOnly implements XmlHandler {
  readonly #inner: Streaming;
  readonly #target: string | null;
  #depth = 0;
  #isOver = false;

  constructor(inner: Streaming, target: string | null) {
    this.#inner = inner;
    this.#target = target;
  }

  get #isPassed(): boolean {
    return this.#target === null || (!this.#isOver && this.#depth > 0);
  }

  open(tag: StartTag): Interest {
    if (
      this.#target !== null &&
      !this.#isOver &&
      tag.depth > 1 &&
      (this.#depth > 0 || tag.local === this.#target)
    )
      this.#depth++;
    return this.#isPassed ? this.#inner.open(tag) : ALL;
  }

  close(): void {
    if (!this.#isPassed) return;
    this.#inner.close();
    if (this.#depth > 0 && --this.#depth === 0) this.#isOver = true;
  }

  text(chars: string): void {
    if (this.#isPassed) this.#inner.text(chars);
  }

  comment(chars: string): void {
    if (this.#isPassed) this.#inner.comment(chars);
  }
}

function isAccepted(message: string): boolean {
  try {
    feed(new Streaming(methodOf(EXCLUSIVE), null), [Buffer.from(message)]);
    return true;
  } catch {
    return false;
  }
}
