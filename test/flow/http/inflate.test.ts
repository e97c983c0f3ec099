import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';

import { KIB, MIB } from '../../../src/core/limit.js';
import { Inflater } from '../../../src/flow/http/inflate.js';
import { cutAt, splitsOf } from '../../kit/splits.js';

const LIMITS = { messageBytes: 64 * MIB, inflateRatio: 100, inflateFreeBytes: MIB };

/** Decodes a stream in these pieces, waiting whenever it asks for that. */
async function inflate(pieces: readonly Uint8Array[], limits = LIMITS, takeSlowly = false) {
  const decoded: Buffer[] = [];
  let wake = (): void => {};
  let waiting: Promise<void> | null = null;
  let isOver = false;
  const outcome = new Promise<string | null>((resolve) => {
    const over = (refusal: string | null): void => {
      if (isOver) throw new Error('told twice how it ended');
      isOver = true;
      wake();
      resolve(refusal);
    };
    const inflater = new Inflater(limits, {
      data(chunk) {
        if (isOver) throw new Error('data after the end');
        decoded.push(Buffer.from(chunk));
        if (!takeSlowly) return;
        inflater.pause();
        setImmediate(() => inflater.resume());
      },
      end: () => over(null),
      failed: (refusal) => over(refusal.code),
      enough() {
        waiting = new Promise((done) => {
          wake = done;
        });
      },
      more() {
        waiting = null;
        wake();
      },
    });
    void (async () => {
      for (const piece of pieces) {
        if (isOver) return;
        inflater.write(Buffer.from(piece));
        if (waiting !== null) await waiting;
      }
      inflater.end();
    })();
  });
  const refusal = await outcome;
  return { bytes: Buffer.concat(decoded), refusal };
}

const TEXT = Buffer.from('<E:Envelope xmlns:E="urn:e"><E:Body/></E:Envelope>'.repeat(3));
const ZIPPED = gzipSync(TEXT);

/** The same stream with every optional field of the header. */
function withFields(): Buffer {
  const head = Buffer.from(ZIPPED.subarray(0, 10));
  head[3] = 2 | 4 | 8 | 16;
  const extra = Buffer.from([3, 0, 1, 2, 3]);
  return Buffer.concat([
    head,
    extra,
    Buffer.from('name\0comment\0'),
    Buffer.from([9, 9]),
    ZIPPED.subarray(10),
  ]);
}

t.test('a stream is decoded, whole and at every split', async (t) => {
  for (const [name, stream] of [
    ['as zlib writes it', ZIPPED],
    ['with every field of the header', withFields()],
    ['stored', gzipSync(TEXT, { level: 0 })],
  ] as const) {
    for (const [how, pieces] of [['whole', [stream]] as const, ...splitsOf(stream)]) {
      const { bytes, refusal } = await inflate(pieces);
      if (refusal !== null || !bytes.equals(TEXT)) t.fail(`${name}, ${how}: ${refusal}`);
    }
  }
  t.same(await inflate([gzipSync('')]), { bytes: Buffer.alloc(0), refusal: null }, 'of nothing');
  t.ok((await inflate([ZIPPED], LIMITS, true)).bytes.equals(TEXT));
});

t.test('what is not one whole stream in order is refused, whole and at every split', async (t) => {
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(ZIPPED);
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = (bytes[place] ?? 0) ^ 0x55;
    return bytes;
  };
  const cases: Record<string, Buffer> = {
    'no stream': Buffer.from('<E:Envelope/>'),
    nothing: Buffer.alloc(0),
    'a header cut off': ZIPPED.subarray(0, 5),
    'a header alone': ZIPPED.subarray(0, 10),
    'data cut off': ZIPPED.subarray(0, 20),
    'a trailer cut off': ZIPPED.subarray(0, -1),
    'no trailer': ZIPPED.subarray(0, -8),
    'one byte behind the end': Buffer.concat([ZIPPED, Buffer.from([0])]),
    'bytes behind the end': Buffer.concat([ZIPPED, Buffer.from('<evil/>')]),
    'a second member': Buffer.concat([ZIPPED, ZIPPED]),
    'an empty member first': Buffer.concat([gzipSync(''), ZIPPED]),
    'a wrong checksum': flipped(-5),
    'a wrong length': flipped(-1),
    'another method': flipped(2),
    'a reserved flag': Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0x80]), ZIPPED.subarray(4)]),
    'broken data': flipped(14),
    'an endless name': Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.alloc(5000, 'x'),
    ]),
    zlib: Buffer.concat([Buffer.from([0x78, 0x9c]), deflateRawSync(TEXT)]),
  };
  for (const [name, stream] of Object.entries(cases)) {
    t.equal((await inflate([stream])).refusal, 'ENCODING_CORRUPT', name);
    if (stream.length > 1000) continue;
    for (const [how, pieces] of splitsOf(stream)) {
      const { refusal } = await inflate(pieces);
      if (refusal !== 'ENCODING_CORRUPT') t.fail(`${name}, ${how}: ${refusal}`);
    }
  }
});

t.test('what grows too much is refused while it grows', async (t) => {
  const bomb = gzipSync(Buffer.alloc(20 * MIB));
  const { refusal, bytes } = await inflate([bomb]);
  t.equal(refusal, 'DECOMPRESSION_LIMIT', `${Math.round((20 * MIB) / bomb.length)}:1`);
  t.ok(bytes.length <= MIB, `after ${bytes.length} bytes`);
  const { refusal: early } = await inflate(cutAt(bomb, [700, 1400, 2100]));
  t.equal(early, 'DECOMPRESSION_LIMIT');
  t.equal(
    (await inflate([gzipSync(Buffer.alloc(900 * KIB))])).refusal,
    null,
    'a small one may be of one byte only',
  );
  const plain = gzipSync(Buffer.alloc(2 * MIB, 'abcdefgh'), { level: constants.Z_NO_COMPRESSION });
  t.equal(
    (await inflate([plain], { ...LIMITS, messageBytes: MIB })).refusal,
    'DECOMPRESSION_LIMIT',
    'too long',
  );
  t.equal(
    (await inflate([plain], { ...LIMITS, messageBytes: plain.length })).refusal,
    null,
    'just long enough',
  );
  // Blocks of nothing, each in 5 bytes.
  const endless = Buffer.concat([
    ZIPPED.subarray(0, 10),
    Buffer.alloc(2 * MIB, Buffer.from([0, 0, 0, 255, 255])),
  ]);
  t.equal(
    (await inflate([endless], { ...LIMITS, messageBytes: MIB })).refusal,
    'DECOMPRESSION_LIMIT',
    'of nothing',
  );
});

t.test('a slow receiver makes the source wait', async (t) => {
  const bytes = Buffer.alloc(4 * MIB, 'a line of text that is not too dull 0123456789\n');
  const stream = gzipSync(bytes);
  const pieces = Array.from({ length: Math.ceil(stream.length / KIB) }, (_, at) =>
    stream.subarray(at * KIB, (at + 1) * KIB),
  );
  const slow = await inflate(pieces, { ...LIMITS, inflateRatio: 2000 }, true);
  t.equal(slow.refusal, null);
  t.ok(slow.bytes.equals(bytes));

  let decoded = 0;
  let isFull = false;
  const inflater = new Inflater(
    { ...LIMITS, inflateRatio: 2000 },
    {
      data(chunk) {
        decoded += chunk.length;
        inflater.pause();
      },
      end() {},
      failed() {},
      enough() {
        isFull = true;
      },
      more() {
        isFull = false;
      },
    },
  );
  for (const piece of pieces) {
    if (isFull) break;
    inflater.write(piece);
    // The decoder works in another thread; what comes of it is told between turns of the loop.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  t.ok(isFull, 'the source was asked to wait');
  t.ok(decoded <= 64 * KIB, `and no more was handed out: ${decoded}`);
  inflater.destroy();
});

t.test('random streams, cut anywhere, come out as they went in', async () => {
  const property = fc.asyncProperty(
    fc.uint8Array({ maxLength: 3000 }),
    fc.integer({ min: 0, max: 9 }),
    fc.array(fc.nat(), { maxLength: 8 }),
    fc.nat(),
    fc.nat(255),
    async (content, level, cuts, place, byte) => {
      const stream = gzipSync(content, { level });
      const { bytes, refusal } = await inflate(cutAt(stream, cuts));
      if (refusal !== null || !bytes.equals(content)) throw new Error(`${refusal}`);
      const mutated = Buffer.from(stream);
      mutated[place % mutated.length] = byte;
      const outcome = await inflate(cutAt(mutated, cuts));
      if (outcome.refusal === null && !outcome.bytes.equals(content))
        throw new Error('other bytes came out');
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
