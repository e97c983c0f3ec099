import t from 'tap';
import { escapeText, XmlWriter } from '../../src/xml/writer.js';

/** A writer whose document element is open. */
const open = (): XmlWriter => new XmlWriter().open('s', 'a').namespace('s', 'urn:s');

t.test('a document is written with its prefixes and escaped values', async (t) => {
  const writer = open().namespace(null, 'urn:d').attribute('xml', 'lang', '"<&');
  writer.open(null, 'b').attribute(null, 'xmlnss', '1').text(']]>').close();
  t.equal(
    writer.close().finish().toString(),
    '<s:a xmlns:s="urn:s" xmlns="urn:d" xml:lang="&quot;&lt;&amp;"><b xmlnss="1">]]&gt;</b></s:a>',
  );
});

t.test('an attribute declares no namespace, whatever it is called', async (t) => {
  for (const [prefix, local] of [
    [null, 'xmlns'],
    ['', 'xmlns'],
    ['xmlns', 'a'],
    ['xmlns', 'xmlns'],
    [null, 'xmlns:a'],
    [null, 'a="1" xmlns'],
  ] as const)
    t.throws(() => open().attribute(prefix, local, 'urn:x'), /invariant/, `${prefix} ${local}`);
});

t.test('names are NCNames, and prefixes are those that may be bound', async (t) => {
  for (const [prefix, local] of [
    [null, ''],
    [null, 'a b'],
    [null, 'a:b'],
    [null, '><b'],
    ['a:b', 'c'],
    ['xmlns', 'a'],
  ] as const)
    t.throws(() => open().open(prefix, local), /invariant/, `${prefix} ${local}`);
  for (const [prefix, uri] of [
    ['xmlns', 'urn:x'],
    ['xml', 'urn:x'],
    ['p', ''],
    ['p', 'http://www.w3.org/2000/xmlns/'],
    ['p', 'http://www.w3.org/XML/1998/namespace'],
    [null, 'http://www.w3.org/2000/xmlns/'],
    ['a b', 'urn:x'],
  ] as const)
    t.throws(() => open().namespace(prefix, uri), /invariant/, `${prefix} ${uri}`);
  t.doesNotThrow(() => open().open(null, 'b').namespace(null, ''), 'the default may be taken away');
});

t.test('an attribute stands once on an element', async (t) => {
  const writer = open().attribute(null, 'a', '1');
  t.throws(() => writer.attribute(null, 'a', '2'), /invariant/);
  t.throws(() => open().namespace('s', 'urn:s'), /invariant/);
  t.doesNotThrow(() => open().attribute(null, 'a', '1').open(null, 'b').attribute(null, 'a', '1'));
});

t.test('long texts are escaped as short ones are', async (t) => {
  const part = 'a<b>&c\r"\t\n\'';
  for (const text of [part, `${part}é`, `${part}€😀`, '<']) {
    const times = Math.ceil(10_000 / text.length);
    t.equal(escapeText(text.repeat(times)), escapeText(text).repeat(times), text);
  }
  t.equal(escapeText('a'.repeat(10_000)), 'a'.repeat(10_000), 'nothing to escape');
  t.throws(() => escapeText(`${'<'.repeat(10_000)}\0`), { code: 'BAD_USER_INPUT' });
});
