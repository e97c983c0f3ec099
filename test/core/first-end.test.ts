import t from 'tap';

import { firstEnd } from '../../src/core/tls/first-end.js';

const block = (text: string): string => `-----BEGIN X-----\n${text}\n-----END X-----\n`;

t.test('the end of a text is that of the block that ends first, and is read once', (t) => {
  const read: string[] = [];
  const endOf = firstEnd('X', (text) => {
    read.push(text);
    const [number] = text.match(/\d+/) ?? [];
    return number === undefined ? null : Number(number);
  });
  const text = `${block('7')}-----BEGIN Y-----\n1\n-----END Y-----\n${block('none')}${block('3')}`;
  t.equal(endOf(text), 3);
  t.equal(endOf(text), 3);
  t.same(
    read,
    [block('7'), block('none'), block('3')].map((each) => each.trim()),
  );
  for (const none of ['', 'no block', block('none')]) t.equal(endOf(none), null);
  read.length = 0;
  t.equal(endOf(block('none')), null);
  t.same(read, [], 'that there is none is remembered, too');
  t.end();
});

t.test('texts are forgotten beyond 16 Mi characters, a larger one is remembered alone', (t) => {
  let reads = 0;
  const endOf = firstEnd('X', () => ++reads);
  const large = (size: number, name: string): string => block(name + 'x'.repeat(size));
  const [first, second] = [large(7 << 20, '1'), large(7 << 20, '2')];
  for (const text of [first, second, first, second]) endOf(text);
  t.equal(reads, 2);
  endOf(large(7 << 20, '3'));
  endOf(second);
  t.equal(reads, 3);
  endOf(first);
  t.equal(reads, 4, 'the one longest not asked for was forgotten');
  const largest = large(20 << 20, '4');
  for (let count = 0; count < 3; count++) endOf(largest);
  t.equal(reads, 5);
  t.end();
});
