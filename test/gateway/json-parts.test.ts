import fc from 'fast-check';
import t from 'tap';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { printInParts } from '../../src/gateway/json-parts.js';

async function printed(value: unknown): Promise<readonly string[]> {
  const parts: string[] = [];
  for await (const part of printInParts(value, AT_ONCE)) parts.push(part);
  return parts;
}

t.test('parts of JSON are the JSON of the value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
      return (await printed(value)).join('') === JSON.stringify(value);
    }),
  );
});

t.test('members without a value are left out, and items without one are null', async (t) => {
  const value = { a: undefined, b: [undefined, 1], c: { d: undefined } };
  t.equal((await printed(value)).join(''), JSON.stringify(value));
});

t.test('a long value is printed in short parts', async (t) => {
  const points = Array.from({ length: 20_000 }, (_, at) => ({ labels: { at: `${at}` }, value: 1 }));
  const parts = await printed({ metrics: { points } });
  t.ok(parts.length > 20);
  t.ok(Math.max(...parts.map(({ length }) => length)) < 20_000);
});
