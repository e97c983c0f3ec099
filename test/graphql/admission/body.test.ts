import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import t from 'tap';

import { SHORT_MESSAGE_BYTES } from '../../../src/core/buffers/bytes.js';
import { readText } from '../../../src/graphql/admission/read-text.js';

const atOnce = async (): Promise<void> => {};

/** Turns that come when the test says so. */
function turns() {
  const waiting: (() => void)[] = [];
  return {
    turn: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** How many waited; all of them have their turn, and time for what they do with it. */
    next: async (): Promise<number> => {
      const all = waiting.splice(0);
      for (const resolve of all) resolve();
      for (let round = 0; round < 4; round++) await setImmediate();
      return all.length;
    },
  };
}

t.test('a body that is too long is not read to its end', async (t) => {
  let pulled = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1000, pulled++);
    })(),
  );
  await t.rejects(readText(endless, 5000, null, atOnce), { code: 'HTTP_TOO_LARGE' });
  t.ok(pulled < 50);
  await t.rejects(readText(Readable.from([]), 5, 6, atOnce), { code: 'HTTP_TOO_LARGE' });
});

t.test('a body is text in UTF-8', async (t) => {
  await t.rejects(readText(Readable.from([Buffer.from([0xff])]), 5, null, atOnce), {
    code: 'BAD_REQUEST',
  });
  const split = Readable.from([Buffer.from([0xc3]), Buffer.from([0xa9])]);
  t.equal(await readText(split, 5, 2, atOnce), 'é');
  for (const text of ['', 'a', 'é', '€', '😀', '\u{feff}a\u{feff}', '\0', 'a\u{ffff}']) {
    const expected = text.replace(/^\u{feff}/u, '');
    t.equal(
      await readText(Readable.from([Buffer.from(text)]), 100, null, atOnce),
      expected,
      'as any decoder reads it',
    );
  }
  for (const bytes of [
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x61, 0xe2, 0x82],
  ]) {
    await t.rejects(readText(Readable.from([Buffer.from(bytes)]), 100, null, atOnce), {
      code: 'BAD_REQUEST',
    });
  }
});

t.test(
  'a body of 16 KiB never waits, and of a longer one what follows each chunk waits for a turn',
  async (t) => {
    for (const [pieces, expected] of [
      [[SHORT_MESSAGE_BYTES], 0],
      [[SHORT_MESSAGE_BYTES - 1, 1], 0],
      [[SHORT_MESSAGE_BYTES, 1], 1],
      [[SHORT_MESSAGE_BYTES + 1], 1],
    ] as const) {
      const { turn, next } = turns();
      const source = new PassThrough({ highWaterMark: 2 * SHORT_MESSAGE_BYTES });
      const text = readText(source, 100_000, null, turn);
      for (const bytes of pieces) source.write(Buffer.alloc(bytes, 'a'));
      source.end();
      await setImmediate();
      let had = 0;
      for (let count = await next(); count > 0; count = await next()) {
        t.equal(count, 1, 'one after the other');
        had++;
      }
      t.equal(had, expected, pieces.join());
      const length = pieces.reduce<number>((sum, bytes) => sum + bytes, 0);
      t.equal(await text, 'a'.repeat(length));
    }
  },
);

t.test('nothing more is taken from its source until its turn comes', async (t) => {
  let pulled = 0;
  const source = Readable.from(
    (function* () {
      for (; pulled < 40; pulled++) yield Buffer.alloc(SHORT_MESSAGE_BYTES);
    })(),
    { highWaterMark: 1 },
  );
  const { turn, next } = turns();
  const text = readText(source, 100 * SHORT_MESSAGE_BYTES, null, turn);
  await setImmediate();
  const before = pulled;
  for (let n = 0; n < 20; n++) await setImmediate();
  t.equal(pulled, before, 'it waits');
  t.ok(pulled < 5);
  while ((await next()) > 0);
  t.equal((await text).length, 40 * SHORT_MESSAGE_BYTES);
});

t.test(
  'a body that breaks off, or proves too long, while it waits is refused, and read no further',
  async (t) => {
    const { turn, next } = turns();
    const broken = new PassThrough();
    const rejected = t.rejects(readText(broken, 100_000, null, turn), { code: 'CLIENT_GONE' });
    broken.write(Buffer.alloc(SHORT_MESSAGE_BYTES + 1));
    await setImmediate();
    broken.destroy(new Error('gone'));
    await rejected;
    t.equal(await next(), 1);

    const long = new PassThrough({ highWaterMark: 10 * SHORT_MESSAGE_BYTES });
    const tooLong = t.rejects(readText(long, 2 * SHORT_MESSAGE_BYTES, null, turn), {
      code: 'HTTP_TOO_LARGE',
    });
    long.write(Buffer.alloc(SHORT_MESSAGE_BYTES + 1));
    long.write(Buffer.alloc(SHORT_MESSAGE_BYTES));
    await setImmediate();
    t.equal(await next(), 1);
    await tooLong;
    t.ok(long.isPaused());
    t.equal(await next(), 0, 'and no turn is taken for it any more');
    t.ok(long.isPaused());
  },
);
